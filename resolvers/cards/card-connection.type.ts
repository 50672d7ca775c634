import { Field, Int, ObjectType } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import type { CardPage, PageRequest } from '../../src/domain/ports/cards.js';
import { connectionOf } from '../connection.js';
import { MistakeCard } from './card.type.js';

@ObjectType({ description: 'The position of a page in its list.', simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: 'True if more entries follow this page.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'True if the page was requested with a cursor, so that entries precede it.' })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the first entry of the page; null for an empty page.',
  })
  startCursor!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The cursor of the last entry of the page: pass it as `after` for the next page. Null for an empty page.',
  })
  endCursor!: string | null;
}

@ObjectType({ description: 'A card and its place in the list.', simpleResolvers: true })
export class CardEdge {
  @Field(() => String, {
    description: 'The position of the card in this list; it stays valid while other cards are added and deleted.',
  })
  cursor!: string;

  @Field(() => MistakeCard, { description: 'The card itself.' })
  node!: Card;
}

@ObjectType({
  description: 'A page of cards, in the requested order, as a Relay connection.',
  simpleResolvers: true,
})
export class CardConnection {
  @Field(() => [CardEdge], { description: 'The cards of the page with their cursors.' })
  edges!: CardEdge[];

  @Field(() => [MistakeCard], { description: 'The cards of the page without their cursors.' })
  nodes!: Card[];

  @Field(() => PageInfo, { description: 'Position of the page in the list.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Number of matching cards on all pages.' })
  totalCount!: number;
}

/** A page of the store in the shape of a Relay connection. */
export function cardConnection(page: CardPage, request: PageRequest): CardConnection {
  const edges = page.edges.map(({ cursor, card }) => ({ cursor, node: card }));
  return { ...connectionOf(edges, page.hasNextPage, request), totalCount: page.totalCount };
}

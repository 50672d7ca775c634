import { GraphQLDateTime } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int } from 'type-graphql';
import type { CardOrder } from '../../src/domain/ports/cards.js';
import { graphqlEnum } from '../graphql-enum.js';
import { CardFilter } from './card-filter.input.js';

const CardOrderFieldEnum = graphqlEnum<CardOrder['field']>('CardOrderField', 'The order of a list of cards.', {
  CREATED: 'When the card was created.',
  UPDATED: 'When the card was last changed; a card that changes moves in the list.',
  OCCURRED: 'When the mistake was made.',
  DIFFICULTY: 'How hard the question is.',
});

const OrderDirectionEnum = graphqlEnum<CardOrder['direction']>('OrderDirection', 'The direction of a list.', {
  ASC: 'Earliest, or easiest, first.',
  DESC: 'Latest, or hardest, first.',
});

@InputType({ description: 'The order of a list of cards; equal ones are ordered by their ids.' })
export class CardOrderInput {
  @Field(() => CardOrderFieldEnum, { description: 'What to order by.' })
  field!: CardOrder['field'];

  @Field(() => OrderDirectionEnum, { defaultValue: 'DESC', description: 'The direction.' })
  direction!: CardOrder['direction'];
}

/** The arguments of cards. */
@ArgsType()
export class CardsArgs {
  @Field(() => CardFilter, { nullable: true, description: 'Which cards to list; all by default.' })
  filter?: CardFilter | null;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'Only cards that were changed at this time or later.' })
  updatedAfter?: Date | null;

  @Field(() => CardOrderInput, { nullable: true, description: 'The order of the list; newest first by default.' })
  orderBy?: CardOrderInput | null;

  @Field(() => Int, { nullable: true, defaultValue: 20, description: 'The size of the page, from 1 to 100.' })
  first!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The endCursor of the previous page, of the same list. By default the first page.',
  })
  after?: string | null;
}

import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { decodeCursor, encodeCursor, type Place } from '../src/domain/cursor.js';
import type { CountedPage, Edge, Page } from '../src/domain/page.js';
import type { PageRequest } from '../src/domain/ports/cards.js';

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

/** The arguments that say which page of a list; `parsePage` parses them. */
export interface PageArgs {
  first?: number | null;
  after?: string | null;
}

/** The class of these arguments, for a list whose pages have so many entries by default. */
export function pageArgs(size: number, afterWords = 'The endCursor of the previous page.'): new () => PageArgs {
  @ArgsType()
  class Arguments {
    @Field(() => Int, { nullable: true, defaultValue: size, description: 'The size of the page, from 1 to 100.' })
    first?: number | null;

    @Field(() => String, { nullable: true, description: afterWords })
    after?: string | null;
  }
  return Arguments;
}

/** A page in the shape of a Relay connection, with the fields that every connection has. */
export interface Connection<T> {
  edges: readonly Edge<T>[];
  nodes: readonly T[];
  pageInfo: PageInfo;
}

/** What the descriptions of a connection say. */
interface ConnectionWords {
  /** An entry, such as `card`. */
  readonly one: string;
  readonly many: string;
  readonly edge?: string;
  readonly cursor?: string;
  readonly node?: string;
  readonly pageInfo?: string;
}

/**
 * The class that connections of `Node`s extend, each to have a description of its own: `${name}Connection`, with edges
 * of the type `${name}Edge`.
 */
export function connectionType<T>(
  name: string,
  Node: new () => unknown,
  {
    one,
    many,
    edge = `A ${one} and its place in the list.`,
    cursor = `The position of the ${one} in this list.`,
    node = `The ${one} itself.`,
    pageInfo = 'Position of the page in the list.',
  }: ConnectionWords,
): new () => Connection<T> {
  @ObjectType(`${name}Edge`, { description: edge, simpleResolvers: true })
  class ConnectionEdge {
    @Field(() => String, { description: cursor })
    cursor!: string;

    @Field(() => Node, { description: node })
    node!: T;
  }

  @ObjectType(`${name}Page`, { simpleResolvers: true })
  class ConnectionFields {
    @Field(() => [ConnectionEdge], { description: `The ${many} of the page with their cursors.` })
    edges!: readonly ConnectionEdge[];

    @Field(() => [Node], { description: `The ${many} of the page without their cursors.` })
    nodes!: readonly T[];

    @Field(() => PageInfo, { description: pageInfo })
    pageInfo!: PageInfo;
  }
  return ConnectionFields;
}

/** A page of a list in the shape of a Relay connection. */
export function connectionOf<T>({ edges, hasNextPage }: Page<T>, { after }: Pick<PageRequest, 'after'>): Connection<T> {
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage,
      hasPreviousPage: after !== null,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** Like {@link connectionOf}, with the number of entries on all pages. */
export function countedConnectionOf<T>(
  page: CountedPage<T>,
  request: Pick<PageRequest, 'after'>,
): Connection<T> & { readonly totalCount: number } {
  return { ...connectionOf(page, request), totalCount: page.totalCount };
}

/** The statements that read from a place on take it as an `int` of 32 bits. */
const MAX_PLACE = 1_000_000_000;

/**
 * The place at which a page begins. BadInputError (`after`) for what is no cursor of the list of this name, or one of a
 * place that is not below `length`.
 */
export function placeAfter(list: string, after: string | null, length = MAX_PLACE): number {
  if (after === null) return 0;
  const isPlace = (values: Place): values is readonly [string, number] => {
    const [name, place] = values;
    return name === list && typeof place === 'number' && place >= 0 && place < length && Number.isInteger(place);
  };
  return decodeCursor(after, isPlace)[1] + 1;
}

/** The page of the list of this name that begins at the place `from`: its entries are known by their places. */
export function placedConnection<T>(
  list: string,
  { nodes, from, hasNextPage }: { readonly nodes: readonly T[]; readonly from: number; readonly hasNextPage: boolean },
  page: Pick<PageRequest, 'after'>,
): Connection<T> {
  const edges = nodes.map((node, place) => ({ cursor: encodeCursor([list, from + place]), node }));
  return connectionOf({ edges, hasNextPage }, page);
}

import { Int } from 'type-graphql';
import { type CountedPage, decodeCursor, type Edge, encodeCursor, type Page, type Place } from '../src/domain/page.js';
import type { PageRequest } from '../src/domain/ports/cards.js';
import { field, type InputFields, nullable, type OutputFields, outputType } from './types.js';

export interface PagePosition {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** Null for an empty page, as the end. */
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

export const PageInfo = outputType<PagePosition>('PageInfo', 'The position of a page in its list.', {
  hasNextPage: field(Boolean, 'True if more entries follow this page.'),
  hasPreviousPage: field(Boolean, 'True if the page was requested with a cursor, so that entries precede it.'),
  startCursor: nullable(String, 'The cursor of the first entry of the page; null for an empty page.'),
  endCursor: nullable(
    String,
    'The cursor of the last entry of the page: pass it as `after` for the next page. Null for an empty page, except one of `changes`.',
  ),
});

/** The arguments that say which page of a list, whose pages have `size` entries by default; for `parsePage`. */
export function pageFields(size: number, after = 'The endCursor of the previous page.') {
  return {
    first: nullable(Int, 'The size of the page, from 1 to 100.', { defaultValue: size }),
    after: nullable(String, after),
  } satisfies InputFields;
}

export interface Connection<T> {
  readonly edges: readonly Edge<T>[];
  readonly nodes: readonly T[];
  readonly pageInfo: PagePosition;
}
export interface CountedConnection<T> extends Connection<T> {
  readonly totalCount: number;
}

interface ConnectionWords {
  readonly description: string;
  /** An entry, such as `card`. */
  readonly one: string;
  readonly many: string;
  readonly total?: string;
  readonly edge?: string;
  readonly cursor?: string;
  readonly node?: string;
  readonly pageInfo?: string;
}

/** Declares `${name}Connection`, with edges of the type `${name}Edge`; `added` are its fields beside the usual ones. */
export function connectionType<Added = object>(
  name: string,
  node: new () => object,
  words: ConnectionWords,
  added: OutputFields<Added> = {} as OutputFields<Added>,
): new () => object {
  const { description, one, many, total } = words;
  const edge = outputType<Edge<object>>(`${name}Edge`, words.edge ?? `A ${one} and its place in the list.`, {
    cursor: field(String, words.cursor ?? `The position of the ${one} in this list.`),
    node: field(node, words.node ?? `The ${one} itself.`),
  });
  return outputType<Connection<object>>(`${name}Connection`, description, {
    edges: field([edge], `The ${many} of the page with their cursors.`),
    nodes: field([node], `The ${many} of the page without their cursors.`),
    pageInfo: field(PageInfo, words.pageInfo ?? 'Position of the page in the list.'),
    ...(total !== undefined && { totalCount: field(Int, total) }),
    ...added,
  });
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
): CountedConnection<T> {
  return { ...connectionOf(page, request), totalCount: page.totalCount };
}

/** The statements that read from a place on take it as an `int` of 32 bits. */
const MAX_PLACE = 1_000_000_000;

/** A list by its name and the id of the object that it is a field of: a place in that of another one means nothing. */
type PlacedList = readonly [name: string, parentId: string];

/**
 * The place at which a page begins. BadInputError (`after`) for what is no cursor of this list, or one of a place that
 * is not below `length`.
 */
export function placeAfter([list, parentId]: PlacedList, after: string | null, length = MAX_PLACE): number {
  if (after === null) return 0;
  const isPlace = (values: Place): values is readonly [...PlacedList, number] => {
    const [name, id, place] = values;
    const isOfList = name === list && id === parentId;
    return isOfList && typeof place === 'number' && place >= 0 && place < length && Number.isInteger(place);
  };
  return decodeCursor(after, isPlace)[2] + 1;
}

/** The page of this list that begins at the place `from`: its entries are known by their places. */
export function placedConnection<T>(
  list: PlacedList,
  { nodes, from, hasNextPage }: { readonly nodes: readonly T[]; readonly from: number; readonly hasNextPage: boolean },
  page: Pick<PageRequest, 'after'>,
): Connection<T> {
  const edges = nodes.map((node, place) => ({ cursor: encodeCursor([...list, from + place]), node }));
  return connectionOf({ edges, hasNextPage }, page);
}

import { BadInputError } from '../src/domain/errors.js';
import type { PageRequest } from '../src/domain/ports/cards.js';

/** One entry of a list. */
export interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

/** The fields that every connection has; its class may add others. */
export interface Connection<T> {
  readonly edges: Edge<T>[];
  readonly nodes: T[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** A page of a list in the shape of a Relay connection. */
export function connectionOf<T>(
  edges: readonly Edge<T>[],
  hasNextPage: boolean,
  { after }: Pick<PageRequest, 'after'>,
): Connection<T> {
  return {
    edges: [...edges],
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage,
      hasPreviousPage: after !== null,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/**
 * The place at which a page begins. BadInputError (`after`) for what is no cursor of the list of this name, or one of a
 * place that is not below `length`.
 */
export function placeAfter(list: string, after: string | null, length = Number.POSITIVE_INFINITY): number {
  if (after === null) return 0;
  const [, place] = /^\w+ (\d{1,9})$/.exec(Buffer.from(after, 'base64url').toString()) ?? [];
  if (place === undefined || Number(place) >= length || placeCursor(list, Number(place)) !== after) {
    throw new BadInputError('after', 'is not a cursor of this list');
  }
  return Number(place) + 1;
}

/** The page of the list of this name that begins at the place `from`: its entries are known by their places. */
export function placedConnection<T>(
  list: string,
  { nodes, from, hasNextPage }: { readonly nodes: readonly T[]; readonly from: number; readonly hasNextPage: boolean },
  page: Pick<PageRequest, 'after'>,
): Connection<T> {
  const edges = nodes.map((node, place) => ({ cursor: placeCursor(list, from + place), node }));
  return connectionOf(edges, hasNextPage, page);
}

function placeCursor(list: string, place: number): string {
  return Buffer.from(`${list} ${place}`).toString('base64url');
}

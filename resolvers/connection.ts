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

import type { CardFields, DuplicatesResult } from '../generated/operations.js';

type Cluster = DuplicatesResult['duplicates'][number];

export interface Pair {
  readonly id: string;
  readonly into: CardFields;
  readonly from: CardFields;
  readonly exact: boolean;
}

/** The first card of a cluster is the one to merge the others into. */
export function pairsOf({ cards, exact }: Cluster): readonly Pair[] {
  const [into, ...others] = cards;
  return into === undefined ? [] : others.map((from) => ({ id: `${from.id} ${into.id}`, into, from, exact }));
}

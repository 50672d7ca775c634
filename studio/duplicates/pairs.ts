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

/** The oldest are forgotten: about 240 kB a person, of the 5 MB that a browser gives to a site. */
const MAX_KEPT = 3_000;

/** With the revisions, so that a pair of which a card was changed is shown again. */
export function keyOf({ into, from }: Pick<Pair, 'into' | 'from'>): string {
  return [into, from]
    .map(({ id, revision }) => `${id}@${revision}`)
    .sort()
    .join(' ');
}

export function withKept(kept: readonly string[], key: string): readonly string[] {
  return [...new Set([...kept, key])].slice(-MAX_KEPT);
}

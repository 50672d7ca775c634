import { questionOf } from '../../domain/card.js';
import type { ComparedCard, DuplicateCluster } from '../../domain/duplicates.js';
import { hashOf } from '../../domain/passages.js';
import { DUPLICATE_THRESHOLD, nearnessOf, type QuestionKeys, questionKeys } from '../../text/duplicate-questions.js';

/** A cluster by the ids of its cards, in their order. */
export interface ClusterOfIds extends Omit<DuplicateCluster, 'cards'> {
  readonly ids: readonly string[];
  /** Of their questions when they were compared. */
  readonly hashes: readonly string[];
}

/** Where a cluster is in the list: its size, its nearness, and the id of its first card. */
export type ClusterPlace = readonly [cards: number, nearness: number, id: string];

export function placeOf({ ids, nearness }: ClusterOfIds): ClusterPlace {
  return [ids.length, nearness, String(ids[0])];
}

/** The largest cluster comes first, then the one with the nearest cards, then by id. */
export function comparePlaces(a: ClusterPlace, b: ClusterPlace): number {
  return b[0] - a[0] || b[1] - a[1] || (a[2] < b[2] ? -1 : Number(a[2] > b[2]));
}

/**
 * Clusters of duplicates among candidate cards, in the order of their places: each card is near enough to the first of
 * its cluster. `groups` hold ids; a card may be in several, and in none with those that it is a duplicate of.
 */
export function clustersOf(
  groups: readonly (readonly string[])[],
  cards: ReadonlyMap<string, ComparedCard>,
): readonly ClusterOfIds[] {
  const keys = new Map<string, QuestionKeys>();
  const keysOf = (card: ComparedCard): QuestionKeys => {
    const known = keys.get(card.id) ?? questionKeys(card, card);
    keys.set(card.id, known);
    return known;
  };
  const groupsOf = new Map<string, (readonly string[])[]>();
  for (const group of groups) for (const id of group) groupsOf.set(id, [...(groupsOf.get(id) ?? []), group]);
  const clustered = new Set<string>();
  const clusters: ClusterOfIds[] = [];
  for (const first of [...groupsOf.keys()].flatMap((id) => cards.get(id) ?? []).sort(byMergeOrder)) {
    if (clustered.has(first.id)) continue;
    const own = keysOf(first);
    const ids = [first.id];
    let exact = true;
    let least = 1;
    const neighbours = new Set((groupsOf.get(first.id) ?? []).flat());
    for (const card of [...neighbours].flatMap((id) => cards.get(id) ?? []).sort(byMergeOrder)) {
      if (card === first || clustered.has(card.id) || card.ownerId !== first.ownerId) continue;
      const other = keysOf(card);
      const isSame = own.fingerprints.key === other.fingerprints.key;
      const nearness = isSame ? 1 : nearnessOf(own.canonical, other.canonical);
      if (nearness < DUPLICATE_THRESHOLD) continue;
      ids.push(card.id);
      exact &&= isSame;
      least = Math.min(least, nearness);
    }
    if (ids.length < 2) continue;
    for (const id of ids) clustered.add(id);
    clusters.push({
      ids,
      hashes: ids.map((id) => questionHash(cards.get(id) as ComparedCard)),
      exact,
      nearness: least,
    });
  }
  return clusters.sort((a, b) => comparePlaces(placeOf(a), placeOf(b)));
}

/** Changes when the card is no longer the one that was compared. */
export function questionHash(card: Parameters<typeof questionOf>[0]): string {
  return hashOf(questionOf(card));
}

/** Most occurrences first, then the oldest. */
function byMergeOrder(a: ComparedCard, b: ComparedCard): number {
  return b.occurrences - a.occurrences || a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}

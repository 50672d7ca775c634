/**
 * Finds clusters of duplicates out of the gateway's process: comparing 20,000 questions takes seconds. See {@link
 * ClusterCalls}.
 */
import type { ComparedCard } from '../../domain/duplicates.js';
import { serve } from '../../runtime/workers/serve.js';
import { type ClusterOfIds, type ClusterPlace, clustersOf, comparePlaces, placeOf } from './clusters.js';

const compared = new Map<string, ComparedCard>();
let clusters: readonly ClusterOfIds[] = [];

const calls = {
  add: (cards: readonly ComparedCard[]): void => {
    for (const card of cards) compared.set(card.id, card);
  },
  /** Finds the clusters among those cards of the groups that were added. */
  compare: (groups: readonly (readonly string[])[]): void => {
    clusters = clustersOf(groups, compared);
  },
  clusters: ({ first, after }: { readonly first: number; readonly after: ClusterPlace | null }) =>
    clusters.filter((cluster) => after === null || comparePlaces(after, placeOf(cluster)) < 0).slice(0, first),
};
export type ClusterCalls = typeof calls;
serve(calls);

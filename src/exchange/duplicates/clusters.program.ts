/**
 * Finds clusters of duplicates out of the gateway's process: comparing 20,000 questions takes seconds. See {@link
 * ClusterCalls}.
 */

import type { ComparedCard } from '../../domain/duplicates.js';
import { slicesOf } from '../../domain/grouped.js';
import { MESSAGE_CHARS } from '../../runtime/workers/protocol.js';
import { serve } from '../../runtime/workers/serve.js';
import { type ClusterOfIds, clustersOf } from './clusters.js';

function clusterCalls() {
  const compared = new Map<string, ComparedCard>();
  let clusters: readonly ClusterOfIds[] = [];
  return {
    add: (cards: readonly ComparedCard[]): void => {
      for (const card of cards) compared.set(card.id, card);
    },
    /** Finds the clusters among those cards of the groups that were added. */
    compare: (groups: readonly (readonly string[])[]): void => {
      clusters = clustersOf(groups, compared);
    },
    /** Some of these clusters from a place in their list on; none at its end. */
    clusters: (from: number): readonly ClusterOfIds[] =>
      slicesOf(clusters.slice(from), ({ ids, hashes }) => `${ids}${hashes}`.length, MESSAGE_CHARS).next().value ?? [],
  };
}
export type ClusterCalls = ReturnType<typeof clusterCalls>;
serve(clusterCalls);

/**
 * Finds clusters of duplicates out of the gateway's process: comparing 20,000 questions takes seconds. See {@link
 * ClusterCalls}.
 */
import type { ComparedCard } from '../../domain/duplicates.js';
import { serve } from '../../runtime/workers/serve.js';
import { type ClusterOfIds, clustersOf } from './clusters.js';

const compared = new Map<string, ComparedCard>();

const calls = {
  add: (cards: readonly ComparedCard[]): void => {
    for (const card of cards) compared.set(card.id, card);
  },
  /** The first clusters among those cards of the groups that were added. */
  clusters: ({ groups, first }: { groups: readonly (readonly string[])[]; first: number }): readonly ClusterOfIds[] =>
    clustersOf(groups, compared).slice(0, first),
};
export type ClusterCalls = typeof calls;
serve(calls);

/**
 * Finds clusters of duplicates out of the gateway's process: comparing 20,000 questions takes seconds. See {@link
 * ClusterCalls}.
 */
import type { ComparedCard } from '../../domain/duplicates.js';
import { serve } from '../../runtime/workers/serve.js';
import { clustersOf } from './clusters.js';

/** A cluster by the ids of its cards, in their order. */
export interface ClusterOfIds {
  readonly ids: readonly string[];
  readonly exact: boolean;
  readonly nearness: number;
}

const compared = new Map<string, ComparedCard>();

const calls = {
  add: (cards: readonly ComparedCard[]): void => {
    for (const card of cards) compared.set(card.id, card);
  },
  /** The first clusters among those cards of the groups that were added. */
  clusters: ({ groups, first }: { groups: readonly (readonly string[])[]; first: number }): readonly ClusterOfIds[] =>
    clustersOf(groups, compared)
      .slice(0, first)
      .map(({ cards, ...rest }) => ({ ids: cards.map(({ id }) => id), ...rest })),
};
export type ClusterCalls = typeof calls;
serve(calls);

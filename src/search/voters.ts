import type { MatchingCards } from '../domain/ports/cards.js';
import type { Degradation } from '../domain/search.js';
import type { Labelled } from './label.js';
import { isTextLane, type LaneWeights, lanesOf } from './lanes.js';
import { type PlanParts, planSearch, restricts } from './plan.js';
import type { Query } from './query.js';
import { type RetrieveParts, retrieve } from './retrieve.js';
import type { SearchScope } from './scope.js';
import type { ScoreMatrix } from './score.js';
import { weightedSums } from './weighted-mean.js';

export interface Voters {
  readonly cards: MatchingCards;
  readonly degraded: readonly Degradation[];
}

/**
 * The candidates of the same search without its filter. Their nearest vote for labels, so that a filter changes which cards are
 * answered and not what a card scores. None without a filter, when the candidates vote, or without label lanes.
 */
export async function votersOf(
  parts: PlanParts & RetrieveParts,
  search: SearchScope & { readonly query: Query },
  signal: AbortSignal,
): Promise<Voters> {
  const { viewer, generation, query } = search;
  const request = { ...search.request, filter: {} };
  const hasVotes = lanesOf(request).some(({ kind }) => kind === 'INFERRED');
  if (!restricts(search.request.filter) || !hasVotes) return { cards: new Map(), degraded: [] };
  const filter = query.card === null ? {} : { excludeCardIds: [query.card.id] };
  const unfiltered = { ...search, request, filter };
  const plan = await planSearch(parts, unfiltered, signal);
  if (plan.matching !== null) return { cards: plan.matching, degraded: [] };
  const { ids, degraded } = await retrieve(parts, { ...unfiltered, plan }, signal);
  return { cards: await parts.filters.admit(viewer, filter, generation.number, [...ids], signal), degraded };
}

/** The candidates alone, after the vote: the rows of other cards are left out. Pure. */
export function withoutVoters(labelled: Labelled, candidates: MatchingCards, weights: LaneWeights): Labelled {
  const { cardIds, lanes } = labelled.matrix;
  if (cardIds.length === candidates.size) return labelled;
  const rows = cardIds.flatMap((cardId, row) => (candidates.has(cardId) ? [row] : []));
  const matrix: ScoreMatrix = {
    cardIds: rows.map((row) => cardIds[row] as string),
    lanes: lanes.map((scores) => scores && Float64Array.from(rows, (row) => scores[row] as number)),
  };
  return { ...labelled, matrix, bestByTexts: bestByTexts(matrix, weights) };
}

function bestByTexts({ cardIds, lanes }: ScoreMatrix, weights: LaneWeights): number {
  const isSought = (lane: number): boolean => isTextLane(lane) && (weights[lane] as number) > 0;
  const { sums, totals } = weightedSums(lanes, weights, cardIds.length, isSought);
  return sums.reduce(
    (best, sum, row) => Math.max(best, (totals[row] as number) > 0 ? sum / (totals[row] as number) : 0),
    0,
  );
}

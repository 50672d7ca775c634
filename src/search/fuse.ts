import type { Fusion } from '../domain/search.js';
import { isTextLane, type LaneWeights } from './lanes.js';
import type { ScoreMatrix } from './score.js';
import { weightedSums } from './weighted-mean.js';

/** The candidates with one score each. */
export interface Fused {
  /** The rows that are hits, best first: by score, then by the best single lane, then by card id. */
  readonly order: readonly number[];
  /**
   * By row: of a hit 0 .. 1, of a row that is more like the negative query 0 or less; NaN without a text that is asked
   * for.
   */
  readonly scores: Float64Array;
  /** By row: the weighted score, whatever the fusion, without the negative query; thresholds apply to it. */
  readonly similarities: Float64Array;
  /** Contribution of a lane to a row's score; the contributions of a hit sum to its score. */
  contribution(lane: number, row: number): number;
}

/**
 * Fuses the lanes: the weighted mean of the values over the lanes that a card has, less the negative query. The weight
 * of a text that a card does not have goes to its other texts, so that it is not penalised for the gap, and the label
 * lanes gain nothing by it. A negative query counts as a share of all weights that were asked for, whether or not any
 * label could be inferred. A card without any text that was asked for is no hit, whatever its labels, nor is one that
 * is more like the negative query.
 *
 * The same input gives the same order. Pure.
 */
export function fuse(matrix: ScoreMatrix, weights: LaneWeights, fusion: Fusion): Fused {
  const isNegative = weights.some((weight) => weight < 0);
  const byValues = (values: ScoreMatrix['lanes']): Weighted => weighted(values, weights, matrix.cardIds.length);
  const byScores = byValues(matrix.lanes);
  const { scores, contribution } =
    fusion === 'WEIGHTED' ? byScores : byValues(matrix.lanes.map((lane) => lane && FUSIONS[fusion](lane)));
  const order: number[] = [];
  scores.forEach((score, row) => {
    if (isNegative ? score > 0 : score >= 0) order.push(row);
  });
  const { similarities } = byScores;
  return { order: sorted(order, matrix, scores, weights), scores, similarities, contribution };
}

type Weighted = Omit<Fused, 'order'>;

function weighted(values: ScoreMatrix['lanes'], weights: LaneWeights, rows: number): Weighted {
  const sought = weights.map((weight) => Math.max(0, weight));
  const plannedTexts = sought.reduce((sum, weight, lane) => sum + (isTextLane(lane) ? weight : 0), 0);
  const planned = sought.reduce((sum, weight) => sum + weight, 0);
  const isSought = (lane: number): boolean => (sought[lane] as number) > 0;
  const texts = weightedSums(values, weights, rows, (lane) => isSought(lane) && isTextLane(lane));
  const labels = weightedSums(values, weights, rows, (lane) => isSought(lane) && !isTextLane(lane));
  const negative = weightedSums(values, weights, rows, (lane) => (weights[lane] as number) < 0);
  // By row: the factors of weight x value in a lane of texts, and in a label lane.
  const labelFactor = labels.totals.map((total) => 1 / (plannedTexts + total));
  const textFactor = labelFactor.map((factor, row) => (plannedTexts * factor) / (texts.totals[row] as number));
  const similarities = textFactor.map((factor, row) => {
    if (texts.totals[row] === 0) return Number.NaN;
    const sum = factor * (texts.sums[row] as number) + (labelFactor[row] as number) * (labels.sums[row] as number);
    // Rounding must not lift a mean above 1.
    return Math.min(1, sum);
  });
  return {
    similarities,
    scores: similarities.map((score, row) => score + (negative.sums[row] as number) / planned),
    contribution: (lane, row) => {
      const weight = weights[lane] as number;
      const value = values[lane]?.[row] ?? Number.NaN;
      if (weight === 0 || Number.isNaN(value) || texts.totals[row] === 0) return 0;
      if (weight < 0) return (weight * value) / planned;
      return weight * value * ((isTextLane(lane) ? textFactor : labelFactor)[row] as number);
    },
  };
}

function sorted(rows: number[], { cardIds, lanes }: ScoreMatrix, scores: Float64Array, weights: LaneWeights): number[] {
  const bestLane = (row: number): number => {
    let best = 0;
    lanes.forEach((lane, place) => {
      const score = lane?.[row] ?? Number.NaN;
      if ((weights[place] as number) > 0 && score > best) best = score;
    });
    return best;
  };
  const id = (row: number): string => cardIds[row] as string;
  return rows.sort(
    (a, b) => (scores[b] as number) - (scores[a] as number) || bestLane(b) - bestLane(a) || (id(a) < id(b) ? -1 : 1),
  );
}

/**
 * The values of one lane on a scale that lanes share: `scores` are its exact scores (`Float64Array[cards]`, NaN if a
 * card has none); the values are as many, 0 .. 1, and NaN in the same places. Pure.
 */
type LaneValues = (scores: Float64Array) => Float64Array;

export const FUSIONS: Readonly<Record<Fusion, LaneValues>> = {
  WEIGHTED: (scores) => scores,
  RRF: reciprocalRanks,
  RELATIVE: relativeScores,
};

/** The constant of Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (2009). */
const RRF_K = 60;

/**
 * 61 / (60 + rank): 1 / (60 + rank), scaled so that a card that leads in every lane scores 1. Equal scores share the
 * better rank. A score of 0 has no rank, as if the lane had not returned the card.
 */
function reciprocalRanks(scores: Float64Array): Float64Array {
  const descending = scores
    .filter((score) => score > 0)
    .sort()
    .reverse();
  const rankOf = new Map<number, number>();
  descending.forEach((score, place) => {
    if (!rankOf.has(score)) rankOf.set(score, place + 1);
  });
  return scores.map((score) => {
    const rank = rankOf.get(score);
    if (rank !== undefined) return (RRF_K + 1) / (RRF_K + rank);
    return Number.isNaN(score) ? Number.NaN : 0;
  });
}

/** 0 for the lowest score of the lane, 1 for the highest; if all are equal, 1 unless they are 0. */
function relativeScores(scores: Float64Array): Float64Array {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    if (score < lowest) lowest = score;
    if (score > highest) highest = score;
  }
  const range = highest - lowest;
  return scores.map((score) => {
    if (range > 0) return (score - lowest) / range;
    return score > 0 ? 1 : score;
  });
}

import { LABEL_PERSPECTIVES, type LabelPerspective } from '../domain/search.js';
import { labelPosteriors, labelScore, NEAREST_CARDS, type Neighbour } from '../lexical/label-posterior.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import { topK } from '../lexical/top-k.js';
import { isTextLane, type LaneWeights, laneIndex } from './lanes.js';
import type { Query } from './query.js';
import type { ScoreMatrix } from './score.js';
import { weightedSums } from './weighted-mean.js';

/** How many of the inferred labels a receipt names. */
const NAMED = 5;

/**
 * The label score of a card without labels: the eighth power of its score by texts, so that one with the text of the query has 1, and
 * one that is half like it next to nothing. With 0, the very card that was searched for would score 0.6; leaving the lane out for
 * such cards gained nothing (docs/measurements.md).
 */
export function scoreWithoutLabels(byTexts: number): number {
  const squared = byTexts * byTexts;
  const fourth = squared * squared;
  return fourth * fourth;
}

/** By label: 0 .. 1. */
type LabelValues = ReadonlyMap<string, number>;

export interface Labelled {
  /** With the label lanes. */
  readonly matrix: ScoreMatrix;
  /** The labels with the greatest posteriors, best first: see the receipt. */
  readonly inferredConcepts: readonly string[];
  /** The best score of any candidate by its texts alone, 0 .. 1; 0 without any text that was asked for. */
  readonly bestByTexts: number;
}

/**
 * Scores the candidates in the label lanes that have a weight: by the greatest posterior of a card's labels given the query,
 * from the label model. Without any evidence the lane is NaN throughout. Pure.
 */
export function labelCandidates(
  matrix: ScoreMatrix,
  weights: LaneWeights,
  query: Pick<Query, 'labels'>,
  index: LexicalIndex,
): Labelled {
  const { cardIds } = matrix;
  const byTexts = scoresByTexts(matrix, weights);
  const nearest = topK(byTexts, NEAREST_CARDS, cardIds);
  const bestByTexts = nearest[0] === undefined ? 0 : (byTexts[nearest[0]] as number);
  const lanes = [...matrix.lanes];
  const inferred: (readonly [label: string, posterior: number])[] = [];
  for (const perspective of LABEL_PERSPECTIVES) {
    const lane = labelLane(perspective);
    if (weights[lane] === 0) continue;
    const voters = nearest.map((row) => ({
      labels: index.labelsOf(perspective, cardIds[row] as string),
      score: byTexts[row] as number,
    }));
    const values = labelValuesOf(perspective, { index, query }, voters);
    if (query.labels[perspective].kind === 'inferred') inferred.push(...values);
    lanes[lane] = Float64Array.from(cardIds, (cardId, row) => {
      if (values.size === 0) return Number.NaN;
      const labels = index.labelsOf(perspective, cardId);
      if (labels.length > 0) return labelScore(labels, values);
      const score = byTexts[row] as number;
      return Number.isNaN(score) ? 0 : scoreWithoutLabels(score);
    });
  }
  const best = inferred.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, NAMED);
  return { matrix: { cardIds, lanes }, inferredConcepts: best.map(([label]) => label), bestByTexts };
}

/**
 * The values of a query's labels: 1 for known ones, else the square root of the posterior given the `nearest` cards. The posterior
 * itself leaves the cards of the second and third label far behind, as if the first were certain.
 */
export function labelValuesOf(
  perspective: LabelPerspective,
  { index, query }: { readonly index: LexicalIndex; readonly query: Pick<Query, 'labels'> },
  nearest: readonly Neighbour[],
): LabelValues {
  const asked = query.labels[perspective];
  if (asked.kind === 'known') return new Map(asked.labels.map((label) => [label, 1]));
  const cardsOf = (label: string): number => index.cardsOf(perspective, label);
  const posteriors = labelPosteriors({ likely: asked.labels, nearest, cardsOf }, asked.rule);
  return new Map([...posteriors].map(([label, posterior]) => [label, Math.sqrt(posterior)]));
}

function labelLane(perspective: LabelPerspective): number {
  return laneIndex({ kind: 'INFERRED', perspective });
}

/** By row; NaN for a card without a text that was asked for. */
function scoresByTexts({ cardIds, lanes }: ScoreMatrix, weights: LaneWeights): Float64Array {
  const isSought = (lane: number): boolean => isTextLane(lane) && (weights[lane] as number) > 0;
  const { sums, totals } = weightedSums(lanes, weights, cardIds.length, isSought);
  return sums.map((sum, row) => sum / (totals[row] as number));
}

import { LABEL_PERSPECTIVES, LANES, type LabelPerspective } from '../domain/search.js';
import { inferredScore, KNN_VOTES, labelPosteriors } from '../lexical/label-lane.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import { type LaneWeights, laneIndex } from './lanes.js';
import type { Query, QueryLabels } from './query.js';
import type { ScoreMatrix } from './score-matrix.js';

/** How many of the inferred labels a receipt names. */
const NAMED = 5;

/**
 * A card without labels is trusted to be about the same as far as its texts are the same, by the eighth power: one that says just
 * what the query says scores 1, one that is half like it next to nothing. With 0 for such cards the very card that was searched
 * for would have a score of 0.6; leaving the lane out for them did not pay (docs/measurements.md).
 */
export function scoreWithoutLabels(ofTexts: number): number {
  const squared = ofTexts * ofTexts;
  const fourth = squared * squared;
  return fourth * fourth;
}

/** How far a query is believed to be about each label, 0 .. 1. */
type Beliefs = ReadonlyMap<string, number>;

/** The candidates with the inferred lanes scored too, and what was inferred. */
export interface Inferred {
  readonly table: ScoreMatrix;
  /** The most believed labels, best first: see the receipt. */
  readonly inferredConcepts: readonly string[];
  /** The best score of any candidate by its texts alone, 0 .. 1; 0 where none has a text that was asked for. */
  readonly bestByTexts: number;
}

/**
 * Scores the candidates in the inferred lanes that have a weight: how far the query is believed to be about the card's
 * labels, by the profiles and by the votes of the nearest of the candidates. Where nothing speaks for any label, the lane is
 * NaN throughout. Pure.
 */
export function infer(
  table: ScoreMatrix,
  weights: LaneWeights,
  query: Pick<Query, 'labels'>,
  index: LexicalIndex,
): Inferred {
  const asked = LABEL_PERSPECTIVES.filter((perspective) => weights[inferredLane(perspective)] !== 0);
  const byTexts = scoresByTexts(table, weights);
  const nearest = nearestOf(table, byTexts);
  const bestByTexts = nearest[0] === undefined ? 0 : (byTexts[nearest[0]] as number);
  if (asked.length === 0) return { table, inferredConcepts: [], bestByTexts };
  const lanes = [...table.lanes];
  const named: [QueryLabels, Beliefs][] = [];
  for (const perspective of asked) {
    const near = nearest.map((row) => ({
      labels: index.labelsOf(perspective, table.cardIds[row] as string),
      score: byTexts[row] as number,
    }));
    const found = labelPosterior(query.labels[perspective], near);
    named.push([query.labels[perspective], found]);
    lanes[inferredLane(perspective)] = Float64Array.from(table.cardIds, (cardId, row) => {
      if (found.size === 0) return Number.NaN;
      const labels = index.labelsOf(perspective, cardId);
      if (labels.length > 0) return inferredScore(labels, found);
      const ofTexts = byTexts[row] as number;
      return Number.isNaN(ofTexts) ? 0 : scoreWithoutLabels(ofTexts);
    });
  }
  return { table: { cardIds: table.cardIds, lanes }, inferredConcepts: namesOf(named), bestByTexts };
}

/** What is believed of the labels before any card is scored: the known ones fully, the others as the profiles say. */
export function labelPosterior(labels: QueryLabels, nearest: Parameters<typeof labelPosteriors>[1]): Beliefs {
  if (labels.kind === 'known') return new Map(labels.labels.map((label) => [label, 1]));
  return labelPosteriors(labels.labels, nearest, labels.rule);
}

function inferredLane(perspective: LabelPerspective): number {
  return laneIndex({ kind: 'INFERRED', perspective });
}

/** Each card's score by the lanes that know no inferred label; NaN for a card without a text that was asked for. */
function scoresByTexts({ cardIds, lanes }: ScoreMatrix, weights: LaneWeights): Float64Array {
  const sums = new Float64Array(cardIds.length);
  const totals = new Float64Array(cardIds.length);
  LANES.forEach(({ kind }, place) => {
    const weight = weights[place] as number;
    const scores = lanes[place] ?? null;
    if (kind === 'INFERRED' || weight <= 0 || scores === null) return;
    for (let row = 0; row < scores.length; row += 1) {
      const score = scores[row] as number;
      if (Number.isNaN(score)) continue;
      sums[row] = (sums[row] as number) + weight * score;
      totals[row] = (totals[row] as number) + weight;
    }
  });
  return sums.map((sum, row) => sum / (totals[row] as number));
}

/** The rows of the cards that may vote, best first, equal ones by id. */
function nearestOf({ cardIds }: ScoreMatrix, scores: Float64Array): readonly number[] {
  const rows = cardIds.map((_, row) => row).filter((row) => !Number.isNaN(scores[row] as number));
  const byScore = (a: number, b: number): number =>
    (scores[b] as number) - (scores[a] as number) || ((cardIds[a] as string) < (cardIds[b] as string) ? -1 : 1);
  return rows.sort(byScore).slice(0, KNN_VOTES);
}

function namesOf(all: readonly (readonly [QueryLabels, Beliefs])[]): readonly string[] {
  return all
    .flatMap(([{ kind }, believed]) => (kind === 'inferred' ? [...believed] : []))
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, NAMED)
    .map(([label]) => label);
}

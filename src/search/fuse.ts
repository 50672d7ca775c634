import { type Fusion, LANES } from '../domain/search.js';
import { FUSIONS } from './fusions.js';
import type { LaneWeights } from './lanes.js';
import type { ScoreMatrix } from './score-matrix.js';

/** The candidates with one score each. */
export interface Fused {
  /** The rows of the table that are hits, best first: by score, then by the best single lane, then by card id. */
  readonly order: readonly number[];
  /** By row, the fused score: of a hit 0 .. 1, of a row that is more like what is avoided 0 or less; NaN without a text asked for. */
  readonly scores: Float64Array;
  /** By row, what thresholds apply to: the weighted score, whatever the fusion, with nothing taken off for what is avoided. */
  readonly similarities: Float64Array;
  /** What every lane said of every row, as the fusion reads it; null where it was not scored. */
  readonly values: readonly (Float64Array | null)[];
}

const INFERRED = LANES.map(({ kind }) => kind === 'INFERRED');

/**
 * Fuses the lanes: the sum of weight x value over the lanes that a card has, divided by the sum of those weights, less what is
 * avoided. The weight of a text that a card does not have goes to its other texts, so that it is not punished for the gap,
 * and the inferred lanes gain nothing by it. What is avoided counts as a share of all that was asked for, whether or not anything
 * could be inferred. A card without any text that was asked for is no hit, whatever its labels, nor is one that is more like
 * what is avoided than like what is sought.
 *
 * The same query gives the same list. Pure.
 */
export function fuse(table: ScoreMatrix, weights: LaneWeights, fusion: Fusion): Fused {
  const values = table.lanes.map((scores) => (scores === null ? null : FUSIONS[fusion](scores)));
  const similarities = scoresOf(
    table,
    table.lanes,
    weights.map((weight) => Math.max(0, weight)),
  );
  const avoiding = weights.some((weight) => weight < 0);
  const scores = fusion === 'WEIGHTED' && !avoiding ? similarities : scoresOf(table, values, weights);
  const order: number[] = [];
  scores.forEach((score, row) => {
    if (avoiding ? score > 0 : score >= 0) order.push(row);
  });
  return { order: inOrder(order, table, scores, weights), scores, similarities, values };
}

/**
 * What each lane adds to the score of one row (`Float64Array[LANES.length]`), which sum to it; null where the row is no hit
 * because it has no text that was asked for.
 */
export function contributions(
  values: readonly (Float64Array | null)[],
  weights: LaneWeights,
  row: number,
): Float64Array | null {
  let ofTexts = 0;
  let planned = 0;
  let asked = 0;
  let whole = 0;
  for (let lane = 0; lane < weights.length; lane += 1) {
    const weight = weights[lane] as number;
    if (weight <= 0) continue;
    asked += weight;
    const present = !Number.isNaN(values[lane]?.[row] ?? Number.NaN);
    if (INFERRED[lane]) whole += present ? weight : 0;
    else {
      planned += weight;
      if (present) ofTexts += weight;
    }
  }
  if (ofTexts === 0) return null;
  whole += planned;
  const added = new Float64Array(weights.length);
  for (let lane = 0; lane < weights.length; lane += 1) {
    const weight = weights[lane] as number;
    const value = values[lane]?.[row] ?? Number.NaN;
    if (weight === 0 || Number.isNaN(value)) continue;
    if (weight < 0) added[lane] = (weight / asked) * value;
    else if (INFERRED[lane]) added[lane] = (weight / whole) * value;
    else added[lane] = (((weight / ofTexts) * planned) / whole) * value;
  }
  return added;
}

function scoresOf(
  { cardIds }: ScoreMatrix,
  values: readonly (Float64Array | null)[],
  weights: LaneWeights,
): Float64Array {
  return Float64Array.from(cardIds, (_, row) => {
    const added = contributions(values, weights, row);
    // Rounding must not lift a sum of shares above 1.
    return added === null
      ? Number.NaN
      : Math.min(
          1,
          added.reduce((sum, value) => sum + value, 0),
        );
  });
}

function inOrder(
  rows: number[],
  { cardIds, lanes }: ScoreMatrix,
  scores: Float64Array,
  weights: LaneWeights,
): number[] {
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

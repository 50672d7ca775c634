import { LANES } from '../domain/search.js';
import type { LaneWeights } from './lanes.js';
import type { ScoreMatrix } from './score-matrix.js';

/**
 * The rows that are among the `perLane` best of a lane that was asked for, in the order given: each lane is heard, and none
 * fills the list by itself. Equal scores share a place, and a score of 0 has none. Pure.
 */
export function applyLaneQuota(
  rows: readonly number[],
  { lanes }: ScoreMatrix,
  weights: LaneWeights,
  perLane: number,
): readonly number[] {
  const least = LANES.map((_, lane): number => {
    const scores = lanes[lane] ?? null;
    if (scores === null || (weights[lane] as number) <= 0) return Number.POSITIVE_INFINITY;
    const best = Float64Array.from(rows, (row) => scores[row] as number).filter((score) => score > 0);
    best.sort().reverse();
    return best[perLane - 1] ?? Number.MIN_VALUE;
  });
  return rows.filter((row) => lanes.some((scores, lane) => (scores?.[row] ?? Number.NaN) >= (least[lane] as number)));
}

import type { LaneWeights } from './lanes.js';

/** The weighted mean of the values that are not null; null without any. */
export function weightedMean(values: readonly (readonly [weight: number, value: number | null])[]): number | null {
  let sum = 0;
  let total = 0;
  for (const [weight, value] of values) {
    if (value === null) continue;
    sum += weight * value;
    total += weight;
  }
  return total === 0 ? null : sum / total;
}

/**
 * By row: numerator and denominator of a weighted mean over the lanes that are included, by place in LANES, and that
 * the row has a value in; NaN is no value.
 */
export function weightedSums(
  lanes: readonly (Float64Array | null)[],
  weights: LaneWeights,
  rows: number,
  isIncluded: (lane: number) => boolean,
): { readonly sums: Float64Array; readonly totals: Float64Array } {
  const sums = new Float64Array(rows);
  const totals = new Float64Array(rows);
  lanes.forEach((values, lane) => {
    if (values === null || !isIncluded(lane)) return;
    const weight = weights[lane] as number;
    for (let row = 0; row < rows; row++) {
      const value = values[row] as number;
      if (Number.isNaN(value)) continue;
      sums[row] = (sums[row] as number) + weight * value;
      totals[row] = (totals[row] as number) + weight;
    }
  });
  return { sums, totals };
}

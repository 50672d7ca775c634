/**
 * The value below which, or at which, a share (above 0, up to 1) of the values lies, by nearest rank; NaN if there
 * is none.
 */
export function percentile(values: readonly number[], share: number): number {
  // A sort with a comparator takes five times as long: `searchMetrics` sorts 55,000 durations.
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

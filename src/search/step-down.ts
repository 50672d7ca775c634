/** Which rows are like the query enough. */
export interface StepDownResult {
  /** In the order given. */
  readonly rows: readonly number[];
  /** The steps that were tried, descending. */
  readonly tried: readonly number[];
}

/** What decides when to stop. */
export interface StepDown {
  /** Similarities 0 .. 1, descending; none: every row is enough. */
  readonly steps: readonly number[];
  /** A step that this many rows reach is the last one tried. */
  readonly minResults: number;
}

/**
 * Lowers what is asked of a similarity, step by step, until enough rows reach it; what reaches none of the steps is no
 * answer, however few there are. `similarities` by row. Pure.
 */
export function stepDown(
  rows: readonly number[],
  similarities: Float64Array,
  { steps, minResults }: StepDown,
): StepDownResult {
  if (steps.length === 0) return { rows, tried: [] };
  const tried: number[] = [];
  let admitted: readonly number[] = [];
  for (const step of steps) {
    tried.push(step);
    admitted = rows.filter((row) => (similarities[row] as number) >= step);
    if (admitted.length >= minResults) break;
  }
  return { rows: admitted, tried };
}

/** The highest of the steps that a similarity reaches: the one that admitted it; null where there is none. */
export function stepOf(similarity: number, steps: readonly number[]): number | null {
  return steps.find((step) => similarity >= step) ?? null;
}

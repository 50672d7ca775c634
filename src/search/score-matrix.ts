/**
 * The candidates' exact scores, a lane in one array: what a search computes most of is read in the order in which it lies in
 * memory. A row is a candidate.
 */
export interface ScoreMatrix {
  readonly cardIds: readonly string[];
  /**
   * In the order of LANES, each `Float64Array[cards]`: 0 .. 1, NaN where the card or the query has no text there; null for a
   * lane that was not scored.
   */
  readonly lanes: readonly (Float64Array | null)[];
}

import type { MetricValues } from './metrics.js';
import type { CaseSlices } from './slices.js';

/**
 * search: the search of clients; lane: one of its lanes alone; baseline: plain BM25. A search that is worse than one of
 * its lanes needs attention.
 */
export type RankingKind = 'search' | 'lane' | 'baseline';

export interface RankingName {
  /** `search`, `dense question`, `plain BM25`, ... */
  readonly name: string;
  readonly kind: RankingKind;
}

/** Result of one ranking for one case. */
export interface MeasuredList {
  /** The first hits, best first, as many as a report shows. */
  readonly top: readonly string[];
  readonly values: MetricValues;
  /** Null if the list was derived from another search. */
  readonly tookMs: number | null;
}

/** One case with the result of every ranking. */
export interface MeasuredCase {
  readonly id: string;
  /** The query, or the question of the query card. */
  readonly text: string;
  readonly slices: CaseSlices;
  /** Grades above 0, by card id. */
  readonly grades: ReadonlyMap<string, number>;
  /** In the order of the rankings. */
  readonly lists: readonly MeasuredList[];
}

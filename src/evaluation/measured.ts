import type { MetricValues } from './metrics.js';
import type { CaseSlices } from './slices.js';

/**
 * What makes a ranking: the whole search as clients get it, one lane of it alone, or words counted the plain way. A search
 * that loses to one of its own lanes should be seen to.
 */
export type RankingKind = 'search' | 'lane' | 'baseline';

/** One way to answer the cases. */
export interface RankingName {
  /** `search`, `dense question`, `plain BM25`, ... */
  readonly name: string;
  readonly kind: RankingKind;
}

/** What one ranking made of one case. */
export interface MeasuredList {
  /** The first of the hits, best first, as many as a reader looks at. */
  readonly top: readonly string[];
  readonly values: MetricValues;
  /** Null where the list was not asked for by itself. */
  readonly tookMs: number | null;
}

/** One case with what every ranking made of it. */
export interface MeasuredCase {
  readonly id: string;
  /** The query, or the question of the card that is searched from. */
  readonly text: string;
  readonly slices: CaseSlices;
  /** By card id, those above 0. */
  readonly grades: ReadonlyMap<string, number>;
  /** In the order of the rankings. */
  readonly lists: readonly MeasuredList[];
}

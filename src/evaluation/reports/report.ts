import type { ProfileSettings } from '../../domain/search.js';
import type { FilteredCase, RankingName } from '../measure-case.js';
import type { MainMetric, Metric } from '../metrics.js';
import type { Slice } from '../slices.js';
import type { Estimate, PairedDifference, Resampling } from '../statistics.js';

export interface SliceReport {
  readonly slice: Slice;
  readonly group: string;
  readonly cases: number;
  readonly metrics: Readonly<Record<MainMetric, Estimate>>;
}

export interface RankingReport extends RankingName {
  readonly metrics: Readonly<Record<Metric, Estimate>>;
  /** Milliseconds from the parsed search to its result; null for rankings derived from another search. */
  readonly latencyMs: { readonly p50: number; readonly p95: number } | null;
  readonly slices: readonly SliceReport[];
}

/** The search against one other ranking, by nDCG@10 and MRR. */
export interface Contest {
  readonly ranking: string;
  readonly rival: string;
  /** Ranking minus rival. */
  readonly differences: Readonly<Record<MainMetric, PairedDifference>>;
}

/** One case of a report: values of the main metrics, in the order of the rankings. */
export interface CaseReport {
  readonly id: string;
  readonly text: string;
  readonly values: readonly Readonly<Record<MainMetric, number>>[];
}

export interface ShownCard {
  readonly cardId: string;
  readonly grade: number;
  readonly text: string;
}

/** A case whose list differs between two profiles, with the first hits of both. */
export interface ChangedCase extends Pick<CaseReport, 'id' | 'text'> {
  /** nDCG@10 */
  readonly before: number;
  readonly after: number;
  readonly hitsBefore: readonly ShownCard[];
  readonly hitsAfter: readonly ShownCard[];
}

export interface ProfileComparison {
  readonly before: string;
  readonly after: string;
  readonly differences: Readonly<Record<Metric, PairedDifference>>;
  /** nDCG@10 of each case, after minus before, ascending. */
  readonly changes: readonly number[];
  /** The largest losses and gains, by size of the change. */
  readonly changed: readonly ChangedCase[];
}

/** How a profile was tuned; it is measured on the test split. */
export interface TuningReport {
  readonly profile: string;
  readonly settings: ProfileSettings;
  /** Measured cases of the training split; the report is of the test split. */
  readonly trainingCases: number;
  /** Skipped cases of the training split, for the same reasons as those of a report. */
  readonly skippedCases: number;
  readonly tried: number;
  /** Cross-validated gain over the initial settings, in the mean of nDCG@10 and MRR. */
  readonly crossValidated: PairedDifference;
  /** True if the gain on the test split is significant; only then is the profile saved. */
  readonly accepted: boolean;
}

/** Result of an evaluation: all data of the table, the JSON and the page. */
export interface EvaluationReport {
  /** Incremented when a field changes its meaning. */
  readonly format: 1;
  readonly set: string;
  readonly profile: string;
  readonly cases: number;
  /**
   * Skipped cases: no relevant card, or not the query's card, is in the notebook, the filter leaves out every relevant
   * card, or the query has nothing to search for.
   */
  readonly skippedCases: number;
  /** The skipped cases whose filter leaves out every relevant card. Missing in reports of earlier versions. */
  readonly filteredCases?: readonly FilteredCase[];
  /** Judged cards that are not in the notebook; they are ignored. */
  readonly missingCards: number;
  /** Cases with a degraded search: their values underestimate search. */
  readonly degradedCases: number;
  readonly cards: number;
  readonly embeddingModel: string;
  readonly k: number;
  readonly resampling: Resampling;
  /** The search first, then its lanes, then the baseline. */
  readonly rankings: readonly RankingReport[];
  /** Lanes without any hit; they are not among the rankings. */
  readonly silentLanes: readonly string[];
  /** The search against plain BM25, and against the best of its lanes. */
  readonly contests: readonly Contest[];
  readonly comparison: ProfileComparison | null;
  readonly tuning: TuningReport | null;
  readonly caseReports: readonly CaseReport[];
  readonly finishedAt: string;
  readonly tookMs: number;
}

export type ReportHead = Omit<EvaluationReport, 'caseReports' | 'comparison'> & {
  readonly comparison: Omit<ProfileComparison, 'changes'> | null;
};

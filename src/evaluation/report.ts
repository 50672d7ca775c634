import type { ProfileSettings } from '../domain/profile.js';
import type { RankingName } from './measured.js';
import type { Metric } from './metrics.js';
import type { Slice } from './slices.js';
import type { Estimate, PairedDifference, Resampling } from './statistics.js';

/** The measures that are broken down by slices: the two that search is judged by. */
export const MAIN_METRICS = ['ndcgAt10', 'mrr'] as const satisfies readonly Metric[];
/** One of {@link MAIN_METRICS}. */
export type MainMetric = (typeof MAIN_METRICS)[number];

/** One group of cases. */
export interface SliceReport {
  readonly slice: Slice;
  readonly group: string;
  readonly cases: number;
  readonly metrics: Readonly<Record<MainMetric, Estimate>>;
}

/** How one ranking did. */
export interface RankingReport extends RankingName {
  readonly metrics: Readonly<Record<Metric, Estimate>>;
  /** Milliseconds, from the parsed search to its answer; null where the lists were not asked for by themselves. */
  readonly latencyMs: { readonly p50: number; readonly p95: number } | null;
  readonly slices: readonly SliceReport[];
}

/** The search beside one other ranking, by nDCG@10 and MRR. */
export interface Contest {
  readonly ranking: string;
  readonly rival: string;
  /** The ranking less its rival. */
  readonly differences: Readonly<Record<MainMetric, PairedDifference>>;
}

/** What one case is in a report: values of the main measures, in the order of the rankings. */
export interface CaseReport {
  readonly id: string;
  readonly text: string;
  readonly values: readonly Readonly<Record<MainMetric, number>>[];
}

/** A card as people see it in a report. */
export interface ShownCard {
  readonly cardId: string;
  readonly grade: number;
  readonly text: string;
}

/** A case whose list another profile changed, with the first hits of both. */
export interface ChangedCase {
  readonly id: string;
  readonly text: string;
  /** nDCG@10 */
  readonly before: number;
  readonly after: number;
  readonly hitsBefore: readonly ShownCard[];
  readonly hitsAfter: readonly ShownCard[];
}

/** One profile against another. */
export interface ProfileComparison {
  readonly before: string;
  readonly after: string;
  readonly differences: Readonly<Record<Metric, PairedDifference>>;
  /** nDCG@10 of each case after less before, ascending. */
  readonly changes: readonly number[];
  /** Those that changed most, the losses and the gains, the greatest change first. */
  readonly changed: readonly ChangedCase[];
}

/** How a profile came to be that was measured on what it was not tuned on. */
export interface TuningReport {
  /** The name that it was to be saved under. */
  readonly profile: string;
  readonly settings: ProfileSettings;
  /** Cases that the settings were chosen by; the report is of the others. */
  readonly trainingCases: number;
  /** Cases of that half without any relevant card in the notebook, or without the card that they search from: they were left out. */
  readonly skippedCases: number;
  /** How many settings were tried. */
  readonly tried: number;
  /** The mean of nDCG@10 and MRR in training cases that a choice had not seen, less what the start is worth there. */
  readonly crossValidated: PairedDifference;
  /** Whether the held-out cases support a gain; only then was the profile saved. */
  readonly accepted: boolean;
}

/** What an evaluation found; everything that the table, the JSON and the page show. */
export interface EvaluationReport {
  /** Grows when a field changes its meaning. */
  readonly format: 1;
  readonly set: string;
  readonly profile: string;
  readonly cases: number;
  /** Cases without any relevant card in the notebook, or without the card that they search from: they were left out. */
  readonly skippedCases: number;
  /** Judged cards that are not in the notebook: they count for nothing. */
  readonly missingCards: number;
  /** Cases in which a part of the search did not do what it should: their values are not what search is worth. */
  readonly degradedCases: number;
  readonly cards: number;
  readonly embeddingModel: string;
  readonly k: number;
  readonly resampling: Resampling;
  /** The search first, then its lanes, then the baseline. */
  readonly rankings: readonly RankingReport[];
  /** Lanes that never had a hit, and are not among the rankings. */
  readonly silentLanes: readonly string[];
  /** The search against plain BM25, and against the best of its lanes. */
  readonly contests: readonly Contest[];
  readonly comparison: ProfileComparison | null;
  /** Null where nothing was tuned. */
  readonly tuning: TuningReport | null;
  readonly caseReports: readonly CaseReport[];
  readonly finishedAt: string;
  readonly tookMs: number;
}

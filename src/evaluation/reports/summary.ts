import type { MeasuredCase, RankingName } from '../measured.js';
import { RESAMPLING } from '../statistics.js';
import { type ComparedProfiles, compareProfiles } from './profile-comparison.js';
import type { Contest, ProfileComparison, RankingReport } from './report.js';
import { contestsOf, rankingReports } from './summarise.js';

export interface SummaryOrder {
  /** In the order of the lists of each case. */
  readonly names: readonly RankingName[];
  /** Names of the two profiles whose lists come first; null: only one profile. */
  readonly compared: Pick<ProfileComparison, 'before' | 'after'> | null;
}

export interface Summary {
  readonly rankings: readonly RankingReport[];
  readonly contests: readonly Contest[];
  readonly comparison: ComparedProfiles | null;
}

/** All means, intervals and tests of a report: seconds for a thousand cases. Pure. */
export function summaryOf(cases: readonly MeasuredCase[], { names, compared }: SummaryOrder): Summary {
  const rankings = rankingReports(cases, names, RESAMPLING);
  return {
    rankings,
    contests: contestsOf(cases, rankings, RESAMPLING),
    comparison: compared === null ? null : compareProfiles(cases, compared, RESAMPLING),
  };
}

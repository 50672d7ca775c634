import { groupedBy } from '../../domain/grouped.js';
import { percentile } from '../../domain/percentile.js';
import type { MeasuredCase, RankingKind, RankingName } from '../measure-case.js';
import { byMain, byMetric } from '../metrics.js';
import { SLICES, type Slice } from '../slices.js';
import { estimate } from '../statistics.js';
import { type ComparedProfiles, compareProfiles, difference, valuesOf } from './profile-comparison.js';
import type { Contest, ProfileComparison, RankingReport, SliceReport } from './report.js';

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
  const rankings = rankingReports(cases, names);
  return {
    rankings,
    contests: contestsOf(cases, rankings),
    comparison: compared === null ? null : compareProfiles(cases, compared),
  };
}

/** Means and intervals of the rankings; takes a second for some hundred cases. */
export function rankingReports(
  cases: readonly MeasuredCase[],
  names: readonly RankingName[],
): readonly RankingReport[] {
  return names.map(({ name, kind }, place) => {
    const slices = SLICES.flatMap((slice) =>
      groups(cases, slice).map(([group, inside]): SliceReport => {
        const metrics = byMain((metric) => estimate(valuesOf(inside, place, metric)));
        return { slice, group, cases: inside.length, metrics };
      }),
    );
    const metrics = byMetric((metric) => estimate(valuesOf(cases, place, metric)));
    return { name, kind, metrics, latencyMs: latencyOf(cases, place), slices };
  });
}

/** The first ranking against plain BM25, and against the best of its lanes by nDCG@10. */
export function contestsOf(cases: readonly MeasuredCase[], reports: readonly RankingReport[]): readonly Contest[] {
  const [search] = reports;
  if (search === undefined) return [];
  const best = (kind: RankingKind): RankingReport | undefined =>
    reports
      .filter((report) => report.kind === kind)
      .sort((a, b) => b.metrics.ndcgAt10.value - a.metrics.ndcgAt10.value)[0];
  return [best('baseline'), best('lane')].flatMap((rival) => {
    if (rival === undefined) return [];
    const places = [rival, search].map((report) => reports.indexOf(report)) as [number, number];
    const differences = byMain((metric) => difference(cases, places, metric));
    return [{ ranking: search.name, rival: rival.name, differences }];
  });
}

function groups(cases: readonly MeasuredCase[], slice: Slice): readonly (readonly [string, readonly MeasuredCase[]])[] {
  const found = groupedBy(cases, ({ slices }) => slices[slice]);
  return [...found].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
}

function latencyOf(cases: readonly MeasuredCase[], place: number): RankingReport['latencyMs'] {
  const times = cases.flatMap(({ lists }) => lists[place]?.tookMs ?? []);
  return times.length === 0 ? null : { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

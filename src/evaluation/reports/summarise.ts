import { groupedBy } from '../../domain/grouped.js';
import { percentile } from '../../domain/percentile.js';
import type { MeasuredCase, RankingKind, RankingName } from '../measured.js';
import { METRICS, type Metric, type MetricValues } from '../metrics.js';
import { SLICES, type Slice } from '../slices.js';
import { compare, estimate, type PairedDifference, type Resampling } from '../statistics.js';
import type { Contest, MainMetric, RankingReport, SliceReport } from './report.js';

/** Means and intervals of the rankings; takes a second for some hundred cases. */
export function rankingReports(
  cases: readonly MeasuredCase[],
  names: readonly RankingName[],
  resampling: Resampling,
): readonly RankingReport[] {
  return names.map(({ name, kind }, place) => {
    const valuesOf = (metric: Metric, of = cases): readonly number[] =>
      of.map(({ lists }) => (lists[place] as { values: MetricValues }).values[metric]);
    const slices = SLICES.flatMap((slice) =>
      groups(cases, slice).map(([group, inside]): SliceReport => {
        const metrics = byMain((metric) => estimate(valuesOf(metric, inside), resampling));
        return { slice, group, cases: inside.length, metrics };
      }),
    );
    const metrics = byMetric((metric) => estimate(valuesOf(metric), resampling));
    return { name, kind, metrics, latencyMs: latencyOf(cases, place), slices };
  });
}

/** The first ranking against plain BM25, and against the best of its lanes by nDCG@10. */
export function contestsOf(
  cases: readonly MeasuredCase[],
  reports: readonly RankingReport[],
  resampling: Resampling,
): readonly Contest[] {
  const [search] = reports;
  if (search === undefined) return [];
  const best = (kind: RankingKind): RankingReport | undefined =>
    reports
      .filter((report) => report.kind === kind)
      .sort((a, b) => b.metrics.ndcgAt10.value - a.metrics.ndcgAt10.value)[0];
  return [best('baseline'), best('lane')].flatMap((rival) => {
    if (rival === undefined) return [];
    const places = [rival, search].map((report) => reports.indexOf(report)) as [number, number];
    const differences = byMain((metric) => difference(cases, places, metric, resampling));
    return [{ ranking: search.name, rival: rival.name, differences }];
  });
}

/** The paired difference of two rankings, by their indexes: second minus first. */
export function difference(
  cases: readonly MeasuredCase[],
  [before, after]: readonly [number, number],
  metric: Metric,
  resampling: Resampling,
): PairedDifference {
  const of = (place: number): number[] =>
    cases.map(({ lists }) => (lists[place] as { values: MetricValues }).values[metric]);
  return compare(of(before), of(after), resampling);
}

/** One value for each metric. */
export function byMetric<T>(make: (metric: Metric) => T): Readonly<Record<Metric, T>> {
  return Object.fromEntries(METRICS.map((metric) => [metric, make(metric)])) as Record<Metric, T>;
}

/** One value for each main metric. */
export function byMain<T>(make: (metric: MainMetric) => T): Readonly<Record<MainMetric, T>> {
  return { ndcgAt10: make('ndcgAt10'), mrr: make('mrr') };
}

function groups(cases: readonly MeasuredCase[], slice: Slice): readonly (readonly [string, readonly MeasuredCase[]])[] {
  const found = groupedBy(cases, ({ slices }) => slices[slice]);
  return [...found].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
}

function latencyOf(cases: readonly MeasuredCase[], place: number): RankingReport['latencyMs'] {
  const times = cases.flatMap(({ lists }) => lists[place]?.tookMs ?? []);
  return times.length === 0 ? null : { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

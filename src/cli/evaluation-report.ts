import { enumName } from '../domain/enum-name.js';
import type { EvaluationJob } from '../domain/ports/evaluation.js';
import type { RankingKind } from '../evaluation/measured.js';
import type { Metric } from '../evaluation/metrics.js';
import { changesOf } from '../evaluation/reports/profile-comparison.js';
import type { CaseReport, Contest, EvaluationReport, RankingReport, ReportHead } from '../evaluation/reports/report.js';
import { byMain, byMetric } from '../evaluation/reports/summarise.js';
import type { Slice } from '../evaluation/slices.js';
import type { Estimate, PairedDifference } from '../evaluation/statistics.js';
import type { GatewayClient } from './gateway-client.js';
import { entriesOf, type Page } from './pages.js';

/** A record of a report by metric, as the API has it. */
type Named<T> = readonly (T & { readonly name: string })[];
type Differences = Named<{ readonly difference: PairedDifference }>;

/** What the API has in another form than a report. */
type Converted = 'rankings' | 'contests' | 'comparison';

interface ReportAnswer {
  readonly evaluation: Pick<EvaluationJob, 'set' | 'profile' | 'k'> & {
    readonly finishedAt: string;
    readonly report: Omit<ReportHead, Converted | 'format' | 'set' | 'profile' | 'k' | 'finishedAt'> & {
      readonly rankings: readonly RankingAnswer[];
      readonly contests: readonly (Omit<Contest, 'differences'> & { readonly differences: Differences })[];
      readonly comparison:
        | (Omit<NonNullable<ReportHead['comparison']>, 'differences'> & { readonly differences: Differences })
        | null;
    };
  };
}

interface RankingAnswer {
  readonly name: string;
  readonly type: string;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly metrics: Named<Estimate>;
  readonly slices: readonly {
    readonly slice: string;
    readonly group: string;
    readonly cases: number;
    readonly metrics: Named<Estimate>;
  }[];
}

/** The report of an evaluation that is done. */
export async function readReport(client: GatewayClient, id: string, signal: AbortSignal): Promise<EvaluationReport> {
  const { evaluation } = await client.ask<ReportAnswer>('evaluationReport', { id });
  const { report, ...job } = evaluation;
  const caseReports = await readCases(client, id, signal);
  return {
    format: 1,
    ...job,
    ...report,
    rankings: report.rankings.map(rankingOf),
    contests: report.contests.map((contest) => ({ ...contest, differences: byMain(differenceIn(contest)) })),
    comparison: report.comparison && {
      ...report.comparison,
      differences: byMetric(differenceIn(report.comparison)),
      changes: changesOf(caseReports),
    },
    caseReports,
  };
}

async function readCases(client: GatewayClient, id: string, signal: AbortSignal): Promise<readonly CaseReport[]> {
  const cases: CaseReport[] = [];
  const pages = entriesOf(async (after) => {
    const answer = await client.ask<{ evaluation: { caseReports: Page<CaseReport> } }>('evaluationCases', {
      id,
      after,
    });
    return answer.evaluation.caseReports;
  });
  for await (const one of pages) {
    signal.throwIfAborted();
    cases.push(one);
  }
  return cases;
}

function rankingOf({ name, type, metrics, p50Ms, p95Ms, slices }: RankingAnswer): RankingReport {
  return {
    name,
    kind: type.toLowerCase() as RankingKind,
    metrics: byMetric(estimateIn(metrics)),
    latencyMs: p50Ms === null || p95Ms === null ? null : { p50: p50Ms, p95: p95Ms },
    slices: slices.map((one) => ({
      ...one,
      slice: one.slice.toLowerCase() as Slice,
      metrics: byMain(estimateIn(one.metrics)),
    })),
  };
}

function estimateIn(estimates: Named<Estimate>): (metric: Metric) => Estimate {
  return (metric) => {
    const { value, low, high } = named(estimates, metric);
    return { value, low, high };
  };
}

function differenceIn({ differences }: { readonly differences: Differences }): (metric: Metric) => PairedDifference {
  return (metric) => named(differences, metric).difference;
}

function named<T>(entries: Named<T>, metric: Metric): T {
  const found = entries.find(({ name }) => name === enumName(metric));
  if (found === undefined) throw new Error(`the report of the gateway has no ${metric}`);
  return found;
}

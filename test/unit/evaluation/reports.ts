import type { MeasuredCase } from '../../../src/evaluation/measure-case.js';
import { METRICS, type Metric, type MetricValues } from '../../../src/evaluation/metrics.js';
import type { EvaluationReport } from '../../../src/evaluation/reports/report.js';
import { type Estimate, RESAMPLING } from '../../../src/evaluation/statistics.js';

/** A report in which the search has these values, over all cases and in its only operation, byError. */
export function reportOf(values: Partial<MetricValues>): EvaluationReport {
  const certain = (metric: Metric): Estimate => {
    const value = values[metric] ?? 0;
    return { value, low: value, high: value };
  };
  const metrics = Object.fromEntries(METRICS.map((metric) => [metric, certain(metric)])) as Record<Metric, Estimate>;
  const { ndcgAt10, mrr } = metrics;
  return {
    format: 1,
    set: 'a set <with> markup',
    profile: 'default',
    cases: 1,
    skippedCases: 0,
    missingCards: 0,
    degradedCases: 0,
    cards: 3,
    embeddingModel: 'builtin',
    k: 10,
    resampling: RESAMPLING,
    rankings: [
      {
        name: 'search',
        kind: 'search',
        metrics,
        latencyMs: { p50: 1, p95: 2 },
        slices: [{ slice: 'operation', group: 'byError', cases: 1, metrics: { ndcgAt10, mrr } }],
      },
    ],
    silentLanes: [],
    contests: [],
    comparison: null,
    tuning: null,
    caseReports: [
      { id: 'case', text: '<script>alert(1)</script>', values: [{ ndcgAt10: ndcgAt10.value, mrr: mrr.value }] },
    ],
    finishedAt: '2026-09-01T00:00:00.000Z',
    tookMs: 1,
  };
}

/** A measured case whose lists have these values of nDCG@10 and MRR alike. */
export function measuredCase(id: string, values: readonly number[]): MeasuredCase {
  const zeros = Object.fromEntries(METRICS.map((metric) => [metric, 0])) as MetricValues;
  return {
    id,
    text: `text of ${id}`,
    slices: { operation: 'byError', perspective: 'error', grade: 'G6', subject: 'math', language: 'en' },
    grades: new Map([['right', 2]]),
    lists: values.map((value, place) => ({
      top: [`hit ${place}`, 'right'],
      values: { ...zeros, ndcgAt10: value, mrr: value },
      tookMs: place === 0 ? 5 : null,
    })),
  };
}

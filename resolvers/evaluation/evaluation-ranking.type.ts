import { Float, Int } from 'type-graphql';
import { METRICS, type Metric } from '../../src/evaluation/metrics.js';
import type { RankingReport, SliceReport } from '../../src/evaluation/reports/report.js';
import type { Estimate } from '../../src/evaluation/statistics.js';
import { outputType } from '../types.js';
import { MetricEnum, RankingKindEnum, SliceEnum } from './evaluation.enums.js';

type NamedEstimate = Estimate & { readonly name: Metric };

const MetricEstimate = outputType<NamedEstimate>(
  'MetricEstimate',
  'A metric with its 95 % confidence interval.',
  {
    name: { type: MetricEnum, description: 'The metric.' },
    value: { type: Float, description: 'The mean over the cases.' },
    low: { type: Float, description: 'The lower end of the interval.' },
    high: { type: Float, description: 'The upper end of the interval.' },
  },
  {
    metric: {
      type: String,
      description: 'The metric, such as ndcgAt10 or mrr.',
      deprecationReason: 'Use `name`. Deprecated on 2026-11-23.',
      of: ({ name }) => name,
    },
  },
);

export const SliceSummary = outputType<SliceReport>('SliceSummary', 'How a ranking did in one group of cases.', {
  slice: { type: SliceEnum, description: 'What the cases are grouped by.' },
  group: { type: String, description: 'The group, such as "G5" or "zh".' },
  cases: { type: Int, description: 'How many cases it has.' },
  metrics: { type: [MetricEstimate], description: 'Its nDCG@10 and MRR.', of: ({ metrics }) => estimatesOf(metrics) },
});

export const RankingSummary = outputType<RankingReport, 'latencyMs'>(
  'RankingSummary',
  'The metrics of one ranking.',
  {
    name: {
      type: String,
      description: 'The ranking: "search", a lane alone such as "dense question", or "plain BM25".',
    },
    kind: {
      type: String,
      description: 'The kind of ranking: "search", "lane" or "baseline".',
      deprecationReason: 'Use `type`. Deprecated on 2026-11-23.',
    },
    metrics: { type: [MetricEstimate], description: 'All metrics.', of: ({ metrics }) => estimatesOf(metrics) },
    slices: {
      type: [SliceSummary],
      description:
        'How the ranking did by search operation, perspective, grade, subject and language. All rankings of a report have the same groups, in the same order.',
    },
  },
  {
    type: { type: RankingKindEnum, description: 'What made the ranking.', of: ({ kind }) => kind },
    p50Ms: {
      type: Float,
      nullable: true,
      description: 'The median time of a search, in milliseconds; null for a lane.',
      of: ({ latencyMs }) => latencyMs?.p50,
    },
    p95Ms: {
      type: Float,
      nullable: true,
      description: 'The 95th percentile of the latency, in milliseconds.',
      of: ({ latencyMs }) => latencyMs?.p95,
    },
  },
);

function estimatesOf(metrics: Readonly<Partial<Record<Metric, Estimate>>>): readonly NamedEstimate[] {
  return METRICS.flatMap((name) => {
    const estimate = metrics[name];
    return estimate === undefined ? [] : [{ name, ...estimate }];
  });
}

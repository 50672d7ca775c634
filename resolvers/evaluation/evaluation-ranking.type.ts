import { Float, Int } from 'type-graphql';
import { METRICS, type Metric } from '../../src/evaluation/metrics.js';
import type { RankingReport, SliceReport } from '../../src/evaluation/reports/report.js';
import type { Estimate } from '../../src/evaluation/statistics.js';
import { computed, field, outputType } from '../types.js';
import { MetricEnum, RankingKindEnum, SliceEnum } from './evaluation.enums.js';

type NamedEstimate = Estimate & { readonly name: Metric };

const MetricEstimate = outputType<NamedEstimate>(
  'MetricEstimate',
  'A metric with its 95 % confidence interval.',
  {
    name: field(MetricEnum, 'The metric.'),
    value: field(Float, 'The mean over the cases.'),
    low: field(Float, 'The lower end of the interval.'),
    high: field(Float, 'The upper end of the interval.'),
  },
  {
    metric: computed(String, 'The metric, such as ndcgAt10 or mrr.', ({ name }) => name, {
      deprecationReason: 'Use `name`. Deprecated on 2026-11-23.',
    }),
  },
);

export const SliceSummary = outputType<SliceReport>('SliceSummary', 'How a ranking did in one group of cases.', {
  slice: field(SliceEnum, 'What the cases are grouped by.'),
  group: field(String, 'The group, such as "G5" or "zh".'),
  cases: field(Int, 'How many cases it has.'),
  metrics: computed([MetricEstimate], 'Its nDCG@10 and MRR.', ({ metrics }) => estimatesOf(metrics)),
});

export const RankingSummary = outputType<RankingReport, 'latencyMs'>(
  'RankingSummary',
  'The metrics of one ranking.',
  {
    name: field(String, 'The ranking: "search", a lane alone such as "dense question", or "plain BM25".'),
    kind: field(String, 'The kind of ranking: "search", "lane" or "baseline".', {
      deprecationReason: 'Use `type`. Deprecated on 2026-11-23.',
    }),
    metrics: computed([MetricEstimate], 'All metrics.', ({ metrics }) => estimatesOf(metrics)),
    slices: field(
      [SliceSummary],
      'How the ranking did by search operation, perspective, grade, subject and language. All rankings of a report have the same groups, in the same order.',
    ),
  },
  {
    type: computed(RankingKindEnum, 'What made the ranking.', ({ kind }) => kind),
    p50Ms: computed(
      Float,
      'The median time of a search, in milliseconds; null for a lane.',
      ({ latencyMs }) => latencyMs?.p50,
      { nullable: true },
    ),
    p95Ms: computed(Float, 'The 95th percentile of the latency, in milliseconds.', ({ latencyMs }) => latencyMs?.p95, {
      nullable: true,
    }),
  },
);

function estimatesOf(metrics: Readonly<Partial<Record<Metric, Estimate>>>): readonly NamedEstimate[] {
  return METRICS.flatMap((name) => {
    const estimate = metrics[name];
    return estimate === undefined ? [] : [{ name, ...estimate }];
  });
}

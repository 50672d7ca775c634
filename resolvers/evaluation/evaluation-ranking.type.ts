import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { RankingKind } from '../../src/evaluation/measure-case.js';
import { METRICS, type Metric } from '../../src/evaluation/metrics.js';
import type { RankingReport, SliceReport } from '../../src/evaluation/reports/report.js';
import type { Slice } from '../../src/evaluation/slices.js';
import type { Estimate } from '../../src/evaluation/statistics.js';
import { MetricEnum, RankingKindEnum, SliceEnum } from './evaluation.enums.js';

@ObjectType({ description: 'A metric with its 95 % confidence interval.', simpleResolvers: true })
export class MetricEstimate {
  @Field(() => String, {
    description: 'The metric, such as ndcgAt10 or mrr.',
    deprecationReason: 'Use `name`. Deprecated on 2026-11-23.',
  })
  metric!: Metric;

  @Field(() => MetricEnum, { description: 'The metric.' })
  name!: Metric;

  @Field(() => Float, { description: 'The mean over the cases.' })
  value!: number;

  @Field(() => Float, { description: 'The lower end of the interval.' })
  low!: number;

  @Field(() => Float, { description: 'The upper end of the interval.' })
  high!: number;
}

@ObjectType({ description: 'How a ranking did in one group of cases.', simpleResolvers: true })
export class SliceSummary {
  @Field(() => SliceEnum, { description: 'What the cases are grouped by.' })
  slice!: Slice;

  @Field(() => String, { description: 'The group, such as "G5" or "zh".' })
  group!: string;

  @Field(() => Int, { description: 'How many cases it has.' })
  cases!: number;

  @Field(() => [MetricEstimate], { description: 'Its nDCG@10 and MRR.' })
  metrics!: readonly MetricEstimate[];
}

@ObjectType({ description: 'The metrics of one ranking.', simpleResolvers: true })
export class RankingSummary {
  @Field(() => String, {
    description: 'The ranking: "search", a lane alone such as "dense question", or "plain BM25".',
  })
  name!: string;

  @Field(() => String, {
    description: 'The kind of ranking: "search", "lane" or "baseline".',
    deprecationReason: 'Use `type`. Deprecated on 2026-11-23.',
  })
  kind!: RankingKind;

  @Field(() => RankingKindEnum, { description: 'What made the ranking.' })
  type!: RankingKind;

  @Field(() => [MetricEstimate], { description: 'All metrics.' })
  metrics!: readonly MetricEstimate[];

  @Field(() => [SliceSummary], {
    description:
      'How the ranking did by search operation, perspective, grade, subject and language. All rankings of a report have the same groups, in the same order.',
  })
  slices!: readonly SliceSummary[];

  @Field(() => Float, { nullable: true, description: 'The median time of a search, in milliseconds; null for a lane.' })
  p50Ms!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The 95th percentile of the latency, in milliseconds.',
  })
  p95Ms!: number | null;
}

/** A ranking of a report. */
export function rankingSummary({ name, kind, metrics, slices, latencyMs }: RankingReport): RankingSummary {
  return {
    name,
    kind,
    type: kind,
    metrics: estimatesOf(metrics),
    slices: slices.map((slice: SliceReport) => ({ ...slice, metrics: estimatesOf(slice.metrics) })),
    p50Ms: latencyMs?.p50 ?? null,
    p95Ms: latencyMs?.p95 ?? null,
  };
}

function estimatesOf(metrics: Readonly<Partial<Record<Metric, Estimate>>>): readonly MetricEstimate[] {
  return METRICS.flatMap((name) => {
    const estimate = metrics[name];
    return estimate === undefined ? [] : [{ metric: name, name, ...estimate }];
  });
}

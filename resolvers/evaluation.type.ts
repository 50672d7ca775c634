import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { EvaluationJob } from '../src/domain/ports/evaluation.js';
import type { RankingKind } from '../src/evaluation/measured.js';
import type { Metric } from '../src/evaluation/metrics.js';
import type { RankingReport } from '../src/evaluation/report.js';
import type { Estimate } from '../src/evaluation/statistics.js';
import { EvaluationStateEnum, MetricEnum, RankingKindEnum } from './evaluation.enums.js';

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

  @Field(() => Float, { nullable: true, description: 'The median time of a search, in milliseconds; null for a lane.' })
  p50Ms!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The 95th percentile of the latency, in milliseconds.',
  })
  p95Ms!: number | null;
}

@ObjectType({ description: 'An evaluation of search on a golden set, with its report when it is done.' })
export class Evaluation {
  @Field(() => ID, { description: 'The id of the evaluation.' })
  id!: string;

  @Field(() => String, { description: 'The golden set that is measured.' })
  set!: string;

  @Field(() => String, { description: 'The search profile that is measured.' })
  profile!: string;

  @Field(() => String, { nullable: true, description: 'The profile that it is compared with.' })
  against!: string | null;

  @Field(() => Int, { description: 'Hits requested in each case.' })
  k!: number;

  @Field(() => EvaluationStateEnum, { description: 'The state of the evaluation.' })
  state!: EvaluationJob['state'];

  @Field(() => Int, { description: 'How many cases have been measured.' })
  done!: number;

  @Field(() => Int, { description: 'How many cases there are.' })
  total!: number;

  @Field(() => String, { nullable: true, description: 'Why it failed.' })
  error!: string | null;

  @Field(() => GraphQLDateTime, { description: 'When it started.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When it ended.' })
  finishedAt!: Date | null;
}

/** A ranking of a report. */
export function rankingSummary({ name, kind, metrics, latencyMs }: RankingReport): RankingSummary {
  return {
    name,
    kind,
    type: kind,
    metrics: estimatesOf(metrics),
    p50Ms: latencyMs?.p50 ?? null,
    p95Ms: latencyMs?.p95 ?? null,
  };
}

export function estimatesOf(metrics: Readonly<Partial<Record<Metric, Estimate>>>): readonly MetricEstimate[] {
  return Object.entries(metrics).map(([name, estimate]) => ({
    metric: name as Metric,
    name: name as Metric,
    ...estimate,
  }));
}

import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, Int, ObjectType, Root } from 'type-graphql';
import type { SearchOperation } from '../../src/domain/search.js';
import type { FilterPlan, SearchStage } from '../../src/domain/search-result.js';
import { SearchOperationEnum } from '../evaluation/golden.enums.js';
import { FilterPlanEnum, SearchStageEnum, stageOf } from './search.enums.js';

@ObjectType({ description: 'Latency of the recent searches of one kind.', simpleResolvers: true })
export class OperationMetrics {
  @Field(() => String, {
    description: 'The search, such as "hybridSearch".',
    deprecationReason: 'Use `search`. Deprecated on 2026-11-23.',
  })
  operation!: SearchOperation;

  @Field(() => SearchOperationEnum, { description: 'The search.', simple: false })
  search(@Root() { operation }: OperationMetrics): SearchOperation {
    return operation;
  }

  @Field(() => Int, { description: 'Number answered in the given period, or since the gateway started.' })
  searches!: number;

  @Field(() => Float, { description: 'The median latency of the recent ones, in milliseconds.' })
  p50Ms!: number;

  @Field(() => Float, { description: 'The 95th percentile of the recent ones, in milliseconds.' })
  p95Ms!: number;

  @Field(() => Float, { description: 'The 99th percentile of the recent ones, in milliseconds.' })
  p99Ms!: number;
}

@ObjectType({ description: 'Latency of one stage of the recent searches.', simpleResolvers: true })
export class StageMetrics {
  @Field(() => String, {
    description: 'The stage, such as "embed" or "retrieve".',
    deprecationReason: 'Use `name`. Deprecated on 2026-11-23.',
  })
  stage!: string;

  @Field(() => SearchStageEnum, {
    nullable: true,
    description: 'The stage; null for one of an earlier version, in the search log.',
    simple: false,
  })
  name(@Root() { stage }: StageMetrics): SearchStage | null {
    return stageOf(stage);
  }

  @Field(() => Float, { description: 'The median latency, in milliseconds.' })
  p50Ms!: number;

  @Field(() => Float, { description: 'The 95th percentile of the latency, in milliseconds.' })
  p95Ms!: number;
}

@ObjectType({ description: 'Number of recent searches that applied their filter by one plan.', simpleResolvers: true })
export class FilterPlanMetrics {
  @Field(() => String, {
    description: 'The plan, as in receipts: "none", "exact" or "overfetch".',
    deprecationReason: 'Use `filtering`. Deprecated on 2026-11-23.',
  })
  plan!: FilterPlan;

  @Field(() => FilterPlanEnum, { description: 'The plan, as in receipts.', simple: false })
  filtering(@Root() { plan }: FilterPlanMetrics): FilterPlan {
    return plan;
  }

  @Field(() => Int, { description: 'Number of recent searches with this plan.' })
  searches!: number;
}

@ObjectType({
  description:
    "Statistics of your tenant's searches. At this gateway since it started, recent searches are the last 1,000 of each kind; in a given period of the search log, all searches are recent.",
  simpleResolvers: true,
})
export class SearchMetrics {
  @Field(() => Int, {
    description:
      'Number of searches answered in the given period, or since the gateway started; the latter is kept for the hundred tenants that searched last.',
  })
  searches!: number;

  @Field(() => Int, {
    description: 'Number of valid searches that failed in the given period, or since the gateway started.',
  })
  failed!: number;

  @Field(() => Int, { description: 'Number of searches that the rates, latencies and plans are computed from.' })
  recent!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'The share of recent zero-result searches, from 0 to 1; null before the first search.',
  })
  zeroResultRate!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The share of recent searches that were degraded, from 0 to 1; null before the first search.',
  })
  degradedRate!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'The hit rate of the embedding cache, from 0 to 1, for the whole gateway since it started; null for a given period, and if the model has no cache.',
  })
  embeddingCacheHitRate!: number | null;

  @Field(() => [OperationMetrics], { description: 'The kinds of search, in alphabetical order.' })
  operations!: OperationMetrics[];

  @Field(() => [StageMetrics], { description: 'The stages of the recent searches, in the order in which they ran.' })
  stages!: StageMetrics[];

  @Field(() => [FilterPlanMetrics], { description: 'The filter plans of the recent searches.' })
  filterPlans!: FilterPlanMetrics[];
}

@ObjectType({ description: 'A text of zero-result searches.', simpleResolvers: true })
export class ZeroResultSearch {
  @Field(() => SearchOperationEnum, { description: 'The search that found nothing.' })
  operation!: SearchOperation;

  @Field(() => String, { description: 'The text.' })
  text!: string;

  @Field(() => Int, { description: 'Number of searches.' })
  searches!: number;

  @Field(() => GraphQLDateTime, { description: 'When it was last searched.' })
  lastAt!: Date;
}

import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Ctx, Field, Float, Int, ObjectType, Query, Resolver, Root, UseMiddleware } from 'type-graphql';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseWindow } from '../../src/domain/parse/search.js';
import type { LoggedSearches, ZeroResultRecord } from '../../src/domain/ports/search-log.js';
import type { SearchOperation } from '../../src/domain/search.js';
import type { SearchMetrics as Metrics } from '../../src/domain/search-metrics.js';
import type { FilterPlan, SearchStage } from '../../src/domain/search-result.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Context } from '../context.js';
import { SearchOperationEnum } from '../evaluation/golden.enums.js';
import { forStaff } from '../requests/for-staff.js';
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

/** Says how the searches of a viewer's tenant went. */
export interface SearchMetricsReader {
  metrics(viewer: Viewer): Metrics;
}

@Resolver()
export class MetricsResolver {
  constructor(
    private readonly searches: SearchMetricsReader,
    private readonly logged: LoggedSearches,
  ) {}

  @Query(() => SearchMetrics, {
    description:
      'Number of searches, their latencies and the share of zero-result searches: since this gateway started, or in a given period if searches are logged (SEARCH_LOG).',
  })
  async searchMetrics(
    @Arg('after', () => GraphQLDateTime, { nullable: true, description: 'Start of the period, in the search log.' })
    after: Date | null,
    @Arg('before', () => GraphQLDateTime, {
      nullable: true,
      description: 'End of the period (exclusive), in the search log.',
    })
    before: Date | null,
    @Ctx() { viewer }: Context,
  ): Promise<Metrics> {
    const window = parseWindow({ after, before });
    return window === null ? this.searches.metrics(viewer) : this.logged.metrics(viewer, window);
  }

  @UseMiddleware(forStaff)
  @Query(() => [ZeroResultSearch], {
    description:
      'Texts of unfiltered zero-result searches, the most frequent first. Texts are stored only if SEARCH_LOG is "texts".',
  })
  zeroResultSearches(
    @Arg('after', () => GraphQLDateTime, { nullable: true, description: 'Start of the period.' }) after: Date | null,
    @Arg('before', () => GraphQLDateTime, { nullable: true, description: 'End of the period (exclusive).' })
    before: Date | null,
    @Arg('first', () => Int, { nullable: true, defaultValue: 50, description: 'Maximum number, from 1 to 100.' })
    first: number | null,
    @Ctx() { viewer }: Context,
  ): Promise<readonly ZeroResultRecord[]> {
    const window = parseWindow({ after, before }) ?? { after: null, before: null };
    return this.logged.zeroResults(viewer, window, parsePage({ first }).first);
  }
}

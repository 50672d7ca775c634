import { GraphQLDateTime } from 'graphql-scalars';
import { Args, Ctx, Float, Int, Query, Resolver, UseMiddleware } from 'type-graphql';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseWindow } from '../../src/domain/parse/search.js';
import type { LoggedSearches, ZeroResultRecord } from '../../src/domain/ports/search-log.js';
import type * as domain from '../../src/domain/search-metrics.js';
import { SEARCH_STAGES } from '../../src/domain/search-result.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Context } from '../context.js';
import { SearchOperationEnum } from '../evaluation/evaluation.enums.js';
import { forStaff } from '../requests/guard.js';
import { argsType, computed, deprecated, field, nullable, outputType } from '../types.js';
import { FilterPlanEnum, SearchStageEnum } from './search.type.js';

const OperationMetrics = outputType<domain.OperationMetrics>(
  'OperationMetrics',
  'Latency of the recent searches of one kind.',
  {
    operation: field(String, 'The search, such as "hybridSearch".', deprecated('`search`')),
    searches: field(Int, 'Number answered in the given period, or since the gateway started.'),
    p50Ms: field(Float, 'The median latency of the recent ones, in milliseconds.'),
    p95Ms: field(Float, 'The 95th percentile of the recent ones, in milliseconds.'),
    p99Ms: field(Float, 'The 99th percentile of the recent ones, in milliseconds.'),
  },
  {
    search: computed(SearchOperationEnum, 'The search.', ({ operation }) => operation),
  },
);

const StageMetrics = outputType<domain.StageMetrics>(
  'StageMetrics',
  'Latency of one stage of the recent searches.',
  {
    stage: field(String, 'The stage, such as "embed" or "retrieve".', deprecated('`name`')),
    p50Ms: field(Float, 'The median latency, in milliseconds.'),
    p95Ms: field(Float, 'The 95th percentile of the latency, in milliseconds.'),
  },
  {
    name: computed(
      SearchStageEnum,
      'The stage; null for one of an earlier version, in the search log.',
      ({ stage }) => SEARCH_STAGES.find((known) => known === stage) ?? null,
      { nullable: true },
    ),
  },
);

const FilterPlanMetrics = outputType<domain.FilterPlanMetrics>(
  'FilterPlanMetrics',
  'Number of recent searches that applied their filter by one plan.',
  {
    plan: field(String, 'The plan, as in receipts: "none", "exact" or "overfetch".', deprecated('`filtering`')),
    searches: field(Int, 'Number of recent searches with this plan.'),
  },
  {
    filtering: computed(FilterPlanEnum, 'The plan, as in receipts.', ({ plan }) => plan),
  },
);

const SearchMetrics = outputType<domain.SearchMetrics>(
  'SearchMetrics',
  "Statistics of your tenant's searches. At this gateway since it started, recent searches are the last 1,000 of each kind; in a given period of the search log, all searches are recent.",
  {
    searches: field(
      Int,
      'Number of searches answered in the given period, or since the gateway started; the latter is kept for the hundred tenants that searched last.',
    ),
    failed: field(Int, 'Number of valid searches that failed in the given period, or since the gateway started.'),
    recent: field(Int, 'Number of searches that the rates, latencies and plans are computed from.'),
    zeroResultRate: nullable(
      Float,
      'The share of recent zero-result searches, from 0 to 1; null before the first search.',
    ),
    degradedRate: nullable(
      Float,
      'The share of recent searches that were degraded, from 0 to 1; null before the first search.',
    ),
    embeddingCacheHitRate: nullable(
      Float,
      'The hit rate of the embedding cache, from 0 to 1, for the whole gateway since it started; null for a given period, and if the model has no cache.',
    ),
    operations: field([OperationMetrics], 'The kinds of search, in alphabetical order.'),
    stages: field([StageMetrics], 'The stages of the recent searches, in the order in which they ran.'),
    filterPlans: field([FilterPlanMetrics], 'The filter plans of the recent searches.'),
  },
);

const ZeroResultSearch = outputType<ZeroResultRecord>('ZeroResultSearch', 'A text of zero-result searches.', {
  operation: field(SearchOperationEnum, 'The search that found nothing.'),
  text: field(String, 'The text.'),
  searches: field(Int, 'Number of searches.'),
  lastAt: field(GraphQLDateTime, 'When it was last searched.'),
});

/** Says how the searches of a viewer's tenant went. */
export interface SearchMetricsReader {
  metrics(viewer: Viewer): domain.SearchMetrics;
}

const SearchMetricsArgs = argsType({
  after: nullable(GraphQLDateTime, 'Start of the period, in the search log.'),
  before: nullable(GraphQLDateTime, 'End of the period (exclusive), in the search log.'),
});

const ZeroResultSearchesArgs = argsType({
  after: nullable(GraphQLDateTime, 'Start of the period.'),
  before: nullable(GraphQLDateTime, 'End of the period (exclusive).'),
  first: nullable(Int, 'Maximum number, from 1 to 100.', { defaultValue: 50 }),
});

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
    @Args(() => SearchMetricsArgs) { after, before }: InstanceType<typeof SearchMetricsArgs>,
    @Ctx() { viewer }: Context,
  ): Promise<domain.SearchMetrics> {
    const window = parseWindow({ after, before });
    return window === null ? this.searches.metrics(viewer) : this.logged.metrics(viewer, window);
  }

  @UseMiddleware(forStaff)
  @Query(() => [ZeroResultSearch], {
    description:
      'Texts of unfiltered zero-result searches, the most frequent first. Texts are stored only if SEARCH_LOG is "texts".',
  })
  zeroResultSearches(
    @Args(() => ZeroResultSearchesArgs) { after, before, first }: InstanceType<typeof ZeroResultSearchesArgs>,
    @Ctx() { viewer }: Context,
  ): Promise<readonly ZeroResultRecord[]> {
    const window = parseWindow({ after, before }) ?? { after: null, before: null };
    return this.logged.zeroResults(viewer, window, parsePage({ first }).first);
  }
}

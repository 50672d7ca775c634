import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseWindow } from '../../src/domain/parse/window.js';
import type { LoggedSearches, ZeroResultRecord } from '../../src/domain/ports/search-log.js';
import type { SearchMetrics as Metrics } from '../../src/domain/search-metrics.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Context } from '../context.js';
import { SearchMetrics, ZeroResultSearch } from './metrics.type.js';

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

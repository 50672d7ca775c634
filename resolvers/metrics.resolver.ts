import { Ctx, Query, Resolver } from 'type-graphql';
import type { SearchMetrics as Metrics } from '../src/domain/search-metrics.js';
import type { Viewer } from '../src/domain/viewer.js';
import type { Context } from './context.js';
import { SearchMetrics } from './metrics.type.js';

/** Says how the searches of a viewer's tenant went. */
export interface SearchMetricsReader {
  metrics(viewer: Viewer): Metrics;
}

/** How searches go, for those who look after the gateway. */
@Resolver()
export class MetricsResolver {
  constructor(private readonly searches: SearchMetricsReader) {}

  @Query(() => SearchMetrics, {
    description: 'How many searches there were, how long they took and how many found nothing.',
  })
  searchMetrics(@Ctx() { viewer }: Context): Metrics {
    return this.searches.metrics(viewer);
  }
}

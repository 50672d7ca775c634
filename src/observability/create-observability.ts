import type { Config } from '../config/settings.js';
import type { Closers } from '../domain/async.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { CacheHits } from '../domain/ports/models.js';
import type { OnAnswered } from '../http/log.js';
import type { MetricsPage } from '../http/server.js';
import { createMetrics, type Metrics } from './metrics.js';
import { ObservedEngine, type OnSearchEvent } from './observed-engine.js';
import { SearchStatistics } from './search-statistics.js';
import { type StateSources, showState } from './state-metrics.js';
import type { TracesParts } from './traces.js';

export interface ObservabilityParts {
  readonly embedders: { readonly cacheHits: CacheHits; readonly cacheHitRate: number | null };
}

export function createObservability({ embedders }: ObservabilityParts) {
  const metrics = createMetrics();
  metrics.caches.watchEmbeddings(() => embedders.cacheHits);
  const searchMetrics = new SearchStatistics({ embeddingCacheHitRate: () => embedders.cacheHitRate });
  return {
    metrics,
    searchMetrics,
    /** The engine, with its searches recorded by both and by the log. */
    observe: (engine: SearchEngine, log: OnSearchEvent) =>
      new ObservedEngine(engine, [metrics.searches.record, searchMetrics.record, log]),
  };
}

/** `/metrics`, with the current state of the gateway. */
export function createMetricsPage({ registry }: Pick<Metrics, 'registry'>, sources: StateSources): MetricsPage {
  const look = showState(registry, sources);
  return {
    contentType: registry.contentType,
    metrics: async () => {
      await look();
      return registry.metrics();
    },
  };
}

/** Counts requests and, if a collector is configured, traces them. */
export async function observeRequests(parts: {
  readonly config: Pick<Config, 'tracesEndpoint'>;
  readonly metrics: Pick<Metrics, 'requests'>;
  readonly log: TracesParts['log'];
  readonly closers: Closers;
}): Promise<OnAnswered> {
  const { config, metrics, log, closers } = parts;
  const { tracesEndpoint: endpoint } = config;
  // OpenTelemetry is only loaded if needed.
  const traces = endpoint === null ? null : (await import('./traces.js')).startTraces({ endpoint, log });
  if (traces !== null) closers.add('traces', traces.close);
  return (request) => {
    metrics.requests.answered(request.route, request.status, request.tookMs / 1_000);
    traces?.answered(request);
  };
}

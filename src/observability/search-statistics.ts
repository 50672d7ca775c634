import { LRUCache } from 'lru-cache';
import { groupedBy } from '../domain/grouped.js';
import { percentile } from '../domain/percentile.js';
import type { SearchOperation } from '../domain/search.js';
import type { OperationMetrics, SearchMetrics } from '../domain/search-metrics.js';
import type { SearchResult } from '../domain/search-result.js';
import type { Viewer } from '../domain/viewer.js';
import type { OnSearchEvent } from './observed-engine.js';

/** Searches of each kind kept for a tenant: a 99th percentile is based on ten of them. */
const WINDOW = 1_000;

/** Limit of tenants, some 4 MB each with full windows; the least recently used one is dropped. */
const MAX_TENANTS = 100;

type Entry = Pick<SearchResult['receipt'], 'tookMs' | 'filterPlan' | 'stages'> & {
  readonly hits: number;
  readonly degraded: boolean;
};

interface Recent {
  /** The latest ones, in no particular order: a ring. */
  readonly entries: Entry[];
  /** How many there ever were. */
  searches: number;
}

interface TenantLog {
  readonly recent: Map<SearchOperation, Recent>;
  failed: number;
}

export class SearchStatistics {
  readonly #tenants = new LRUCache<string, TenantLog>({ max: MAX_TENANTS });

  /** `embeddingCacheHitRate` returns null if the model has no cache; `window`: searches of a kind, above 0. */
  constructor(
    private readonly parts: { readonly embeddingCacheHitRate: () => number | null; readonly window?: number },
  ) {}

  readonly record: OnSearchEvent = ({ viewer, request: { operation }, result, failure }) => {
    const log = this.#of(viewer.tenantId);
    if (failure !== null) log.failed += 1;
    if (result === null) return;
    const { tookMs, filterPlan, stages, degraded } = result.receipt;
    const recent = log.recent.get(operation) ?? { entries: [], searches: 0 };
    log.recent.set(operation, recent);
    const entry = { tookMs, filterPlan, stages, hits: result.hits.length, degraded: degraded.length > 0 };
    recent.entries[recent.searches % (this.parts.window ?? WINDOW)] = entry;
    recent.searches += 1;
  };

  metrics({ tenantId }: Viewer): SearchMetrics {
    const { recent, failed } = this.#of(tenantId);
    const entries = [...recent.values()].flatMap((one) => one.entries);
    const rate = (counts: (entry: Entry) => boolean): number | null =>
      entries.length === 0 ? null : entries.filter(counts).length / entries.length;
    const operations = [...recent]
      .map(([operation, one]) => operationMetrics(operation, one))
      .sort((a, b) => (a.operation < b.operation ? -1 : 1));
    const stages = entries.flatMap((entry) => entry.stages);
    const plans = groupedBy(entries, ({ filterPlan }) => filterPlan);
    return {
      searches: operations.reduce((sum, { searches }) => sum + searches, 0),
      failed,
      recent: entries.length,
      zeroResultRate: rate(({ hits }) => hits === 0),
      degradedRate: rate(({ degraded }) => degraded),
      embeddingCacheHitRate: this.parts.embeddingCacheHitRate(),
      operations,
      stages: [...groupedBy(stages, ({ stage }) => stage)].map(([stage, timings]) => {
        const times = timings.map(({ tookMs }) => tookMs);
        return { stage, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
      }),
      filterPlans: [...plans].map(([plan, { length }]) => ({ plan, searches: length })),
    };
  }

  #of(tenantId: string): TenantLog {
    const log = this.#tenants.get(tenantId) ?? { recent: new Map(), failed: 0 };
    this.#tenants.set(tenantId, log);
    return log;
  }
}

function operationMetrics(operation: SearchOperation, { searches, entries }: Recent): OperationMetrics {
  const times = entries.map(({ tookMs }) => tookMs);
  return {
    operation,
    searches,
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    p99Ms: percentile(times, 0.99),
  };
}

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { SearchResult } from './domain/search.js';
import type { CacheHits } from './ports.js';

/** What the gateway counts, and where it shows. */
export interface Metrics {
  /** Everything that `/metrics` shows. */
  readonly registry: Registry;
  /** Counts one statement that was sent to PostgreSQL. */
  countSqlStatement(): void;
  /** Counts texts that were embedded for the index. */
  countEmbedded(texts: number): void;
  /** Shows what the embedding caches say whenever `/metrics` is asked. */
  watchEmbeddingCache(read: () => CacheHits): void;
  readonly searches: {
    /** Runs a search and answers as it does; keeps how long it took, failed or not, and what was degraded. */
    measure(operation: string, search: () => Promise<SearchResult>): Promise<SearchResult>;
  };
}

/** From 1 ms, a warm search of a small notebook, to 10 s, where every request ends. In seconds. */
const SEARCH_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** The gateway's metrics and the process's own, in a registry of their own: two gateways in one process do not mix. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const sqlStatements = new Counter({
    name: 'errata_sql_statements_total',
    help: 'Statements sent to PostgreSQL.',
    registers: [registry],
  });
  const embedded = new Counter({
    name: 'errata_texts_embedded_total',
    help: 'Texts embedded for the index; a passage whose text has not changed is not embedded again.',
    registers: [registry],
  });
  const searchSeconds = new Histogram({
    name: 'errata_search_seconds',
    help: 'Time from a parsed search to its answer or failure, in seconds.',
    labelNames: ['operation'],
    buckets: SEARCH_BUCKETS,
    registers: [registry],
  });
  const degraded = new Counter({
    name: 'errata_search_degraded_total',
    help: 'Parts that searches had to do without, by part.',
    labelNames: ['part'],
    registers: [registry],
  });
  return {
    registry,
    countSqlStatement: () => sqlStatements.inc(),
    countEmbedded: (texts) => embedded.inc(texts),
    watchEmbeddingCache: (read) => {
      const show = (what: keyof CacheHits, help: string): void => {
        new Counter({
          name: `errata_embedding_cache_${what}_total`,
          help,
          registers: [registry],
          collect() {
            this.reset();
            this.inc(read()[what]);
          },
        });
      };
      show('hits', 'Texts whose vector was known in memory or on disk; the built-in model keeps none.');
      show('misses', 'Texts whose vector had to be computed.');
    },
    searches: {
      async measure(operation, search) {
        const stop = searchSeconds.startTimer({ operation });
        try {
          const result = await search();
          for (const { part } of result.receipt.degraded) degraded.inc({ part });
          return result;
        } finally {
          stop();
        }
      },
    },
  };
}

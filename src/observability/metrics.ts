import { Counter, Histogram, Registry } from 'prom-client';
import type { LaneScore, SearchResult } from '../domain/search.js';
import { type CacheMetrics, createCacheMetrics } from './cache-metrics.js';
import { collectProcessMetrics } from './process-metrics.js';
import { createRequestMetrics, type RequestMetrics } from './request-metrics.js';

export interface Metrics {
  /** Everything that `/metrics` shows. */
  readonly registry: Registry;
  /** Counts one SQL statement. */
  countSqlStatement(): void;
  /** Counts texts embedded for the index. */
  countEmbedded(texts: number): void;
  readonly caches: CacheMetrics;
  readonly requests: RequestMetrics;
  readonly searches: {
    /** Runs a search; records its duration, failure and degraded parts. */
    measure(operation: string, search: () => Promise<SearchResult>): Promise<SearchResult>;
    /** Records the duration of a lane's candidate generation, in ms, and its outcome. */
    lane(lane: Pick<LaneScore, 'perspective' | 'kind'>, tookMs: number, answered: boolean): void;
  };
}

/** From 1 ms, a warm search of a small tenant, to 10 s, the deadline of requests. In seconds. */
const SEARCH_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** From 0.1 ms, the lexical lane of a small tenant, to 1 s, the deadline of lanes. In seconds. */
const LANE_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** Metrics of the gateway and the process, in a separate registry, so that two gateways in one process do not mix. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectProcessMetrics(registry);
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
  const stageSeconds = new Histogram({
    name: 'errata_search_stage_seconds',
    help: 'Time of each stage of an answered search, in seconds.',
    labelNames: ['operation', 'stage'],
    buckets: SEARCH_BUCKETS,
    registers: [registry],
  });
  const hits = new Counter({
    name: 'errata_search_hits_total',
    help: 'Cards that searches answered.',
    labelNames: ['operation'],
    registers: [registry],
  });
  const lanes = new Counter({
    name: 'errata_search_lane_contribution_total',
    help: 'What each lane gave to the scores of the cards that searches answered.',
    labelNames: ['perspective', 'kind'],
    registers: [registry],
  });
  const laneSeconds = new Histogram({
    name: 'errata_search_lane_seconds',
    help: 'Time in which a lane proposed its cards, by outcome: OK, or FAILED where it is left out of the answer. In seconds.',
    labelNames: ['perspective', 'kind', 'outcome'],
    buckets: LANE_BUCKETS,
    registers: [registry],
  });
  return {
    registry,
    caches: createCacheMetrics(registry),
    requests: createRequestMetrics(registry),
    countSqlStatement: () => sqlStatements.inc(),
    countEmbedded: (texts) => embedded.inc(texts),
    searches: {
      async measure(operation, search) {
        const stop = searchSeconds.startTimer({ operation });
        try {
          const result = await search();
          for (const { part } of result.receipt.degraded) degraded.inc({ part });
          for (const { stage, tookMs } of result.receipt.stages)
            stageSeconds.observe({ operation, stage }, tookMs / 1_000);
          hits.inc({ operation }, result.hits.length);
          for (const { perspective, kind, contribution } of result.hits.flatMap((hit) => hit.lanes)) {
            // Negative contributions are left out, because counters only increase.
            lanes.inc({ perspective, kind }, Math.max(0, contribution));
          }
          return result;
        } finally {
          stop();
        }
      },
      lane({ perspective, kind }, tookMs, answered) {
        laneSeconds.observe({ perspective, kind, outcome: answered ? 'OK' : 'FAILED' }, tookMs / 1_000);
      },
    },
  };
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CacheHits } from '../domain/ports/models.js';
import { LANES } from '../domain/search.js';
import type { LaneScore } from '../domain/search-result.js';
import type { OnSearchEvent } from './observed-engine.js';

/** From 1 ms, a warm search of a small tenant, to 10 s, the deadline of requests. In seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** From 0.1 ms, the lexical lane of a small tenant, to 1 s, the deadline of lanes. In seconds. */
const LANE_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

function instrumentsOf(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, labelNames: string[], buckets = BUCKETS) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
  };
}

type Instruments = ReturnType<typeof instrumentsOf>;

export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics of the gateway and the process, in a separate registry, so that two gateways in one process do not mix. */
export function createMetrics() {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const instruments = instrumentsOf(registry);
  const { counter } = instruments;
  const sqlStatements = counter('errata_sql_statements_total', 'Statements sent to PostgreSQL.');
  const embedded = counter(
    'errata_texts_embedded_total',
    'Texts embedded for the index; a passage whose text has not changed is not embedded again.',
  );
  return {
    /** Everything that `/metrics` shows. */
    registry,
    caches: createCacheMetrics(registry, instruments),
    requests: createRequestMetrics(instruments),
    searches: createSearchMetrics(instruments),
    countSqlStatement: (): void => sqlStatements.inc(),
    countEmbedded: (texts: number): void => embedded.inc(texts),
  };
}

function createSearchMetrics({ counter, histogram }: Instruments) {
  const seconds = histogram(
    'errata_search_seconds',
    'Time from a parsed search to its answer or failure, in seconds.',
    ['operation'],
  );
  const degraded = counter(
    'errata_search_degraded_total',
    'Searches that were answered without a failed part, by part.',
    ['part'],
  );
  const stageSeconds = histogram(
    'errata_search_stage_seconds',
    'Time of each stage of an answered search, in seconds.',
    ['operation', 'stage'],
  );
  const hits = counter('errata_search_hits_total', 'Cards returned by searches.', ['operation']);
  const lanes = counter(
    'errata_search_lane_contribution_total',
    'Contribution of each lane to the scores of returned cards.',
    ['perspective', 'kind'],
  );
  const laneSeconds = histogram(
    'errata_search_lane_seconds',
    'Time of the candidate generation of a lane, by outcome: OK, or FAILED if the lane is left out. In seconds.',
    ['perspective', 'kind', 'outcome'],
    LANE_BUCKETS,
  );
  return {
    record: (({ request: { operation }, tookMs, result }) => {
      seconds.observe({ operation }, tookMs / 1_000);
      if (result === null) return;
      for (const { part } of result.receipt.degraded) degraded.inc({ part });
      for (const { stage, tookMs } of result.receipt.stages) {
        stageSeconds.observe({ operation, stage }, tookMs / 1_000);
      }
      hits.inc({ operation }, result.hits.length);
      const scores = result.hits.flatMap((hit) => hit.lanes);
      for (const { perspective, kind } of LANES) {
        // Summed first: an increment takes as long as a hundred sums.
        const ofLane = scores.filter((one) => one.perspective === perspective && one.kind === kind);
        // Negative contributions are left out, because counters only increase.
        const sum = ofLane.reduce((total, { contribution }) => total + Math.max(0, contribution), 0);
        if (ofLane.length > 0) lanes.inc({ perspective, kind }, sum);
      }
    }) satisfies OnSearchEvent,
    /** Records the duration of a lane's candidate generation, in ms, and its outcome. */
    lane({ perspective, kind }: Pick<LaneScore, 'perspective' | 'kind'>, tookMs: number, answered: boolean): void {
      laneSeconds.observe({ perspective, kind, outcome: answered ? 'OK' : 'FAILED' }, tookMs / 1_000);
    },
  };
}

/**
 * Values that prom-client reads from a histogram of delays, whose timer wakes an idle process 100 times a second: 0.9 %
 * of a core.
 */
const DELAYS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

/** The longest that a timer waits, in ms: 24 days. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * prom-client's metrics of the process. The event loop lag is measured at each scrape (`nodejs_eventloop_lag_seconds`);
 * its utilization since the last scrape costs nothing, and replaces the histogram.
 */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of DELAYS) registry.removeSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
  let before = performance.eventLoopUtilization();
  new Gauge({
    name: 'nodejs_eventloop_utilization_ratio',
    help: 'Share of the time since the last scrape in which the event loop was busy; near 1, requests wait.',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, before).utilization);
      before = now;
    },
  });
}

function createCacheMetrics(registry: Registry, { counter }: Instruments) {
  const reads = (name: string, help: string) => {
    const outcomes = counter(name, help, ['outcome']);
    return (found: number, missing: number): void => {
      outcomes.inc({ outcome: 'hit' }, found);
      outcomes.inc({ outcome: 'miss' }, missing);
    };
  };
  const keys = reads(
    'errata_key_cache_reads_total',
    'API keys that requests came with: those that were remembered (hit), and those that PostgreSQL was asked for (miss).',
  );
  const ownerIndexes = reads(
    'errata_own_notebook_cache_reads_total',
    "Students' searches by whether the words of their cards were kept (hit), or copied from the school's index or made anew from PostgreSQL (miss).",
  );
  return {
    /** Cards whose vectors a search has read. */
    vectors: reads(
      'errata_vector_cache_reads_total',
      'Cards whose vectors a search asked for: those that the local cache had (hit), and those read from Chroma or PostgreSQL (miss).',
    ),
    /** One check of an API key. */
    key: (found: boolean): void => keys(Number(found), Number(!found)),
    /** One use of an owner's lexical index, for viewers who may only see their own cards. */
    ownerIndex: (found: boolean): void => ownerIndexes(Number(found), Number(!found)),
    /** Reads the embedding caches at each request of `/metrics`. */
    watchEmbeddings(read: () => CacheHits): void {
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
  };
}

function createRequestMetrics({ counter, histogram }: Instruments) {
  const http = histogram(
    'errata_http_request_seconds',
    'Time from the first byte of an HTTP request to the last of its answer, by route and status, in seconds.',
    ['route', 'status'],
  );
  const operations = histogram(
    'errata_operation_seconds',
    'Time of GraphQL operations, by field of the root, in seconds. An operation with several counts for each.',
    ['operation'],
  );
  const outcomes = counter(
    'errata_operations_total',
    'GraphQL operations by field of the root, and by outcome: OK, or the code of the first error.',
    ['operation', 'outcome'],
  );
  return {
    /** One HTTP request, by its route, or `none`. */
    answered: (route: string, status: number, seconds: number): void => http.observe({ route, status }, seconds),
    /** One root field, with the duration of the whole operation; `OK`, or the code of its first error. */
    operation(field: string, outcome: string, seconds: number): void {
      operations.observe({ operation: field }, seconds);
      outcomes.inc({ operation: field, outcome });
    },
  };
}

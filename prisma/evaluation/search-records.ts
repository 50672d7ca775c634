import type { SearchRecord, SearchRecords, TimeWindow, ZeroResultRecord } from '../../src/domain/ports/search-log.js';
import type { SearchOperation } from '../../src/domain/search.js';
import type { OperationMetrics, SearchMetrics } from '../../src/domain/search-metrics.js';
import type { FilterPlan } from '../../src/domain/search-result.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { json, type Queries } from '../statements.js';
import { ofTenant, tenantOf } from '../viewer-conditions.js';

export class PostgresSearchRecords implements SearchRecords {
  constructor(private readonly database: Database) {}

  /** Runs without row-level security: the gateway writes the log, no viewer may. */
  async append(tenantId: string, records: readonly SearchRecord[]): Promise<void> {
    const data = records.map(({ queryHash, lanes, hitIds, degraded, stages, ...record }) => ({
      ...record,
      tenantId,
      queryHash: new Uint8Array(queryHash),
      lanes: [...lanes],
      hitIds: [...hitIds],
      degraded: [...degraded],
      stages: stages.map(json),
    }));
    await this.database.run(({ searchLog }) => searchLog.createMany({ data }));
  }

  /** SQL, because Prisma has no SKIP LOCKED: skips rows that another gateway is deleting. */
  forget(days: number, limit: number): Promise<number> {
    return this.database.execute(Prisma.sql`
      DELETE FROM search_log WHERE (tenant_id, id) IN (
        SELECT tenant_id, id FROM search_log WHERE at < now() - ${days}::int * interval '1 day'
        ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`);
  }

  async metrics(viewer: Viewer, window: TimeWindow): Promise<SearchMetrics> {
    const database = this.database.as(viewer);
    const where = inWindow(viewer, window);
    const answered = { ...where, error: null };
    const [counts, times] = await Promise.all([
      database.transaction(async ({ prisma: { searchLog } }) => ({
        failed: await searchLog.count({ where: { ...where, error: { not: null } } }),
        zero: await searchLog.count({ where: { ...answered, hitIds: { isEmpty: true } } }),
        degraded: await searchLog.count({ where: { ...answered, degraded: { isEmpty: false } } }),
        plans: await searchLog.groupBy({
          by: ['filterPlan'],
          where: answered,
          _count: { id: true },
          orderBy: [{ _count: { id: 'desc' } }, { filterPlan: 'asc' }],
        }),
      })),
      selectTimes(database, viewer, window),
    ]);
    const plans = counts.plans.map(({ filterPlan, _count }) => ({
      plan: filterPlan as FilterPlan,
      searches: _count.id,
    }));
    const searches = plans.reduce((sum, plan) => sum + plan.searches, 0);
    const rate = (count: number): number | null => (searches === 0 ? null : count / searches);
    return {
      searches,
      failed: counts.failed,
      recent: searches,
      zeroResultRate: rate(counts.zero),
      degradedRate: rate(counts.degraded),
      embeddingCacheHitRate: null,
      ...times,
      filterPlans: plans,
    };
  }

  async zeroResults(viewer: Viewer, window: TimeWindow, limit: number): Promise<readonly ZeroResultRecord[]> {
    const groups = await this.database.as(viewer).transaction(({ prisma }) =>
      prisma.searchLog.groupBy({
        by: ['operation', 'queryText'],
        where: {
          ...inWindow(viewer, window),
          error: null,
          hitIds: { isEmpty: true },
          filterPlan: 'none',
          queryText: { not: null },
        },
        _count: { id: true },
        _max: { at: true },
        orderBy: [{ _count: { id: 'desc' } }, { _max: { at: 'desc' } }, { queryText: 'asc' }, { operation: 'asc' }],
        take: limit,
      }),
    );
    return groups.map(({ operation, queryText, _count, _max }) => ({
      operation: operation as SearchOperation,
      text: String(queryText),
      searches: _count.id,
      lastAt: _max.at as Date,
    }));
  }
}

function inWindow(viewer: Viewer, { after, before }: TimeWindow): Prisma.SearchLogWhereInput {
  return { ...tenantOf(viewer), at: { ...(after && { gte: after }), ...(before && { lt: before }) } };
}

interface TimesRow extends Required<OperationMetrics> {
  /** Null in the rows of operations. */
  readonly stage: string | null;
}

/** SQL, because Prisma has no percentiles: by nearest rank, as everywhere. Stages are in the order of a search. */
async function selectTimes(
  queries: Queries,
  viewer: Viewer,
  { after, before }: TimeWindow,
): Promise<Pick<SearchMetrics, 'operations' | 'stages'>> {
  const rows = await queries.query<TimesRow>(Prisma.sql`
    WITH answered AS MATERIALIZED (
      SELECT l.operation, l.took_ms, l.stages FROM search_log l WHERE ${ofTenant(viewer, 'l')} AND l.error IS NULL
        AND l.at >= coalesce(${after}, '-infinity'::timestamptz) AND l.at < coalesce(${before}, 'infinity'::timestamptz)
    ), timed AS (
      SELECT operation, NULL AS stage, 0 AS place, took_ms FROM answered
      UNION ALL SELECT '', one ->> 'stage', place, (one ->> 'tookMs')::float8
        FROM answered, jsonb_array_elements(stages) WITH ORDINALITY AS each (one, place)
    )
    SELECT operation, stage, count(*)::int AS searches, percentile_disc(0.5) WITHIN GROUP (ORDER BY took_ms) AS "p50Ms",
      percentile_disc(0.95) WITHIN GROUP (ORDER BY took_ms) AS "p95Ms",
      percentile_disc(0.99) WITHIN GROUP (ORDER BY took_ms) AS "p99Ms"
    FROM timed GROUP BY operation, stage ORDER BY min(place), operation, stage`);
  return {
    operations: rows.flatMap(({ stage, ...row }) => (stage === null ? [row] : [])),
    stages: rows.flatMap(({ stage, p50Ms, p95Ms }) => (stage === null ? [] : [{ stage, p50Ms, p95Ms }])),
  };
}

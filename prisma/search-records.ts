import type { SearchRecord, SearchRecords, TimeWindow, ZeroResultRecord } from '../src/domain/ports/evaluation.js';
import type { FilterPlan } from '../src/domain/search.js';
import type { Latency, SearchMetrics } from '../src/domain/search-metrics.js';
import type { Viewer } from '../src/domain/viewer.js';
import type { Database } from './client.js';
import { Prisma } from './generated/client.js';
import { ofTenant } from './visible.js';

interface Totals {
  readonly answered: number;
  readonly failed: number;
  readonly zero: number;
  readonly degraded: number;
}

/** By nearest rank, as everywhere else here. */
const percentiles = (value: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`percentile_disc(0.5) WITHIN GROUP (ORDER BY ${value}) AS "p50Ms",
    percentile_disc(0.95) WITHIN GROUP (ORDER BY ${value}) AS "p95Ms"`;

/** The log of searches in PostgreSQL. */
export class PostgresSearchRecords implements SearchRecords {
  constructor(private readonly database: Database) {}

  /** For every tenant, behind no policy: what was asked is noted by the gateway, and no viewer may write it. */
  async append(tenantId: string, records: readonly SearchRecord[]): Promise<void> {
    const rows = records.map((record) => {
      const { at, operation, queryHash, queryText, filterPlan, lanes, hitIds, degraded, error, tookMs, stages } =
        record;
      return Prisma.sql`(${tenantId}, ${at}, ${operation}, ${queryHash}, ${queryText}, ${filterPlan}, ${lanes}::text[],
        ${hitIds}::text[], ${degraded}::text[], ${error}, ${tookMs}, ${JSON.stringify(stages)}::jsonb)`;
    });
    await this.database.execute(Prisma.sql`
      INSERT INTO search_log (tenant_id, at, operation, query_hash, query_text, filter_plan, lanes, hit_ids, degraded,
        error, took_ms, stages)
      VALUES ${Prisma.join(rows)}`);
  }

  /** What another gateway is just deleting is left to it. */
  forget(days: number, limit: number): Promise<number> {
    return this.database.execute(Prisma.sql`
      DELETE FROM search_log WHERE (tenant_id, id) IN (
        SELECT tenant_id, id FROM search_log WHERE at < now() - ${days}::int * interval '1 day'
        ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`);
  }

  async metrics(viewer: Viewer, window: TimeWindow): Promise<SearchMetrics> {
    const logged = within(viewer, window);
    const database = this.database.as(viewer);
    const answered = Prisma.sql`${logged} AND error IS NULL`;
    const [[totals], operations, stages, filterPlans] = await Promise.all([
      database.query<Totals>(Prisma.sql`
        SELECT count(*) FILTER (WHERE error IS NULL)::int AS answered, count(error)::int AS failed,
          count(*) FILTER (WHERE error IS NULL AND hit_ids = '{}')::int AS zero,
          count(*) FILTER (WHERE error IS NULL AND degraded <> '{}')::int AS degraded
        FROM search_log l WHERE ${logged}`),
      database.query<Latency & { operation: string; searches: number; p99Ms: number }>(Prisma.sql`
        SELECT operation, count(*)::int AS searches, ${percentiles(Prisma.sql`took_ms`)},
          percentile_disc(0.99) WITHIN GROUP (ORDER BY took_ms) AS "p99Ms"
        FROM search_log l WHERE ${answered} GROUP BY operation ORDER BY operation`),
      database.query<Latency & { stage: string }>(Prisma.sql`
        SELECT one ->> 'stage' AS stage, ${percentiles(Prisma.sql`(one ->> 'tookMs')::float8`)}
        FROM search_log l, jsonb_array_elements(stages) WITH ORDINALITY AS each (one, place)
        WHERE ${answered} GROUP BY 1 ORDER BY min(place), 1`),
      database.query<{ plan: FilterPlan; searches: number }>(Prisma.sql`
        SELECT filter_plan AS plan, count(*)::int AS searches
        FROM search_log l WHERE ${answered} GROUP BY 1 ORDER BY 2 DESC, 1`),
    ]);
    if (totals === undefined) throw new Error('counting the logged searches gave no row');
    const rate = (count: number): number | null => (totals.answered === 0 ? null : count / totals.answered);
    return {
      searches: totals.answered,
      failed: totals.failed,
      recent: totals.answered,
      zeroResultRate: rate(totals.zero),
      degradedRate: rate(totals.degraded),
      embeddingCacheHitRate: null,
      operations,
      stages,
      filterPlans,
    };
  }

  fruitless(viewer: Viewer, window: TimeWindow, limit: number): Promise<readonly ZeroResultRecord[]> {
    return this.database.as(viewer).query<ZeroResultRecord>(Prisma.sql`
      SELECT operation, query_text AS text, count(*)::int AS searches, max(at) AS "lastAt"
      FROM search_log l
      WHERE ${within(viewer, window)} AND error IS NULL AND hit_ids = '{}' AND filter_plan = 'none'
        AND query_text IS NOT NULL
      GROUP BY 1, 2 ORDER BY 3 DESC, 4 DESC, 2, 1 LIMIT ${limit}`);
  }
}

function within(viewer: Viewer, { after, before }: TimeWindow): Prisma.Sql {
  const parts = [ofTenant(viewer, Prisma.sql`l`)];
  if (after !== null) parts.push(Prisma.sql`at >= ${after}`);
  if (before !== null) parts.push(Prisma.sql`at < ${before}`);
  return Prisma.join(parts, ' AND ');
}

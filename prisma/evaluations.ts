import { NotFoundError } from '../src/domain/errors.js';
import type { EvaluationJob, EvaluationStore, StoredRanking } from '../src/domain/ports/evaluation.js';
import type { Viewer } from '../src/domain/viewer.js';
import type { Database } from './client.js';
import { Prisma } from './generated/client.js';
import { isUuid } from './uuid.js';
import { ofTenant } from './visible.js';

/** What the table is called in the statements here. */
const E = Prisma.sql`e`;

/** Reports of this many evaluations of a tenant are kept: some hundred cases are a megabyte. */
const KEPT = 50;

/** A job that was not heard of for this long has died with its gateway: a search is answered within seconds. */
const SILENCE = Prisma.sql`interval '1 minute'`;

/** As {@link EvaluationJob} has it; the clock is the database's. */
const COLUMNS = Prisma.sql`id, set_name AS set, profile_name AS profile, against_name AS against, k, done, total,
  CASE WHEN state = 'RUNNING' AND seen_at < now() - ${SILENCE} THEN 'FAILED' ELSE state END AS state,
  CASE WHEN state = 'RUNNING' AND seen_at < now() - ${SILENCE} THEN 'its gateway ended before it' ELSE error END AS error,
  created_at AS "createdAt", finished_at AS "finishedAt"`;

/** The evaluations in PostgreSQL. */
export class PostgresEvaluationStore implements EvaluationStore {
  constructor(private readonly database: Database) {}

  begin(
    viewer: Viewer,
    { set, profile, against, k, total }: Pick<EvaluationJob, 'set' | 'profile' | 'against' | 'k' | 'total'>,
  ): Promise<EvaluationJob> {
    const own = ofTenant(viewer, E);
    return this.database.as(viewer).transaction(async (tx) => {
      await tx.execute(Prisma.sql`
        DELETE FROM evaluation e WHERE ${own} AND e.id IN (
          SELECT e.id FROM evaluation e WHERE ${own}
          ORDER BY created_at DESC, id OFFSET ${KEPT - 1} LIMIT 1000)`);
      const [job] = await tx.query<EvaluationJob>(Prisma.sql`
        INSERT INTO evaluation (tenant_id, set_name, profile_name, against_name, k, total)
        VALUES (${viewer.tenantId}, ${set}, ${profile}, ${against}, ${k}, ${total}) RETURNING ${COLUMNS}`);
      if (job === undefined) throw new Error('beginning an evaluation gave no row');
      return job;
    });
  }

  async progress(viewer: Viewer, id: string, done: number): Promise<void> {
    await this.database.as(viewer).execute(Prisma.sql`
      UPDATE evaluation e SET done = ${done}, seen_at = now()
      WHERE ${ofTenant(viewer, E)} AND id = ${id}::uuid AND state = 'RUNNING'`);
  }

  async finish(viewer: Viewer, id: string, reportJson: string): Promise<void> {
    await this.database.as(viewer).execute(Prisma.sql`
      UPDATE evaluation e SET state = 'DONE', done = total, report = ${reportJson}::jsonb,
        seen_at = now(), finished_at = now()
      WHERE ${ofTenant(viewer, E)} AND id = ${id}::uuid AND state = 'RUNNING'`);
  }

  async fail(viewer: Viewer, id: string, error: string): Promise<void> {
    await this.database.as(viewer).execute(Prisma.sql`
      UPDATE evaluation e SET state = 'FAILED', error = ${error}, seen_at = now(), finished_at = now()
      WHERE ${ofTenant(viewer, E)} AND id = ${id}::uuid AND state = 'RUNNING'`);
  }

  async job(viewer: Viewer, id: string): Promise<EvaluationJob> {
    const jobs = isUuid(id)
      ? await this.database.as(viewer).query<EvaluationJob>(Prisma.sql`
          SELECT ${COLUMNS} FROM evaluation e WHERE ${ofTenant(viewer, E)} AND id = ${id}::uuid`)
      : [];
    if (jobs[0] === undefined) throw new NotFoundError('evaluation', id);
    return jobs[0];
  }

  jobs(viewer: Viewer, limit: number): Promise<readonly EvaluationJob[]> {
    return this.database.as(viewer).query<EvaluationJob>(Prisma.sql`
      SELECT ${COLUMNS} FROM evaluation e WHERE ${ofTenant(viewer, E)} ORDER BY created_at DESC, id LIMIT ${limit}`);
  }

  async reportJson(viewer: Viewer, id: string): Promise<string | null> {
    const [row] = await this.database.as(viewer).query<{ report: string | null }>(Prisma.sql`
      SELECT report::text AS report FROM evaluation e WHERE ${ofTenant(viewer, E)} AND id = ${id}::uuid`);
    return row?.report ?? null;
  }

  async rankings(viewer: Viewer, id: string): Promise<readonly StoredRanking[]> {
    const [row] = await this.database.as(viewer).query<{ rankings: StoredRanking[] | null }>(Prisma.sql`
      SELECT report->'rankings' AS rankings FROM evaluation e
      WHERE ${ofTenant(viewer, E)} AND id = ${id}::uuid`);
    return row?.rankings ?? [];
  }
}

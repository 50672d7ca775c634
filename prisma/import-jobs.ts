import { ConflictError, ForbiddenError, NotFoundError } from '../src/domain/errors.js';
import type { ImportJob, RowProblem } from '../src/domain/import.js';
import type { Folded, ImportJobStore, JobStep, NewJob, OwnedJob } from '../src/domain/ports/notebooks.js';
import type { Role, Viewer } from '../src/domain/viewer.js';
import type { Database } from './client.js';
import { Prisma } from './generated/client.js';
import { sha256 } from './request-keys.js';
import type { Statements } from './statements.js';
import { isUuid } from './uuid.js';
import { changeableImport, ownImport, visibleImport } from './visible.js';

/** The columns of `import_job j` under the names of {@link ImportJob}: a row is a job. */
const JOB_COLUMNS = Prisma.sql`j.id::text, j.name, j.format, j.options, j.state, j.problem, j.notices, j.total, j.read, j.created,
  j.updated, j.merged, j.skipped, j.failed, j.created_at AS "createdAt", j.finished_at AS "finishedAt"`;

/** The imports in the tables import_job and import_row_error. */
export class PostgresImportJobStore implements ImportJobStore {
  constructor(private readonly database: Database) {}

  /** Two requests with the same key at once: one makes the job, a unique index lets the other one find it. */
  async begin(
    viewer: Viewer,
    { id, key, body, name, format, options }: NewJob,
  ): Promise<{ job: ImportJob; joined: boolean }> {
    const bodySha256 = body === null ? null : sha256(body);
    const database = this.database.as(viewer);
    for (;;) {
      const [made] = await database.transaction((tx) =>
        tx.query<ImportJob>(Prisma.sql`
        INSERT INTO import_job AS j (tenant_id, id, owner_id, role, key, body_sha256, name, format, options, state, notices)
        VALUES (${viewer.tenantId}, ${id}::uuid, ${viewer.ownerId}, ${viewer.role}, ${key}, ${bodySha256}, ${name},
          ${format}, ${JSON.stringify(options)}::jsonb, 'CHECKING', '{}')
        ON CONFLICT DO NOTHING RETURNING ${JOB_COLUMNS}`),
      );
      if (made !== undefined) return { job: made, joined: false };
      // A job of a version that kept no body is taken for the same.
      const [known] = await database.query<ImportJob & { same: boolean }>(Prisma.sql`
        SELECT ${JOB_COLUMNS}, coalesce(j.body_sha256 = ${bodySha256}, true) AS same FROM import_job j
        WHERE ${ownImport(viewer)} AND j.key = ${key}
          AND (j.state IN ('CHECKING', 'RUNNING') OR j.state = 'DONE' AND j.format = 'rows')`);
      // It may have ended between the two statements; then it is begun once more.
      if (known === undefined) continue;
      const { same, ...job } = known;
      if (!same) throw new ConflictError('the key was used for another import');
      return { job, joined: true };
    }
  }

  async checked(viewer: Viewer, id: string, total: number, notices: readonly string[]): Promise<void> {
    await this.database.as(viewer).execute(Prisma.sql`
      UPDATE import_job j SET state = 'RUNNING', total = ${total}, notices = ${notices}::text[]
      WHERE ${ownImport(viewer)} AND j.id = ${id}::uuid AND j.state = 'CHECKING'`);
  }

  async finish(
    viewer: Viewer,
    id: string,
    state: 'DONE' | 'REFUSED' | 'FAILED',
    problem: string | null,
  ): Promise<void> {
    await this.database.as(viewer).execute(Prisma.sql`
      UPDATE import_job j SET state = ${state}, problem = ${problem && storable(problem)}, finished_at = now()
      WHERE ${ownImport(viewer)} AND j.id = ${id}::uuid AND j.state IN ('CHECKING', 'RUNNING')
        AND (${state} <> 'FAILED' OR j.format <> 'rows' OR j.read = 0)`);
  }

  async attempt(viewer: Viewer, id: string): Promise<number | null> {
    const [job] = await this.database.as(viewer).transaction((tx) =>
      tx.query<{ attempts: number }>(Prisma.sql`
        UPDATE import_job j SET attempts = attempts + 1
        WHERE ${ownImport(viewer)} AND j.id = ${id}::uuid AND j.state IN ('CHECKING', 'RUNNING')
        RETURNING j.attempts`),
    );
    return job?.attempts ?? null;
  }

  async attemptStopped(viewer: Viewer, id: string): Promise<void> {
    await this.database.as(viewer).execute(Prisma.sql`
      UPDATE import_job j SET attempts = greatest(attempts - 1, 0) WHERE ${ownImport(viewer)} AND j.id = ${id}::uuid`);
  }

  async cancel(viewer: Viewer, id: string): Promise<ImportJob> {
    await this.job(viewer, id);
    await this.database.as(viewer).execute(Prisma.sql`
      UPDATE import_job j SET state = 'CANCELLED', finished_at = now()
      WHERE ${changeableImport(viewer)} AND j.id = ${id}::uuid AND j.state IN ('CHECKING', 'RUNNING')`);
    const job = await this.job(viewer, id);
    if (job.finishedAt !== null) return job;
    throw new ForbiddenError('the import is of another owner: only that owner and admins may cancel it');
  }

  async job(viewer: Viewer, id: string): Promise<ImportJob> {
    const jobs = isUuid(id)
      ? await this.database.as(viewer).query<ImportJob>(Prisma.sql`
          SELECT ${JOB_COLUMNS} FROM import_job j WHERE ${visibleImport(viewer)} AND j.id = ${id}::uuid`)
      : [];
    if (jobs[0] === undefined) throw new NotFoundError('import', id);
    return jobs[0];
  }

  problems(viewer: Viewer, id: string, first: number, after: number): Promise<readonly RowProblem[]> {
    return this.database.as(viewer).query<RowProblem>(Prisma.sql`
      SELECT e.failed, e.sheet, e."row", e.column_name AS "column", e.reason
      FROM import_row_error e JOIN import_job j ON j.tenant_id = e.tenant_id AND j.id = e.job_id
      WHERE ${visibleImport(viewer)} AND j.id = ${id}::uuid AND e.number > ${after} ORDER BY e.number LIMIT ${first}`);
  }

  /** Of every owner, behind no policy: the gateway itself goes on with what it was killed at. */
  async underWay(): Promise<readonly OwnedJob[]> {
    const rows = await this.database.query<ImportJob & { tenantId: string; ownerId: string; role: Role }>(Prisma.sql`
      SELECT j.tenant_id AS "tenantId", j.owner_id AS "ownerId", j.role, ${JOB_COLUMNS}
      FROM import_job j WHERE j.state IN ('CHECKING', 'RUNNING') ORDER BY j.created_at, j.id`);
    return rows.map(({ tenantId, ownerId, role, ...job }) => ({ viewer: { tenantId, ownerId, role }, job }));
  }
}

/** What is wrong with a file may quote it: PostgreSQL refuses NUL, and half of a surrogate pair in JSON. */
function storable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}

function storableTexts(_: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value;
}

/** Records what came of a step's rows; false where the job no longer stands where the step began. */
export async function recordStep(
  tx: Statements,
  viewer: Viewer,
  { jobId, read }: JobStep,
  { counts, problems }: Folded,
): Promise<boolean> {
  const moved = await tx.execute(Prisma.sql`
    UPDATE import_job j SET read = read + ${counts.read}, created = created + ${counts.created},
      updated = updated + ${counts.updated}, merged = merged + ${counts.merged},
      skipped = skipped + ${counts.skipped}, failed = failed + ${counts.failed}
    WHERE ${ownImport(viewer)} AND j.id = ${jobId}::uuid AND j.state = 'RUNNING' AND j.read = ${read}`);
  if (moved === 0) return false;
  const { tenantId } = viewer;
  if (problems.length > 0) {
    await tx.execute(Prisma.sql`
      INSERT INTO import_row_error (tenant_id, job_id, number, failed, sheet, "row", column_name, reason)
      SELECT ${tenantId}, ${jobId}::uuid, known.number + p.place::int, p.failed, p.sheet, p."row", p."column", p.reason
      FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(problems, storableTexts)}::jsonb)
          AS (failed boolean, sheet text, "row" int, "column" text, reason text)) WITH ORDINALITY
        AS p (failed, sheet, "row", "column", reason, place),
        (SELECT coalesce(max(number), 0) AS number FROM import_row_error
          WHERE tenant_id = ${tenantId} AND job_id = ${jobId}::uuid) known`);
  }
  return true;
}

import { ConflictError, ForbiddenError, NotFoundError } from '../../src/domain/errors.js';
import type { ImportedRow, ImportJob, RowOutcome, RowProblem } from '../../src/domain/import.js';
import type { Folded, ImportJobStore, JobStep, NewJob, OwnedJob } from '../../src/domain/ports/imports.js';
import type { Role, Viewer } from '../../src/domain/viewer.js';
import { sha256 } from '../cards/request-keys.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { isUuid, json, storable, type Transaction, type ViewerTransaction } from '../statements.js';
import { changeableBy, ownedBy, visibleTo } from '../viewer-conditions.js';

const UNDER_WAY = { state: { in: ['CHECKING', 'RUNNING'] } };

export class PostgresImportJobStore implements ImportJobStore {
  constructor(private readonly database: Database) {}

  /**
   * If two requests with the same key arrive at once, one creates the job, and a unique index makes the other one find
   * it.
   */
  async begin(viewer: Viewer, { body, options, ...job }: NewJob): Promise<{ job: ImportJob; joined: boolean }> {
    const bodySha256 = body === null ? null : sha256(body);
    const { tenantId, ownerId, role } = viewer;
    const given = { ...job, bodySha256, options: json(options), tenantId, ownerId, role };
    const data = { ...given, notices: [], state: 'CHECKING' };
    for (;;) {
      const found = await this.database.as(viewer).transaction(async ({ prisma: { importJob } }) => {
        const [made] = await importJob.createManyAndReturn({ data, skipDuplicates: true });
        if (made !== undefined) return { row: made, joined: false };
        const known = await importJob.findFirst({
          where: { ...ownedBy(viewer), key: job.key, OR: [UNDER_WAY, { state: 'DONE', format: 'rows' }] },
        });
        return known === null ? null : { row: known, joined: true };
      });
      // The job may have ended between the two statements: try again.
      if (found === null) continue;
      const { row, joined } = found;
      // Jobs of older versions have no digest: they count as equal.
      if (joined && bodySha256 !== null && row.bodySha256 !== null && !bodySha256.equals(row.bodySha256)) {
        throw new ConflictError('the key was used for a different import: send another one with a new key');
      }
      return { job: jobOf(row), joined };
    }
  }

  async checked(viewer: Viewer, id: string, total: number, notices: readonly string[]): Promise<void> {
    const where = { ...ownedBy(viewer), id, state: 'CHECKING' };
    await update(this.database, viewer, where, () => ({ state: 'RUNNING', total, notices: { set: [...notices] } }));
  }

  async finish(
    viewer: Viewer,
    id: string,
    state: 'DONE' | 'REFUSED' | 'FAILED',
    problem: string | null,
  ): Promise<void> {
    const mayFail = state === 'FAILED' ? { OR: [{ format: { not: 'rows' } }, { read: 0 }] } : {};
    const where = { ...ownedBy(viewer), id, ...UNDER_WAY, ...mayFail };
    await update(this.database, viewer, where, ({ now }) => ({ state, problem: storable(problem), finishedAt: now }));
  }

  async attempt(viewer: Viewer, id: string): Promise<number | null> {
    const [job] = await this.database.as(viewer).transaction(({ prisma }) =>
      prisma.importJob.updateManyAndReturn({
        where: { ...ownedBy(viewer), id, ...UNDER_WAY },
        data: { attempts: { increment: 1 } },
        select: { attempts: true },
      }),
    );
    return job?.attempts ?? null;
  }

  async attemptStopped(viewer: Viewer, id: string): Promise<void> {
    const where = { ...ownedBy(viewer), id, attempts: { gt: 0 } };
    await update(this.database, viewer, where, () => ({ attempts: { decrement: 1 } }));
  }

  async cancel(viewer: Viewer, id: string): Promise<ImportJob> {
    await this.job(viewer, id);
    const where = { ...changeableBy(viewer), id, ...UNDER_WAY };
    await update(this.database, viewer, where, ({ now }) => ({ state: 'CANCELLED', finishedAt: now }));
    const job = await this.job(viewer, id);
    if (job.finishedAt !== null) return job;
    throw new ForbiddenError('the import is of another owner: only that owner and admins may cancel it');
  }

  async job(viewer: Viewer, id: string): Promise<ImportJob> {
    const where = { ...visibleTo(viewer), id };
    const job = isUuid(id)
      ? await this.database.as(viewer).transaction(({ prisma }) => prisma.importJob.findFirst({ where }))
      : null;
    if (job === null) throw new NotFoundError('import', id);
    return jobOf(job);
  }

  async problems(viewer: Viewer, id: string, first: number, after: number): Promise<readonly RowProblem[]> {
    const rows = await this.database.as(viewer).transaction(({ prisma }) =>
      prisma.importRowError.findMany({
        where: { jobId: id, job: visibleTo(viewer), number: { gt: after } },
        select: { failed: true, sheet: true, row: true, columnName: true, reason: true, content: true },
        orderBy: { number: 'asc' },
        take: first,
      }),
    );
    return rows.map(({ columnName, ...problem }) => ({ ...problem, column: columnName }));
  }

  async rows(viewer: Viewer, id: string): Promise<readonly ImportedRow[] | null> {
    const where = { ...visibleTo(viewer), id };
    const job = await this.database
      .as(viewer)
      .transaction(({ prisma }) => prisma.importJob.findFirst({ where, select: { rowOutcomes: true } }));
    const rows = (job?.rowOutcomes ?? null) as readonly [RowOutcome, string | null][] | null;
    return rows?.map(([outcome, cardId]) => ({ outcome, cardId })) ?? null;
  }

  /** Of all owners, without row-level security: the gateway resumes imports after it was killed. */
  async underWay(): Promise<readonly OwnedJob[]> {
    const rows = await this.database.run(({ importJob }) =>
      importJob.findMany({ where: UNDER_WAY, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
    );
    return rows.map((row) => ({
      viewer: { tenantId: row.tenantId, ownerId: row.ownerId, role: row.role as Role },
      job: jobOf(row),
    }));
  }

  /** Of all owners, as {@link underWay}. */
  async failLostRequests(olderThanMs: number, problem: string): Promise<void> {
    const now = await this.database.now();
    const where = { ...UNDER_WAY, format: 'rows', read: 0, createdAt: { lt: new Date(now.getTime() - olderThanMs) } };
    const data = { state: 'FAILED', problem, finishedAt: now };
    await this.database.run(({ importJob }) => importJob.updateMany({ where, data }));
  }
}

async function update(
  database: Database,
  viewer: Viewer,
  where: Prisma.ImportJobWhereInput,
  change: (tx: ViewerTransaction) => Prisma.ImportJobUpdateManyMutationInput,
): Promise<void> {
  await database.as(viewer).transaction((tx) => tx.prisma.importJob.updateMany({ where, data: change(tx) }));
}

function jobOf(row: Prisma.ImportJobGetPayload<object>): ImportJob {
  const { tenantId: _, ownerId: _o, role: _r, key: _k, bodySha256: _b, attempts: _a, rowOutcomes: _rows, ...job } = row;
  return job as unknown as ImportJob;
}

/** Records the outcome of a step's rows; false if the job has advanced since the step began. */
export async function recordStep(
  tx: Transaction,
  viewer: Viewer,
  { jobId, read }: JobStep,
  { counts, problems, rows }: Folded,
): Promise<boolean> {
  const increments = Object.entries(counts).map(([name, increment]) => [name, { increment }]);
  const moved = await tx.prisma.importJob.updateMany({
    where: { ...ownedBy(viewer), id: jobId, state: 'RUNNING', read },
    data: {
      ...Object.fromEntries(increments),
      ...(rows.length > 0 && { rowOutcomes: rows.map(({ outcome, cardId }) => [outcome, cardId]) }),
    },
  });
  if (moved.count === 0) return false;
  if (problems.length === 0) return true;
  const stored = problems.map(({ column, sheet, reason, content, ...problem }, place) => ({
    ...problem,
    place: place + 1,
    sheet: storable(sheet),
    reason: storable(reason),
    content: storable(content),
    column_name: storable(column),
  }));
  const { tenantId } = viewer;
  // Prisma plans a `createMany` by its values, on the event loop: `rows of 65 columns.csv` in test/faults/corpus.
  await tx.execute(Prisma.sql`
    INSERT INTO import_row_error (tenant_id, job_id, number, failed, sheet, row, column_name, reason, content)
    SELECT ${tenantId}, ${jobId}::uuid, coalesce((
        SELECT max(number) FROM import_row_error WHERE tenant_id = ${tenantId} AND job_id = ${jobId}::uuid
      ), 0) + p.place, p.failed, p.sheet, p.row, p.column_name, p.reason, p.content
    FROM jsonb_to_recordset(${JSON.stringify(stored)}::jsonb) AS p (place int, failed boolean, sheet text, row int,
      column_name text, reason text, content text)`);
  return true;
}

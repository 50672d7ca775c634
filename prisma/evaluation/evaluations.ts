import { NotFoundError } from '../../src/domain/errors.js';
import type { EvaluationJob, EvaluationStore } from '../../src/domain/ports/evaluation.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { isUuid, storable, type ViewerTransaction } from '../statements.js';
import { ofTenant, tenantOf } from '../viewer-conditions.js';

/** Evaluations of a tenant whose reports are kept: a report of some hundred cases has a megabyte. */
const KEPT = 50;

/** A running job without progress for this time has ended with its gateway: a search takes seconds at most. */
const SILENCE_MS = 60_000;

const NEWEST_FIRST = [{ createdAt: 'desc' }, { id: 'asc' }] satisfies Prisma.EvaluationOrderByWithRelationInput[];

export class PostgresEvaluationStore implements EvaluationStore {
  constructor(private readonly database: Database) {}

  begin(
    viewer: Viewer,
    { set, profile, against, k, total }: Pick<EvaluationJob, 'set' | 'profile' | 'against' | 'k' | 'total'>,
  ): Promise<EvaluationJob> {
    return this.database.as(viewer).transaction(async (tx) => {
      const { evaluation } = tx.prisma;
      const old = await evaluation.findMany({
        where: tenantOf(viewer),
        select: { id: true },
        orderBy: NEWEST_FIRST,
        skip: KEPT - 1,
      });
      await evaluation.deleteMany({ where: { ...tenantOf(viewer), id: { in: old.map(({ id }) => id) } } });
      const data = { tenantId: viewer.tenantId, setName: set, profileName: profile, againstName: against, k, total };
      return jobOf(await evaluation.create({ data, omit: { report: true } }), tx);
    });
  }

  async progress(viewer: Viewer, id: string, done: number): Promise<void> {
    await this.#update(viewer, id, () => ({ done }));
  }

  /** SQL: the report is text already, of some MB. */
  async finish(viewer: Viewer, id: string, reportJson: string): Promise<void> {
    await this.database.as(viewer).transaction((tx) =>
      tx.execute(Prisma.sql`
      UPDATE evaluation e SET state = 'DONE', report = ${reportJson}::jsonb,
        seen_at = now(), finished_at = now()
      WHERE ${ofTenant(viewer, 'e')} AND id = ${id}::uuid AND state = 'RUNNING'`),
    );
  }

  async fail(viewer: Viewer, id: string, error: string): Promise<void> {
    await this.#update(viewer, id, ({ now }) => ({ state: 'FAILED', error: storable(error), finishedAt: now }));
  }

  async job(viewer: Viewer, id: string): Promise<EvaluationJob> {
    const [job] = isUuid(id) ? await this.#jobs(viewer, { id }, 1) : [];
    if (job === undefined) throw new NotFoundError('evaluation', id);
    return job;
  }

  jobs(viewer: Viewer, limit: number): Promise<readonly EvaluationJob[]> {
    return this.#jobs(viewer, {}, limit);
  }

  reportJson(viewer: Viewer, id: string): Promise<string | null> {
    return this.#report(viewer, id, { isWhole: true });
  }

  async reportHead(viewer: Viewer, id: string): Promise<object | null> {
    const head = await this.#report(viewer, id, { isWhole: false });
    return head === null ? null : JSON.parse(head);
  }

  async reportCases(viewer: Viewer, id: string, { from, first }: { from: number; first: number }) {
    const [row] = await this.database
      .as(viewer)
      .query<{ cases: unknown[]; total: number; rankings: string[] }>(Prisma.sql`
      SELECT jsonb_path_query_array(report, '$.caseReports[$from to $to]',
          jsonb_build_object('from', ${from}::int, 'to', ${from + first - 1}::int)) AS cases,
        jsonb_array_length(report->'caseReports') AS total,
        jsonb_path_query_array(report, '$.rankings[*].name') AS rankings
      FROM evaluation e WHERE ${ofTenant(viewer, 'e')} AND id = ${id}::uuid AND report IS NOT NULL`);
    return row ?? null;
  }

  /** SQL, as in {@link finish}: the report as text, or what it has beside its cases. */
  async #report(viewer: Viewer, id: string, { isWhole }: { readonly isWhole: boolean }): Promise<string | null> {
    const [row] = await this.database.as(viewer).query<{ report: string | null }>(Prisma.sql`
      SELECT (CASE WHEN ${isWhole}::boolean THEN report ELSE (report - 'caseReports') #- '{comparison,changes}' END)::text
        AS report FROM evaluation e WHERE ${ofTenant(viewer, 'e')} AND id = ${id}::uuid`);
    return row?.report ?? null;
  }

  #jobs(viewer: Viewer, named: { readonly id?: string }, take: number): Promise<EvaluationJob[]> {
    const where = { ...tenantOf(viewer), ...named };
    return this.database.as(viewer).transaction(async (tx) => {
      const rows = await tx.prisma.evaluation.findMany({ where, omit: { report: true }, orderBy: NEWEST_FIRST, take });
      return rows.map((row) => jobOf(row, tx));
    });
  }

  /** No-op if the job is not running. */
  async #update(
    viewer: Viewer,
    id: string,
    change: (tx: ViewerTransaction) => Prisma.EvaluationUpdateManyMutationInput,
  ): Promise<void> {
    const where = { ...tenantOf(viewer), id, state: 'RUNNING' };
    await this.database
      .as(viewer)
      .transaction((tx) => tx.prisma.evaluation.updateMany({ where, data: { ...change(tx), seenAt: tx.now } }));
  }
}

type EvaluationRow = Prisma.EvaluationGetPayload<{ omit: { report: true } }>;

function jobOf(row: EvaluationRow, { now }: ViewerTransaction): EvaluationJob {
  const { id, setName, profileName, againstName, k, done, total, createdAt, seenAt, finishedAt } = row;
  const isDead = row.state === 'RUNNING' && now.getTime() - seenAt.getTime() > SILENCE_MS;
  return {
    id,
    set: setName,
    profile: profileName,
    against: againstName,
    k,
    // A finished job has measured all its cases.
    done: row.state === 'DONE' ? total : done,
    total,
    state: isDead ? 'FAILED' : (row.state as EvaluationJob['state']),
    error: isDead ? 'its gateway ended before it' : row.error,
    createdAt,
    finishedAt: isDead ? seenAt : finishedAt,
  };
}

import type pg from 'pg';
import { StartupError } from '../src/domain/errors.js';
import type { Viewer } from '../src/domain/viewer.js';
import { cancellable } from './cancellable.js';
import { INSUFFICIENT_PRIVILEGE, sqlState } from './errors.js';
import { Prisma, type PrismaClient } from './generated/client.js';
import { type Queries, type Setting, setLocally, statementsOf, type ViewerDatabase } from './statements.js';
import { type PreparedStatements, ViewerQuery } from './viewer-query.js';

/** The server cancels a viewer's statement after this, in ms: the deadline of a request. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** Settings of the transaction that the policies of the tables read. */
function settingsOf({ tenantId, ownerId, role }: Viewer): readonly Setting[] {
  return [
    ['errata.tenant_id', tenantId],
    ['errata.owner_id', ownerId],
    ['errata.role', role],
    ['statement_timeout', String(STATEMENT_TIMEOUT_MS)],
    ['role', 'errata_viewer'],
  ];
}

/** Prisma's client with transactions on behalf of a viewer. */
export function withViewers(prisma: PrismaClient) {
  return prisma.$extends({
    name: 'row-level security',
    client: {
      /** As `$transaction`, with row-level security. */
      $transactionAs<T>(viewer: Viewer, work: (tx: Prisma.TransactionClient, now: Date) => Promise<T>): Promise<T> {
        return prisma.$transaction(async (tx) => work(tx, await actAs(statementsOf(tx), viewer)));
      },
    },
  });
}

/**
 * Until its end, the transaction runs with the role errata_viewer on behalf of this viewer: the policies of the tables
 * restrict what it can read and write. Returns as {@link setLocally}.
 */
export function actAs(tx: Queries, viewer: Viewer): Promise<Date> {
  return setLocally(tx, settingsOf(viewer));
}

/**
 * For the gateway's own statements within a transaction of a viewer: no row-level security until {@link actAs} is
 * called again.
 */
export function actAsGateway(tx: Queries): Promise<Date> {
  return setLocally(tx, [['role', 'none']]);
}

export interface ViewerQueryInput {
  readonly viewer: Viewer;
  readonly sql: Prisma.Sql;
  /** Null: the statement is not prepared. */
  readonly name: string | null;
}

/**
 * PostgreSQL may keep one plan for a prepared statement, made when the tables were small enough to be read whole, until
 * it next analyses them, which is up to a minute after a large import.
 */
const BY_INDEXES: Setting = ['enable_seqscan', 'off'];

/**
 * Runs one statement that only reads, on behalf of a viewer, in one round trip: a transaction of Prisma takes four.
 * Once the signal aborts, it rejects with the signal's reason, and the server cancels the statement.
 */
export function queryAs<Row>(
  { pool, prepared }: { readonly pool: pg.Pool; readonly prepared: PreparedStatements },
  { viewer, sql: { text, values }, name }: ViewerQueryInput,
  signal?: AbortSignal,
): Promise<Row[]> {
  const settings = name === null ? settingsOf(viewer) : [...settingsOf(viewer), BY_INDEXES];
  const run = (client: pg.ClientBase): Promise<Row[]> =>
    new Promise<Row[]>((resolve, reject) => {
      const onEnd = (error: Error | null, rows: Row[] = []): void => (error === null ? resolve(rows) : reject(error));
      client.query(new ViewerQuery<Row>({ settings, text, values, name }, prepared, onEnd));
    }).catch((thrown: unknown) => {
      // As pg does: instead of the frames of a socket those of the caller.
      if (thrown instanceof Error) Error.captureStackTrace(thrown);
      throw thrown;
    });
  return cancellable(pool, signal, run);
}

/** For checking the policies. */
const NOBODY: Viewer = { tenantId: '', ownerId: '', role: 'student' };

/**
 * StartupError (78) if the policies do not apply to viewers, or if they also apply to the gateway's own work, which
 * would then find no cards and treat them as deleted.
 */
export async function checkRowLevelSecurity(database: Queries & { as(viewer: Viewer): ViewerDatabase }): Promise<void> {
  const open = await database
    .as(NOBODY)
    .transaction((tx) => viewersTables(tx, false))
    .catch(refused);
  if (open.length > 0) {
    throw new StartupError(
      `the database lets the role errata_viewer see all of ${open.join(', ')}: the role must not bypass row-level security`,
      78,
    );
  }
  if ((await viewersTables(database, true)).length > 0) {
    throw new StartupError(
      'row-level security applies to the user of DATABASE_URL: the user must own the tables, or have BYPASSRLS',
      78,
    );
  }
}

/** The tenants' tables that viewers may read and whose policies apply, or do not apply, to the current role. */
async function viewersTables(queries: Queries, applied: boolean): Promise<readonly string[]> {
  const rows = await queries.query<{ name: string }>(Prisma.sql`
    SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
    WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind = 'r'
      AND has_table_privilege('errata_viewer', c.oid, 'SELECT') AND row_security_active(c.oid) = ${applied}
    ORDER BY 1`);
  return rows.map(({ name }) => name);
}

function refused(thrown: unknown): never {
  if (sqlState(thrown) !== INSUFFICIENT_PRIVILEGE) throw thrown;
  const remedy = 'GRANT errata_viewer TO the user of DATABASE_URL';
  throw new StartupError(`the user of DATABASE_URL may not act as the role errata_viewer: ${remedy}`, 78, {
    cause: thrown,
  });
}

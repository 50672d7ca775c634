import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { packageRoot } from '../src/config/package-root.js';
import { abortable } from '../src/domain/async.js';
import { StartupError } from '../src/domain/errors.js';
import type { Log } from '../src/domain/ports/log.js';
import { type DatabaseAddress, databaseAddress } from './address.js';
import { cancelStatement } from './cancellable.js';
import { checkServer } from './check-server.js';
import { failureOf, INSUFFICIENT_PRIVILEGE, sqlState, startupFailure } from './errors.js';

interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, as Prisma computes it. */
  readonly checksum: string;
}

/** A row of `_prisma_migrations` that was not rolled back. */
interface Recorded {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
}

/** The advisory lock of Prisma's own command, so that the two never run concurrently. */
const MIGRATION_LOCK = 72707369;

/**
 * How long to wait for the migration of another process, and for each lock of a migration, in ms. All statements on the
 * table wait behind a waiting migration, also those of a gateway that still runs.
 */
const LOCK_TIMEOUT_MS = 60_000;

/** SQLSTATE of a lock that was not granted within lock_timeout. */
const LOCK_NOT_AVAILABLE = '55P03';

/** A migration that takes longer is logged, because it may be waiting, in ms. */
const REPORT_AFTER_MS = 5_000;

/** As Prisma creates it. */
const CREATE_RECORDS = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

export interface MigrateOptions {
  /** Another folder than that of this version. */
  readonly migrations?: string;
  /** Time limit, in ms, of each wait of a migration for a table's lock. */
  readonly lockTimeoutMs?: number;
  /** A wait that takes longer is logged. */
  readonly reportAfterMs?: number;
  readonly log?: Pick<Log, 'warn'>;
}

/**
 * Applies the migrations to the schema of `url` (`?schema=`, else public), each in one transaction, and records them in
 * `_prisma_migrations` as `prisma migrate deploy` does. Processes that start at the same time wait for each other. Once
 * the signal aborts, the server cancels the running statement.
 *
 * StartupError (78) if a recorded migration is unknown, has failed, or differs from its file; 69 if the server is
 * unavailable, or another session holds a lock.
 */
export async function migrate(url: string, signal?: AbortSignal, options: MigrateOptions = {}): Promise<void> {
  const address = databaseAddress(url);
  const wanted = await readMigrations(options.migrations);
  signal?.throwIfAborted();
  await connected(address, signal, async (client) => {
    await connected(address, signal, (other) => checkServer([client, other], address));
    const done = await recorded(client, address.schema);
    // `prisma migrate deploy` records a migration before it applies it, and holds the lock meanwhile: check again with
    // the lock.
    const isUnderWay = done.some(({ finished_at }) => finished_at === null);
    if (isUnderWay || pending(wanted, done).length > 0) {
      await apply(client, address.schema, wanted, { ...options, signal });
    }
  });
}

/** The migrations that a start would apply to the schema of `url`. Changes nothing. StartupError as {@link migrate}. */
export async function pendingMigrations(url: string): Promise<readonly string[]> {
  const address = databaseAddress(url);
  const wanted = await readMigrations();
  const done = await connected(address, undefined, (client) => recorded(client, address.schema));
  return pending(wanted, done).map(({ name }) => name);
}

/** StartupError (69) if a file that the URL names cannot be read. */
function clientFor({ connection, where }: DatabaseAddress): pg.Client {
  try {
    return new pg.Client(connection);
  } catch (thrown) {
    throw startupFailure(where, thrown);
  }
}

async function connected<T>(
  address: DatabaseAddress,
  signal: AbortSignal | undefined,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const { connection, where } = address;
  const client = clientFor(address);
  // Without a listener, an error between statements would end the process; the next statement fails anyway.
  client.on('error', () => undefined);
  try {
    const result = client.connect().then(() => work(client));
    return await (signal === undefined ? result : abortable(result, signal));
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    throw startupFailure(where, thrown);
  } finally {
    // Otherwise it would wait on for its locks, and everybody else behind it.
    // If it cannot be cancelled, the server is not there any more; the start has failed already.
    if (signal?.aborted) await cancelStatement(connection, client).catch(() => undefined);
    await client.end();
  }
}

async function readMigrations(folder = join(packageRoot(), 'prisma', 'migrations')): Promise<readonly Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const file = await readFile(join(folder, name, 'migration.sql'));
      return { name, sql: file.toString('utf8'), checksum: createHash('sha256').update(file).digest('hex') };
    }),
  );
}

async function recorded(client: pg.Client, schema: string): Promise<readonly Recorded[]> {
  const table = await client.query('SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [
    schema,
    '_prisma_migrations',
  ]);
  if (table.rowCount === 0) return [];
  const { rows } = await client.query<Recorded>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at',
  );
  return rows;
}

/** The migrations that are not applied. StartupError if the recorded ones do not match. */
function pending(wanted: readonly Migration[], done: readonly Recorded[]): readonly Migration[] {
  const byName = new Map(wanted.map((migration) => [migration.name, migration]));
  for (const { migration_name: name, checksum, finished_at } of done) {
    const migration = byName.get(name);
    if (migration === undefined) {
      throw new StartupError(
        `the database has the migration ${name}, which this version does not know: it is newer`,
        78,
      );
    }
    if (finished_at === null) {
      throw new StartupError(`the migration ${name} has failed in this database: see prisma migrate resolve`, 78);
    }
    if (migration.checksum !== checksum) {
      throw new StartupError(`the migration ${name} has changed since it was applied to this database`, 78);
    }
  }
  const names = new Set(done.map((row) => row.migration_name));
  return wanted.filter((migration) => !names.has(migration.name));
}

async function apply(
  client: pg.Client,
  schema: string,
  wanted: readonly Migration[],
  options: MigrateOptions & { readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, signal } = options;
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  const lock = client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  await reported(options, 'another process is migrating the database; waiting', lock);
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
  // Checked first: CREATE SCHEMA IF NOT EXISTS requires the privilege even if the schema exists.
  const { rowCount } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)}`);
  await client.query(CREATE_RECORDS);
  // Another process may have migrated in the meantime.
  for (const { name, sql, checksum } of pending(wanted, await recorded(client, schema))) {
    signal?.throwIfAborted();
    await client.query('BEGIN');
    const applied = client.query(sql).catch((thrown: unknown) => {
      throw notApplied(name, thrown, client);
    });
    await reported(options, `the migration ${name} is running, or waiting for a lock of another session`, applied);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  }
}

/** Waits for the work, and logs `message` if that takes long. */
async function reported(
  { log, reportAfterMs = REPORT_AFTER_MS }: MigrateOptions,
  message: string,
  work: Promise<unknown>,
): Promise<void> {
  const report = setTimeout(() => log?.warn({}, message), reportAfterMs);
  try {
    await work;
  } finally {
    clearTimeout(report);
  }
}

/** Why a migration failed, in one line. */
function notApplied(name: string, thrown: unknown, { user }: pg.Client): StartupError {
  const { message } = thrown as Error;
  const state = sqlState(thrown);
  if (state === LOCK_NOT_AVAILABLE) {
    const reason = 'another session holds a lock on the tables, such as a backup: start again when it has ended';
    return new StartupError(`the migration ${name} cannot be applied now: ${reason}`, 69, { cause: thrown });
  }
  // The role is the server's: another installation has created it, and its creator alone may grant it.
  const isNotGranted =
    state === INSUFFICIENT_PRIVILEGE && message.includes('errata_viewer') && !message.includes('GRANT');
  const remedy = isNotGranted ? `: let an administrator run "GRANT errata_viewer TO ${user}"` : '';
  // A full disk or a lost connection is no fault of the settings: the same start may succeed later.
  const exitCode = failureOf(thrown) === undefined ? 78 : 69;
  return new StartupError(`the migration ${name} cannot be applied: ${message}${remedy}`, exitCode, { cause: thrown });
}

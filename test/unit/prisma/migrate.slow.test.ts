import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databaseAddress } from '../../../prisma/address.js';
import { migrate } from '../../../prisma/migrate.js';
import { packageRoot } from '../../../src/config/package-root.js';
import { StartupError } from '../../../src/domain/errors.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { type Folder, makeFolder } from '../../support/folder.js';
import { until } from '../../support/until.js';

let fresh: TestDatabase;
let client: pg.Client;
let folder: Folder;

beforeEach(async () => {
  fresh = await freshDatabase();
  client = new pg.Client(databaseAddress(fresh.url).connection);
  await client.connect();
  folder = await makeFolder('migrations');
});
afterEach(async () => {
  await folder.remove();
  await client.end();
  await fresh.drop();
});

async function records(): Promise<Record<string, unknown>[]> {
  return (await client.query('SELECT * FROM _prisma_migrations ORDER BY migration_name')).rows;
}

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(folder.path, name), { recursive: true });
  await writeFile(join(folder.path, name, 'migration.sql'), sql);
}

/** Sessions that wait for the lock; those of other test files on the same server may be among them. */
const WAITING = `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
  WHERE l.locktype = 'advisory' AND l.objid = 72707369 AND NOT l.granted`;

const migrateFolder = () => migrate(fresh.url, undefined, { migrations: folder.path });

describe('migrating', () => {
  test('records each migration as Prisma does, with the checksum of its file', async () => {
    await migrate(fresh.url);
    const migrations = join(packageRoot(), 'prisma', 'migrations');
    const names = (await readdir(migrations)).filter((name) => /^\d{14}_/.test(name)).sort();
    const rows = await records();
    expect(rows.map((row) => row.migration_name)).toEqual(names);
    for (const row of rows) {
      const file = await readFile(join(migrations, String(row.migration_name), 'migration.sql'));
      expect(row).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum: createHash('sha256').update(file).digest('hex'),
        finished_at: expect.any(Date),
        migration_name: row.migration_name,
        logs: null,
        rolled_back_at: null,
        started_at: expect.any(Date),
        applied_steps_count: 1,
      });
    }
  });

  test('does nothing the second time, and applies only what is new the third', async () => {
    await write('1_one', 'CREATE TABLE one (id INT)');
    await migrateFolder();
    const before = await records();
    await migrateFolder();
    expect(await records()).toEqual(before);
    await write('2_two', 'CREATE TABLE two (id INT); INSERT INTO two VALUES (1), (2)');
    await migrateFolder();
    expect((await records()).map((row) => row.migration_name)).toEqual(['1_one', '2_two']);
    expect((await client.query('SELECT FROM two')).rowCount).toBe(2);
  });

  test('names the schema in which the user may not create tables', async () => {
    // A role of its own: the user of the tests may be a superuser, or one that may only create roles.
    const role = `no_tables_${process.pid}`;
    await client.query(`CREATE ROLE ${role}; GRANT ${role} TO CURRENT_USER`);
    await client.query(`CREATE SCHEMA another; GRANT USAGE ON SCHEMA another TO ${role}`);
    const url = new URL(fresh.url);
    url.searchParams.set('schema', 'another');
    url.searchParams.set('options', `-c role=${role}`);
    const message = expect.stringMatching(/this user may not do that \(permission denied for schema another\)$/);
    await expect(migrate(url.href)).rejects.toMatchObject({ exitCode: 69, message });
    await client.query(`DROP SCHEMA another; DROP ROLE ${role}`);
  });

  test('creates a missing schema', async () => {
    await fresh.drop();
    await migrate(fresh.url);
    expect((await client.query('SELECT FROM card')).rowCount).toBe(0);
  });

  test('is applied once when many processes start at the same time', async () => {
    await Promise.all(Array.from({ length: 6 }, () => migrate(fresh.url)));
    const rows = await records();
    expect(new Set(rows.map((row) => row.migration_name)).size).toBe(rows.length);
    expect((await client.query('SELECT FROM installation')).rowCount).toBe(1);
  });

  test('waits for the lock that Prisma takes, and stops waiting when its signal aborts', async () => {
    await client.query('SELECT pg_advisory_lock(72707369)');
    const stop = new AbortController();
    const waiting = migrate(fresh.url, stop.signal);
    const outcome = expect(waiting).rejects.toThrow('enough');
    await until(async () => (await client.query(WAITING)).rowCount !== 0, {
      deadlineMs: 30_000,
      what: 'the migration to wait for the lock',
    });
    stop.abort(new Error('enough'));
    await outcome;
    await client.query('SELECT pg_advisory_unlock(72707369)');
    await expect(migrate(fresh.url, stop.signal)).rejects.toThrow('enough');
    await migrate(fresh.url);
    expect(await records()).not.toHaveLength(0);
  });

  test('waits for the migration of another process longer than for the locks of its own', async () => {
    await write('1_one', 'CREATE TABLE one (id INT)');
    await client.query('SELECT pg_advisory_lock(72707369)');
    const migrated = migrate(fresh.url, undefined, { migrations: folder.path, lockTimeoutMs: 1 });
    const waited = `${WAITING} AND l.waitstart < clock_timestamp() - interval '50 ms'`;
    const isLate = async (): Promise<boolean> => (await client.query(waited)).rowCount !== 0;
    await Promise.race([migrated, until(isLate, { deadlineMs: 30_000, what: 'the migration to wait for the lock' })]);
    await client.query('SELECT pg_advisory_unlock(72707369)');
    await migrated;
    expect(await records()).toHaveLength(1);
  });

  /** A table that a migration is to change, and that another session has locked. */
  async function lockChangedTable(): Promise<void> {
    await write('1_one', 'CREATE TABLE one (id INT)');
    await migrateFolder();
    await write('2_two', 'ALTER TABLE one ADD COLUMN two INT');
    await client.query('BEGIN; LOCK TABLE one IN ACCESS SHARE MODE');
  }

  test('gives up after a while if another session holds a lock on its table, with one line that says so', async () => {
    await lockChangedTable();
    const warnings: string[] = [];
    const log = { warn: (_: object, message: string) => void warnings.push(message) };
    const options = { migrations: folder.path, lockTimeoutMs: 200, reportAfterMs: 1, log };
    await expect(migrate(fresh.url, undefined, options)).rejects.toMatchObject({
      name: 'StartupError',
      exitCode: 69,
      message:
        'the migration 2_two cannot be applied now: another session holds a lock on the tables, such as a backup: start again when it has ended',
    });
    expect(warnings).toContain('the migration 2_two is running, or waiting for a lock of another session');
    await client.query('COMMIT');
    await migrateFolder();
    expect(await records()).toHaveLength(2);
  });

  test('leaves the lock queue of its table when its signal aborts', async () => {
    await lockChangedTable();
    const waiters = async (): Promise<number | null> =>
      (await client.query(`SELECT FROM pg_locks WHERE relation = 'one'::regclass AND NOT granted`)).rowCount;
    const stop = new AbortController();
    const outcome = expect(migrate(fresh.url, stop.signal, { migrations: folder.path })).rejects.toThrow('enough');
    const waited = { deadlineMs: 30_000, what: 'the migration to wait for the table' };
    await until(async () => (await waiters()) === 1, waited);
    stop.abort(new Error('enough'));
    await outcome;
    await until(async () => (await waiters()) === 0, { ...waited, what: 'the migration to end' });
    await client.query('COMMIT');
    expect(await records()).toHaveLength(1);
  });

  test('waits for a migration that another tool is applying, and does not count it as failed', async () => {
    await write('1_one', 'CREATE TABLE one (id INT)');
    await migrateFolder();
    await client.query('UPDATE _prisma_migrations SET finished_at = NULL');
    await client.query('SELECT pg_advisory_lock(72707369)');
    const waiting = migrateFolder();
    await Promise.race([
      waiting,
      until(async () => (await client.query(WAITING)).rowCount !== 0, {
        deadlineMs: 30_000,
        what: 'the migration to wait for the lock',
      }),
    ]);
    await client.query('UPDATE _prisma_migrations SET finished_at = now()');
    await client.query('SELECT pg_advisory_unlock(72707369)');
    await waiting;
    expect(await records()).toHaveLength(1);
  });

  test.each([
    ['53100', 69],
    ['57P01', 69],
    ['42P01', 78],
  ])('ends with the exit code of the cause: SQLSTATE %s with %i', async (state, exitCode) => {
    await write('1_bad', `DO $$ BEGIN RAISE 'no space left' USING ERRCODE = '${state}'; END $$`);
    await expect(migrateFolder()).rejects.toMatchObject({
      exitCode,
      message: expect.stringContaining('no space left'),
    });
  });

  test('applies a migration whole or not at all, and again once it is corrected', async () => {
    await write('1_bad', 'CREATE TABLE half (id INT); SELECT no_such_function()');
    await expect(migrateFolder()).rejects.toThrow(/the migration 1_bad cannot be applied: .*no_such_function/);
    expect((await client.query(`SELECT to_regclass('half') AS half`)).rows).toEqual([{ half: null }]);
    expect(await records()).toEqual([]);
    await write('1_bad', 'CREATE TABLE half (id INT)');
    await migrateFolder();
    expect(await records()).toHaveLength(1);
  });
});

describe('an incompatible database is refused with one clear line and not changed:', () => {
  const refused = async (message: RegExp): Promise<void> => {
    const before = await records();
    const error = await migrateFolder().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StartupError);
    expect(error).toMatchObject({ exitCode: 78, message: expect.stringMatching(message) });
    expect(await records()).toEqual(before);
  };

  beforeEach(async () => {
    await write('1_one', 'CREATE TABLE one (id INT)');
    await migrateFolder();
  });

  test('a migration that was another file when it was applied', async () => {
    await write('1_one', 'CREATE TABLE one (id BIGINT)');
    await refused(/1_one has changed since/);
  });

  test('an unknown migration', async () => {
    await rm(join(folder.path, '1_one'), { recursive: true });
    await refused(/1_one, which this version does not know/);
  });

  test('a migration that failed under another tool', async () => {
    await client.query('UPDATE _prisma_migrations SET finished_at = NULL');
    await refused(/1_one has failed/);
  });

  test('but one that was rolled back is applied again', async () => {
    await client.query('DROP TABLE one; UPDATE _prisma_migrations SET rolled_back_at = now(), finished_at = NULL');
    await migrateFolder();
    expect(await records()).toHaveLength(2);
    expect((await client.query('SELECT FROM one')).rowCount).toBe(0);
  });
});

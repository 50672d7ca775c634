import { setMaxListeners } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { PreparedStatements, ViewerQuery } from '../../../prisma/viewer-query.js';
import { until } from '../../support/until.js';
import { admin, type Fixture, newTenant, openFixture } from './fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

describe('a signal that aborts', () => {
  const viewer = admin(newTenant());
  const over = new Error('the time is over');

  /** How many statements of the test's own database sleep on the server. */
  const sleeping = async (database: Database, mark: string): Promise<number> => {
    const [row] = await database.query<{ count: number }>(Prisma.sql`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE ${`%pg_sleep%${mark}%`}`);
    return row?.count ?? 0;
  };

  test("ends viewers' queries at once, on the server too, and those that wait for a connection", async () => {
    const database = await openDatabase(fixture.url);
    const observer = await openDatabase(fixture.url);
    try {
      const controller = new AbortController();
      // As a request's: many listeners.
      setMaxListeners(0, controller.signal);
      const mark = newTenant();
      // More than there are connections.
      const asked = Promise.allSettled(
        Array.from({ length: 15 }, () =>
          database.as(viewer, controller.signal).query(Prisma.sql`SELECT pg_sleep(600), ${Prisma.raw(`'${mark}'`)}`),
        ),
      );
      await until(async () => (await sleeping(observer, mark)) === 10, { deadlineMs: 30_000, what: 'ten to run' });
      controller.abort(over);
      for (const outcome of await asked) expect(outcome).toEqual({ status: 'rejected', reason: over });
      await until(async () => (await sleeping(observer, mark)) === 0, {
        deadlineMs: 30_000,
        what: 'the server to cancel them',
      });
      // No other statement is cancelled.
      const [row] = await database.as(viewer).query<{ one: number }>(Prisma.sql`SELECT 1 AS one`);
      expect(row).toEqual({ one: 1 });
    } finally {
      await database.close();
      await observer.close();
    }
  });

  test('rolls back a change that has not reached its commit', async () => {
    const controller = new AbortController();
    const change = fixture.database.as(viewer, controller.signal).transaction(async (tx) => {
      await tx.execute(Prisma.sql`
        INSERT INTO topic_tag (tenant_id, key, name) VALUES (${viewer.tenantId}, 'late', 'late')`);
      controller.abort(over);
    });
    await expect(change).rejects.toBe(over);
    const [row] = await fixture.database.query<{ count: number }>(Prisma.sql`
      SELECT count(*)::int AS count FROM topic_tag WHERE tenant_id = ${viewer.tenantId}`);
    expect(row?.count).toBe(0);
  });
});

describe("a viewer's query", () => {
  const viewer = admin(newTenant());
  const settings = Prisma.sql`SELECT current_user::text AS role, current_setting('errata.tenant_id', true) AS tenant,
    current_setting('transaction_read_only') AS readonly`;

  test("runs with the viewer's rights and leaves none of them on the connection", async () => {
    const database = await openDatabase(fixture.url);
    try {
      for (const run of [database.as(viewer).query, database.as(viewer).prepared]) {
        for (let round = 0; round < 2; round++) {
          const { tenantId: tenant } = viewer;
          expect(await run(settings)).toEqual([{ role: 'errata_viewer', tenant, readonly: 'on' }]);
          const [after] = await database.until(undefined).query<{ role: string; tenant: string }>(settings);
          expect(after).toMatchObject({ tenant: '', readonly: 'off' });
          expect(after?.role).not.toBe('errata_viewer');
        }
      }
    } finally {
      await database.close();
    }
  });

  test('returns values as other queries do', async () => {
    const values = [['a"b', 'c,{d}', '错'], 1.5, true, null, new Date(1_700_000_000_000), '', 'x'];
    const sql = Prisma.sql`SELECT ${values[0]}::text[] AS list, ${values[1]}::float8 AS number, ${values[2]}::bool AS flag,
      ${values[3]}::text AS nothing, ${values[4]}::timestamptz AS at, ${values[5]}::text AS empty, ${values[6]}::text AS x,
      2::bigint AS big, '{"a":[1]}'::jsonb AS json FROM generate_series(1, 2)`;
    const rows = await fixture.database.as(viewer).query(sql);
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(await fixture.database.until(undefined).query(sql));
    expect(await fixture.database.as(viewer).prepared(sql)).toEqual(rows);
    expect(await fixture.database.as(viewer).query(Prisma.sql`SELECT 1 AS one WHERE false`)).toEqual([]);
  });

  test('that fails rejects, and the connection can be used again', async () => {
    const database = await openDatabase(fixture.url);
    const asViewer = database.as(viewer);
    const divide = (by: number) => asViewer.prepared<{ one: number }>(Prisma.sql`SELECT 1 / ${by}::int AS one`);
    try {
      // Before and after its statements are prepared.
      for (let round = 0; round < 2; round++) {
        await expect(divide(0)).rejects.toThrow('division by zero');
        await expect(asViewer.query(Prisma.sql`SELECT * FROM no_such_table`)).rejects.toThrow('does not exist');
        await expect(asViewer.query(Prisma.sql`CREATE TABLE new_table (id int)`)).rejects.toThrow('read-only');
        const circle: unknown[] = [];
        circle.push({ circle });
        await expect(asViewer.query(Prisma.sql`SELECT ${circle}::jsonb AS x`)).rejects.toThrow('circular');
        expect(await divide(1)).toEqual([{ one: 1 }]);
      }
      expect(await database.now()).toBeInstanceOf(Date);
    } finally {
      await database.close();
    }
  });

  test('with a value that cannot be read rejects, without harm to the connection', async () => {
    const { MONEY } = pg.types.builtins;
    const known = pg.types.getTypeParser(MONEY, 'text');
    pg.types.setTypeParser(MONEY, () => {
      throw new Error('no money is read');
    });
    try {
      const asked = fixture.database.as(viewer).query(Prisma.sql`SELECT 1::money AS price FROM generate_series(1, 2)`);
      await expect(asked).rejects.toThrow('no money is read');
      expect(await fixture.database.as(viewer).query(Prisma.sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
    } finally {
      pg.types.setTypeParser(MONEY, known);
    }
  });

  test.each([
    ['a setting', { before: 'SELECT 1', setting: ['role', 'no_such_role'], error: 'role "no_such_role"' }],
    ['BEGIN', { before: 'DEALLOCATE errata_begin', setting: ['role', 'none'], error: '"errata_begin"' }],
  ] as const)('does not run if %s fails', async (_what, { before, setting, error }) => {
    const client = new pg.Client({ connectionString: fixture.url });
    await client.connect();
    try {
      const prepared = new PreparedStatements();
      const run = (text: string, settings: readonly (readonly [string, string])[]): Promise<unknown> =>
        new Promise((resolve, reject) => {
          const onEnd = (error: Error | null, rows?: unknown): void => (error ? reject(error) : resolve(rows));
          client.query(new ViewerQuery({ settings, text, values: [], name: null }, prepared, onEnd));
        });
      await run('SELECT 1', [['role', 'none']]);
      await client.query(before);
      await expect(run('SELECT pg_advisory_lock(4711)', [setting])).rejects.toThrow(`${error} does not exist`);
      await client.query('ROLLBACK');
      const { rows } = await client.query('SELECT count(*)::int AS held FROM pg_locks WHERE objid = 4711');
      expect(rows).toEqual([{ held: 0 }]);
    } finally {
      await client.end();
    }
  });
});

import { setMaxListeners } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { migrate } from '../../../prisma/migrate.js';
import { PreparedStatements, ViewerQuery } from '../../../prisma/viewer-query.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import { testServer } from '../../support/database.js';
import { until } from '../../support/until.js';
import { admin, type Fixture, newCard, newTenant, openFixture } from './fixture.js';

let fixture: Fixture;
let statements: string[];

beforeAll(async () => {
  statements = [];
  fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
});
afterAll(() => fixture.close());

const backend = async (
  statement = fixture.database.query<{ pid: number }>(Prisma.sql`SELECT pg_backend_pid() AS pid`),
) => (await statement)[0]?.pid ?? 0;

/** Ends another session, as an administrator or a restart would. */
async function terminate(pid: number): Promise<void> {
  const client = new pg.Client({ connectionString: testServer().href });
  await client.connect();
  await client.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
  await client.end();
}

describe('an open database', () => {
  test("reports each statement that it sends, raw or Prisma's", async () => {
    statements.length = 0;
    await fixture.database.query(Prisma.sql`SELECT 1 AS one`);
    await fixture.database.run((prisma) => prisma.installation.findFirst());
    await fixture.database.transaction((tx) => tx.execute(Prisma.sql`SELECT 2`));
    expect(statements).toEqual([
      'SELECT 1 AS one',
      expect.stringContaining('"installation"'),
      'BEGIN',
      'SELECT 2',
      'COMMIT',
    ]);
  });

  test("uses its own schema in raw SQL and in Prisma's queries, whatever its name", async () => {
    const url = new URL(testServer());
    url.searchParams.set('schema', `Odd 'name' \\ ${fixture.schema}`);
    await migrate(url.href);
    const odd = await openDatabase(url.href);
    try {
      const [raw] = await odd.query<{ id: string }>(Prisma.sql`SELECT id::text FROM installation`);
      expect(await odd.run((prisma) => prisma.installation.findMany())).toMatchObject([{ id: raw?.id }]);
      const [here] = await fixture.database.query<{ id: string }>(Prisma.sql`SELECT id::text FROM installation`);
      expect(raw?.id).not.toBe(here?.id);
      await odd.execute(Prisma.raw(`DROP SCHEMA "Odd 'name' \\ ${fixture.schema}" CASCADE`));
    } finally {
      await odd.close();
    }
  });

  test.each([
    ['jit', 'off'],
    ['TimeZone', 'UTC'],
  ])('has %s %s in every session', async (setting, value) => {
    const [row] = await fixture.database.query<{ value: string }>(
      Prisma.sql`SELECT current_setting(${setting}) AS value`,
    );
    expect(row?.value).toBe(value);
  });

  test('may be closed twice, at once', async () => {
    const database = await openDatabase(fixture.url);
    await Promise.all([database.close(), database.close()]);
    await database.close();
  });

  test('works after the server ended its idle connections', async () => {
    let lost = 0;
    const database = await openDatabase(fixture.url, {
      onConnectionLost: () => {
        lost++;
      },
    });
    try {
      const pid = await backend(database.query(Prisma.sql`SELECT pg_backend_pid() AS pid`));
      await terminate(pid);
      // Either the pool or the next statement notices first; the statement after that must work.
      await database.query(Prisma.sql`SELECT 1`).catch((error: unknown) => {
        expect(error).toBeInstanceOf(UnavailableError);
      });
      expect(await backend(database.query(Prisma.sql`SELECT pg_backend_pid() AS pid`))).not.toBe(pid);
      expect(lost).toBeLessThanOrEqual(1);
    } finally {
      await database.close();
    }
  });
});

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

  test('does not run if a setting fails', async () => {
    const client = new pg.Client({ connectionString: fixture.url });
    await client.connect();
    try {
      const settings = [['role', 'no_such_role']] as const;
      const run = (text: string): Promise<unknown> =>
        new Promise((resolve, reject) => {
          const onEnd = (error: Error | null, rows?: unknown): void => (error ? reject(error) : resolve(rows));
          client.query(new ViewerQuery({ settings, text, values: [], name: null }, new PreparedStatements(), onEnd));
        });
      await expect(run('SELECT pg_advisory_lock(4711)')).rejects.toThrow('no_such_role');
      await client.query('ROLLBACK');
      const { rows } = await client.query('SELECT count(*)::int AS held FROM pg_locks WHERE objid = 4711');
      expect(rows).toEqual([{ held: 0 }]);
    } finally {
      await client.end();
    }
  });
});

describe('a transaction', () => {
  const tenantId = newTenant();

  /**
   * Two transactions that take two rows in opposite order, each when the other holds its first: one of them must lose.
   */
  test('that lost a deadlock is run again, and both changes are stored', async () => {
    for (const id of ['x', 'y']) await fixture.cards.create(admin(tenantId), newCard({ id }));
    const holds = [deferred(), deferred()] as const;
    let runs = 0;
    const touch = (order: readonly ['x' | 'y', 'x' | 'y'], mine: 0 | 1): Promise<void> =>
      fixture.database.transaction(async (tx) => {
        runs++;
        const bump = (id: string): Promise<number> =>
          tx.execute(
            Prisma.sql`UPDATE card SET notes = coalesce(notes, '') || '+' WHERE tenant_id = ${tenantId} AND id = ${id}`,
          );
        await bump(order[0]);
        holds[mine].resolve(undefined);
        await holds[mine === 0 ? 1 : 0].promise;
        await bump(order[1]);
      });
    await Promise.all([touch(['x', 'y'], 0), touch(['y', 'x'], 1)]);
    expect(runs).toBe(3);
    const cards = await fixture.cards.byIds(admin(tenantId), ['x', 'y']);
    expect([...cards.values()].map((card) => card.notes)).toEqual(['++', '++']);
  });

  test('whose connection broke before COMMIT is run again', async () => {
    let runs = 0;
    const pid = await fixture.database.transaction(async (tx) => {
      const own = await backend(tx.query(Prisma.sql`SELECT pg_backend_pid() AS pid`));
      runs++;
      if (runs === 1) await terminate(own);
      await tx.execute(Prisma.sql`SELECT 1`);
      return own;
    });
    expect(runs).toBe(2);
    expect(pid).toBeGreaterThan(0);
  });

  test('whose connection broke at COMMIT is not run again: it may have been applied', async () => {
    let runs = 0;
    const work = fixture.database.transaction(async (tx) => {
      runs++;
      await terminate(await backend(tx.query(Prisma.sql`SELECT pg_backend_pid() AS pid`)));
    });
    await expect(work).rejects.toThrow(UnavailableError);
    expect(runs).toBe(1);
  });

  test('that fails with an error of its own is not run again', async () => {
    let runs = 0;
    const work = fixture.database.transaction(async () => {
      runs++;
      throw new RangeError('a bug');
    });
    await expect(work).rejects.toThrow(RangeError);
    expect(runs).toBe(1);
  });
});

interface Deferred {
  readonly promise: Promise<unknown>;
  resolve(value: unknown): void;
}

function deferred(): Deferred {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

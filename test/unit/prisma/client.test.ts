import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { migrate } from '../../../prisma/migrate.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import { testServer } from '../../support/database.js';
import { type Fixture, openFixture } from './fixture.js';
import { backend, terminate } from './sessions.js';

let fixture: Fixture;
let statements: string[];

beforeAll(async () => {
  statements = [];
  fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
});
afterAll(() => fixture.close());

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
      const pid = await backend((sql) => database.query(sql));
      await terminate(pid);
      // Either the pool or the next statement notices first; the statement after that must work.
      await database.query(Prisma.sql`SELECT 1`).catch((error: unknown) => {
        expect(error).toBeInstanceOf(UnavailableError);
      });
      expect(await backend((sql) => database.query(sql))).not.toBe(pid);
      expect(lost).toBeLessThanOrEqual(1);
    } finally {
      await database.close();
    }
  });
});

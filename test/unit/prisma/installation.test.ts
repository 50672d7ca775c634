import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyOf } from '../../../prisma/cards/sync-feed.js';
import type { Database } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { databaseIdentity } from '../../../prisma/installation.js';
import { type Fixture, openFixture } from './fixture.js';

let fixture: Fixture;
const asOwner = (sql: string) => fixture.database.execute(Prisma.raw(sql));

beforeAll(async () => {
  fixture = await openFixture();
  await asOwner(`CREATE FUNCTION refused() RETURNS TABLE (system_identifier text) LANGUAGE plpgsql
    AS $$ BEGIN RAISE insufficient_privilege; END $$`);
});
afterAll(() => fixture.close());

/** The database for a user who may not call pg_control_system(): revoking that right takes a superuser. */
const refusing: Pick<Database, 'query' | 'run'> = {
  run: (work) => fixture.database.run(work),
  query: ({ strings, values }) => {
    const replaced = strings.map((part) => part.replace('pg_control_system()', 'refused()'));
    return fixture.database.query(new Prisma.Sql(replaced, values));
  },
};

describe('the identity of a database', () => {
  test('is the same each time, and differs from that of another one', async () => {
    const other = await openFixture();
    try {
      const own = await databaseIdentity(fixture.database);
      expect(await databaseIdentity(fixture.database)).toBe(own);
      expect(await databaseIdentity(other.database)).not.toBe(own);
    } finally {
      await other.close();
    }
  });

  test('is known to a user who may not read the identifier of the server', async () => {
    const own = await databaseIdentity(refusing);
    expect(await databaseIdentity(refusing)).toBe(own);
    expect(own).not.toBe(await databaseIdentity(fixture.database));
    expect(await keyOf(refusing)).toEqual(await keyOf(refusing));
    // A dump that is restored is written by another transaction.
    await asOwner('UPDATE installation SET id = id');
    expect(await databaseIdentity(refusing)).not.toBe(own);
  });
});

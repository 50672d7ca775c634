import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { databaseIdentity } from '../../../prisma/installation.js';
import { type Fixture, openFixture } from './fixture.js';

let fixture: Fixture;
const user = `plain_${randomBytes(4).toString('hex')}`;
const asOwner = (sql: string) => fixture.database.execute(Prisma.raw(sql));

beforeAll(async () => {
  fixture = await openFixture();
  await asOwner(`CREATE ROLE ${user} LOGIN PASSWORD 'plain'`);
  await asOwner(`GRANT USAGE ON SCHEMA ${fixture.schema} TO ${user}`);
  await asOwner(`GRANT SELECT ON installation TO ${user}`);
});
afterAll(async () => {
  await asOwner(`DROP OWNED BY ${user}`);
  await asOwner(`DROP ROLE ${user}`);
  await fixture.close();
});

/** As a user without special privileges sees it. */
async function identity(url = fixture.url): Promise<string> {
  const plain = new URL(url);
  Object.assign(plain, { username: user, password: 'plain' });
  const database = await openDatabase(plain.href);
  return databaseIdentity(database).finally(() => database.close());
}

describe('the identity of a database', () => {
  test('is the same for all its users, and its own', async () => {
    const other = await openFixture();
    try {
      const own = await databaseIdentity(fixture.database);
      expect(await identity()).toBe(own);
      expect(await databaseIdentity(other.database)).not.toBe(own);
    } finally {
      await other.close();
    }
  });

  test('is known to a user who may not read the identifier of the server', async () => {
    await asOwner('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
    const own = await identity();
    expect(await identity()).toBe(own);
    // A dump that is restored is written by another transaction.
    await asOwner('UPDATE installation SET id = id');
    expect(await identity()).not.toBe(own);
  });
});

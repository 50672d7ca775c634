import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testServer } from '../../support/database.js';
import type { Fixture } from './fixture.js';
import { under } from './viewer-mechanisms.js';

const { Prisma } = await import('../../../prisma/generated/client.js');
const { openFixture, newCard, newTenant, student } = await import('./fixture.js');
const { PostgresCardStore } = await import('../../../prisma/cards/cards.js');
const { openDatabase } = await import('../../../prisma/client.js');
const { DirtySignal } = await import('../../../prisma/indexing/dirty.js');
const { migrate } = await import('../../../prisma/migrate.js');
const { checkRowLevelSecurity } = await import('../../../prisma/row-level-security.js');

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture({ beside: true });
});
afterAll(() => fixture.close());

const amy = student(newTenant(), 'amy');

describe('a database user without special privileges', () => {
  const name = `plain_${randomBytes(4).toString('hex')}`;
  const url = new URL(testServer());
  Object.assign(url, { username: name, password: 'plain' });
  url.searchParams.set('schema', name);
  const asOwner = (sql: string) => fixture.database.execute(Prisma.raw(sql));

  beforeAll(async () => {
    await asOwner(`CREATE ROLE ${name} LOGIN PASSWORD 'plain'`);
    // A user that may create roles may not act as each of them: the schema stays its creator's.
    await asOwner(`CREATE SCHEMA ${name}`);
    await asOwner(`GRANT ALL ON SCHEMA ${name} TO ${name} WITH GRANT OPTION`);
  });
  afterAll(async () => {
    await asOwner(`DROP SCHEMA ${name} CASCADE`);
    await asOwner(`DROP ROLE ${name}`);
  });

  test('gets an error that names the missing grant, and is subject to the policies once it has it', async () => {
    await expect(migrate(url.href)).rejects.toThrow(
      new RegExp(
        `20250915000000_viewer_role cannot be applied: .*: let an administrator run "GRANT errata_viewer TO ${name}"`,
      ),
    );
    await asOwner(`GRANT errata_viewer TO ${name}`);
    await migrate(url.href);
    const database = await openDatabase(url.href);
    try {
      await checkRowLevelSecurity(database);
      const cards = new PostgresCardStore(database, new DirtySignal());
      await cards.create(amy, newCard({ id: 'amys' }));
      await under(fixture.database, { conditions: false, policies: true }, async () => {
        expect((await cards.byIds(student(amy.tenantId, 'ben'), ['amys'])).size).toBe(0);
        expect((await cards.byIds(amy, ['amys'])).size).toBe(1);
      });
      await asOwner(`REVOKE errata_viewer FROM ${name}`);
      await expect(checkRowLevelSecurity(database)).rejects.toThrow(/may not act as the role errata_viewer: GRANT/);
    } finally {
      await database.close();
    }
  });
});

describe('a gateway does not start', () => {
  test('if the policies do not apply', async () => {
    await checkRowLevelSecurity(fixture.database);
    await under(fixture.database, { conditions: true, policies: false }, async () => {
      await expect(checkRowLevelSecurity(fixture.database)).rejects.toThrow(
        /errata_viewer see all of .*card, .*search_profile/,
      );
    });
  });

  test('if those of one table do not apply', async () => {
    const rowSecurity = (what: string) =>
      fixture.database.execute(Prisma.raw(`ALTER TABLE golden_set ${what} ROW LEVEL SECURITY`));
    await rowSecurity('DISABLE');
    await expect(checkRowLevelSecurity(fixture.database)).rejects.toThrow('see all of golden_set: the role');
    await rowSecurity('ENABLE');
  });
});

test('a schema whose name must be quoted is checked too', async () => {
  const schema = `North School ${randomBytes(4).toString('hex')}`;
  const url = testServer();
  url.searchParams.set('schema', schema);
  await migrate(url.href);
  const database = await openDatabase(url.href);
  try {
    await checkRowLevelSecurity(database);
    await database.execute(Prisma.raw('ALTER TABLE golden_set DISABLE ROW LEVEL SECURITY'));
    await expect(checkRowLevelSecurity(database)).rejects.toThrow('see all of golden_set: the role');
  } finally {
    await database.execute(Prisma.raw(`DROP SCHEMA "${schema}" CASCADE`));
    await database.close();
  }
});

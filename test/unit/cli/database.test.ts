import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databaseAddress } from '../../../prisma/address.js';
import { migrate } from '../../../prisma/migrate.js';
import { withDatabase } from '../../../src/cli/database.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';

let fresh: TestDatabase;
beforeEach(async () => {
  fresh = await freshDatabase();
});
afterEach(() => fresh.drop());

const settings = () => ({ database: { kind: 'external' as const, url: fresh.url }, dataDir: '/nowhere' });

describe('a command on a database that it has not started', () => {
  test('refuses one with pending migrations, and does not change it', async () => {
    await expect(withDatabase(settings(), async () => 'done')).rejects.toMatchObject({
      exitCode: EXIT.configuration,
      message:
        'the database has pending migrations: start a gateway of this version first, or wait until it has migrated',
    });
    const client = new pg.Client(databaseAddress(fresh.url).connection);
    await client.connect();
    try {
      const { rowCount } = await client.query('SELECT FROM pg_tables WHERE schemaname = $1', [fresh.schema]);
      expect(rowCount).toBe(0);
    } finally {
      await client.end();
    }
  });

  test('works on one that a gateway has migrated', async () => {
    await migrate(fresh.url);
    expect(await withDatabase(settings(), async () => 'done')).toBe('done');
  });
});

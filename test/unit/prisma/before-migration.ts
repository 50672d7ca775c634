import pg from 'pg';
import { afterAll } from 'vitest';
import { databaseAddress } from '../../../prisma/address.js';
import { migrate } from '../../../prisma/migrate.js';
import { freshDatabase } from '../../support/database.js';
import { migrationsBefore } from '../../support/migrations.js';

/** A database with the migrations before `name`; `migrateRest` applies the others. Called while a file is loaded. */
export async function beforeMigration(name: string) {
  const { url, drop } = await freshDatabase();
  afterAll(drop);
  const client = new pg.Client(databaseAddress(url).connection);
  await client.connect();
  afterAll(() => client.end());
  await migrate(url, undefined, { migrations: await migrationsBefore(name) });
  return { client, migrateRest: () => migrate(url) };
}

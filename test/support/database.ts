import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A schema of its own in the test server; `url` names it by `?schema=`. */
export interface FreshDatabase {
  readonly url: string;
  readonly schema: string;
  /** Removes the schema with all that is in it. */
  drop(): Promise<void>;
}

/** The server that the tests share. */
export function testServer(): URL {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined || server === '') {
    throw new Error('TEST_DATABASE_URL names no PostgreSQL server: the global set-up of the tests sets it');
  }
  return new URL(server);
}

/** A new, empty schema: nothing of another test is in it, whatever runs beside it. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const server = testServer();
  const schema = `test_${randomBytes(6).toString('hex')}`;
  await run(server, `CREATE SCHEMA ${schema}`);
  const url = new URL(server);
  url.searchParams.set('schema', schema);
  return { url: url.href, schema, drop: () => run(server, `DROP SCHEMA ${schema} CASCADE`) };
}

/** One statement on a connection of its own. */
async function run(server: URL, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../prisma/migrate.js';

/** A schema of its own in the test server; `url` names it by `?schema=`. */
export interface TestDatabase {
  readonly url: string;
  readonly schema: string;
  /** Removes the schema with all that is in it. */
  drop(): Promise<void>;
}

/** The schema of each copy of the template. */
const COPIED_SCHEMA = 'test';

/** The server that the tests share. */
export function testServer(): URL {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined || server === '') {
    throw new Error('TEST_DATABASE_URL names no PostgreSQL server: the global set-up of the tests sets it');
  }
  return new URL(server);
}

/** A new, empty schema: nothing of another test is in it, whatever runs beside it. */
export async function freshDatabase(): Promise<TestDatabase> {
  const server = testServer();
  const schema = `test_${randomBytes(6).toString('hex')}`;
  await run(server, `CREATE SCHEMA ${schema}`);
  return {
    url: inSchema(server, schema).href,
    schema,
    drop: () => run(server, `DROP SCHEMA IF EXISTS ${schema} CASCADE`),
  };
}

/**
 * A new schema with the current tables. A copy of the template, a database of its own, takes a quarter of the processor
 * time of 25 migrations; there is no template on a server that is not the tests' own.
 */
export async function migratedDatabase(): Promise<TestDatabase> {
  const template = process.env.TEST_TEMPLATE;
  if (template === undefined) {
    const fresh = await freshDatabase();
    await migrate(fresh.url);
    return fresh;
  }
  const server = testServer();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await run(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = inSchema(new URL(`/${name}`, server), COPIED_SCHEMA);
  // Chroma's collections are named after it.
  await run(url, `UPDATE ${COPIED_SCHEMA}.installation SET id = DEFAULT`);
  return { url: url.href, schema: COPIED_SCHEMA, drop: () => run(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

/** Prepares a server of the tests' own; the name of the template. */
export async function makeTemplate(server: URL): Promise<string> {
  const template = 'errata_template';
  // No test ends this server by force: what it would keep of the data then does not matter.
  for (const sql of ['ALTER SYSTEM SET fsync = off', 'SELECT pg_reload_conf()']) await run(server, sql);
  await run(server, `CREATE DATABASE ${template}`);
  await migrate(inSchema(new URL(`/${template}`, server), COPIED_SCHEMA).href);
  return template;
}

function inSchema(server: URL, schema: string): URL {
  const url = new URL(server);
  url.searchParams.set('schema', schema);
  return url;
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

import { randomBytes } from 'node:crypto';
import { ChromaClient } from 'chromadb';
import pg from 'pg';
import { migratedDatabase, type TestDatabase, testServer } from './database.js';

export type { TestDatabase } from './database.js';

/** A schema that the gateway makes when it migrates. Dropped with the Chroma collections that belong to it. */
export function unmadeDatabase(): TestDatabase {
  const schema = `test_${randomBytes(8).toString('hex')}`;
  const url = testServer();
  url.searchParams.set('schema', schema);
  return { url: url.href, schema, drop: () => dropDatabase(url.href, schema) };
}

/** With the current tables. Dropped with the Chroma collections that belong to it: they are named after an id in it. */
export async function gatewayDatabase(): Promise<TestDatabase> {
  const { url, schema, drop } = await migratedDatabase();
  return {
    url,
    schema,
    drop: async () => {
      await dropDatabase(url, schema);
      await drop();
    },
  };
}

async function dropDatabase(url: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS migrated', [`${schema}.installation`]);
    if (rows[0].migrated) {
      const installation = await client.query(`SELECT id FROM "${schema}".installation`);
      await dropCollections(String(installation.rows[0].id));
    }
    await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  } finally {
    await client.end();
  }
}

async function dropCollections(installationId: string): Promise<void> {
  const PAGE = 100;
  const prefix = `errata-${installationId.replaceAll('-', '').slice(0, 12)}-`;
  const url = new URL(testChroma());
  const ssl = url.protocol === 'https:';
  const chroma = new ChromaClient({ host: url.hostname, port: Number(url.port || (ssl ? 443 : 8000)), ssl });
  const ours: string[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await chroma.listCollections({ limit: PAGE, offset });
    ours.push(...page.map(({ name }) => name).filter((name) => name.startsWith(prefix)));
    if (page.length < PAGE) break;
  }
  for (const name of ours) await chroma.deleteCollection({ name });
}

/** The Chroma server that the tests share. */
export function testChroma(): string {
  const url = process.env.TEST_CHROMA_URL;
  if (!url) throw new Error('TEST_CHROMA_URL names no Chroma server: the global set-up of the tests sets it');
  return url;
}

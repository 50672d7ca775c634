import { randomUUID } from 'node:crypto';
import { ChromaClient } from 'chromadb';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { unmadeDatabase } from '../../support/gateway-database.js';
import { until } from '../../support/until.js';

test('what becomes true during a pause that takes longer than the deadline is seen', async () => {
  let looks = 0;
  const second = (): boolean => {
    looks += 1;
    return looks === 2;
  };
  expect(await until(second, { deadlineMs: 1, what: 'the second look' })).toBe(true);
  looks = 2;
  await expect(until(second, { deadlineMs: 1, what: 'a look that is over' })).rejects.toThrow('a look that is over');
});

describe('the database of one test', () => {
  test('is deleted with its schema and collections, and no others', async () => {
    const database = unmadeDatabase();
    const [ours, others] = [randomUUID(), randomUUID()];
    const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
    await client.connect();
    await client.query(`CREATE SCHEMA ${database.schema}`);
    await client.query(`CREATE TABLE ${database.schema}.installation AS SELECT '${ours}'::uuid AS id`);
    const { hostname, port } = new URL(process.env.TEST_CHROMA_URL as string);
    const chroma = new ChromaClient({ host: hostname, port: Number(port) });
    const [mine, foreign] = [collectionOf(ours), collectionOf(others)];
    for (const name of [mine, foreign]) await chroma.createCollection({ name, embeddingFunction: null });
    try {
      await database.drop();
      await database.drop();
      const schemas = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [database.schema]);
      expect(schemas.rowCount).toBe(0);
      const names = (await chroma.listCollections({ limit: 1_000 })).map(({ name }) => name);
      expect(names).not.toContain(mine);
      expect(names).toContain(foreign);
    } finally {
      await chroma.deleteCollection({ name: foreign });
      await client.end();
    }
  });
});

function collectionOf(installationId: string): string {
  return `errata-${installationId.replaceAll('-', '').slice(0, 12)}-0-g1-question`;
}

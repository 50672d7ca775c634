import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleNotebook } from '../../bench/card-files.js';
import { ChromaConnection } from '../../chroma/client.js';
import { databasePrefix } from '../../chroma/collections.js';
import { openDatabase } from '../../prisma/client.js';
import { installationId } from '../../prisma/installation.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase, testChroma } from '../support/gateway-database.js';
import { createAll, indexed, wholeSearch as search } from '../support/notebook.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let gateway: Gateway;
beforeAll(async () => {
  database = await gatewayDatabase();
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

/** Starts a gateway whose candidates are from Chroma. */
async function start(env: Record<string, string> = {}): Promise<void> {
  await gateway?.close();
  gateway = await startGateway({ database, env: { SEARCH_EXACT_LIMIT: '0', ...env } });
}

/** The generation and the number of shards of each collection of questions. */
async function shards(): Promise<Record<string, number>> {
  const connection = await openDatabase(database.url);
  const chroma = new ChromaConnection(testChroma, undefined, { read: 60_000, write: 60_000, load: 60_000 });
  try {
    const prefix = databasePrefix(await installationId(connection));
    const all = await chroma.call('read', (client) => client.listCollections({ limit: 10_000 }));
    const found: Record<string, number> = {};
    for (const { name } of all) {
      const [, generation] = /-(g\d+)-question/.exec(name) ?? [];
      if (name.startsWith(prefix) && generation !== undefined) found[generation] = (found[generation] ?? 0) + 1;
    }
    return found;
  } finally {
    await chroma.close();
    await connection.close();
  }
}

/** Waits until this is the only generation; returns its number of shards. */
async function only(generation: string): Promise<number | undefined> {
  const isAlone = async (): Promise<boolean> => Object.keys(await shards()).join() === generation;
  await until(isAlone, { deadlineMs: 90_000, what: `the collections of ${generation} alone` });
  return (await shards())[generation];
}

// A replaced generation is dropped after 15 s.
test('an index that outgrows its collections is rebuilt with more, and finds the same', async () => {
  await start();
  const cards = await sampleNotebook();
  await createAll(gateway, cards);
  await indexed(gateway);
  expect(await shards()).toEqual({ g1: 1 });
  const text = cards[7]?.questionText;
  const found = async () => (await search(gateway, 'hybridSearch', { text, topK: 10 })).hits;
  const before = await found();
  expect(before).toHaveLength(10);

  const limit = { CHROMA_COLLECTION_RECORDS: '200' };
  await start(limit);
  // At least one record a card.
  expect(await only('g2')).toBeGreaterThanOrEqual((2 * cards.length) / 200);
  await indexed(gateway);
  expect(await found()).toEqual(before);

  await start(limit);
  expect(await found()).toEqual(before);
  const id = before[0]?.card.id;
  await gateway.gql('mutation ($id: ID!) { deleteCard(id: $id) }', { id });
  await indexed(gateway);
  const rest = await found();
  expect(rest.map(({ card }) => card.id)).not.toContain(id);

  // A larger limit changes nothing before the next rebuild.
  await start();
  expect(await found()).toEqual(rest);
  await gateway.gql('mutation { rebuildIndex { building } }');
  expect(await only('g3')).toBe(1);
  expect(await found()).toEqual(rest);
});

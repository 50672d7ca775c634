import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChromaConnection } from '../../../chroma/client.js';
import { createChromaVectors } from '../../../chroma/create-chroma.js';
import type { VectorStore } from '../../../src/domain/ports/collections.js';
import { testChroma } from '../../support/gateway-database.js';
import { cardOf } from '../../support/generators.js';
import { literalEmbedder, vectorOf } from '../../support/memory-ports.js';
import { type QuotaServer, quotaServer } from './quota-server.js';
import { generationOf, keyOf, PATIENT, recordOf } from './server.js';

const { signal } = new AbortController();
const RECORDS = 700;
const ids = Array.from({ length: RECORDS }, (_, place) => `c${String(place).padStart(3, '0')}`);
const records = ids.map((id) => recordOf(id, 0, `text ${id}`));
const generation = generationOf(1);
const key = keyOf(generation);

describe('Chroma Cloud', () => {
  let server: QuotaServer;
  const connections: ChromaConnection[] = [];
  const installation = randomUUID();
  const storeOf = (cloud: boolean): VectorStore => {
    const access = { apiKey: 'k', tenant: null, database: null, cloud };
    const connection = new ChromaConnection(() => server.url, access, PATIENT);
    connections.push(connection);
    return createChromaVectors(connection, installation);
  };
  let store: VectorStore;
  beforeAll(async () => {
    server = await quotaServer(testChroma());
    store = storeOf(true);
    await store.create(generation, literalEmbedder.model);
    await store.upsert(key, records);
  });
  afterAll(async () => {
    await store.drop(generation);
    for (const connection of connections) await connection.close();
    await server.close();
  });

  test('is written and read whole within its quotas, and never refuses anything', async () => {
    const recordIds = ids.map((id) => `${id}#0`);
    await store.probe(generation, literalEmbedder.model);
    expect(await store.count(key)).toBe(RECORDS);
    expect([...(await store.read(key, recordIds, signal)).keys()].toSorted()).toEqual(recordIds);
    expect((await store.labels(key, recordIds)).size).toBe(RECORDS);
    expect((await store.list(key, 0, 500)).length).toBe(500);
    expect((await store.list(key, 500, 500)).length).toBe(RECORDS - 500);
    // As deep as searches ask: it answers as many as it may.
    expect((await store.nearest(key, [vectorOf('text c007')], 1_000, signal)).flat().length).toBe(300);
    const queries = ids.slice(0, 50).map((id) => vectorOf(`text ${id}`));
    const nearest = await store.nearest(key, queries, 10, signal);
    expect(nearest.map(([first]) => first?.cardId)).toEqual(ids.slice(0, 50));
    const renamed = records.map((record) => ({
      ...record,
      card: cardOf({ id: record.card.id, revision: 2 }),
      vector: null,
    }));
    await store.upsert(key, renamed);
    await store.invalidate(key, recordIds);
    const labels = await store.labels(key, recordIds);
    expect([...labels.values()].every(({ revision, contentHash }) => revision === 2 && contentHash === '')).toBe(true);
    expect(server.refused).toEqual([]);
  });

  test('has at most ten reads of a collection at a time, and ten writes', async () => {
    await Promise.all([
      ...ids.slice(0, 60).map((id) => store.nearest(key, [vectorOf(`text ${id}`)], 3, signal)),
      ...records.slice(0, 30).map((record) => store.upsert(key, [record])),
    ]);
    expect(server.refused).toEqual([]);
    expect(server.mostAtOnce).toBe(10);
  });

  test('refuses a client that does not keep to them: this server is not a lenient one', async () => {
    const own = storeOf(false);
    await expect(own.nearest(key, [vectorOf('x')], 1_000, signal)).rejects.toThrow();
    expect(server.refused).toContain('query: 1000 results');
  });
});

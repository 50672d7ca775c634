import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { ChromaConnection } from '../../../chroma/client.js';
import { ChromaCollections } from '../../../chroma/collections.js';
import { byShard, shardsFor } from '../../../chroma/shards.js';
import { ChromaVectors } from '../../../chroma/vectors.js';
import { IndexLostError } from '../../../src/domain/errors.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import type { PassageRecord, VectorStore } from '../../../src/domain/ports/collections.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import { testChroma } from '../../support/gateway-database.js';
import { cardOf } from '../../support/generators.js';
import { literalEmbedder, vectorOf } from '../../support/memory-ports.js';
import { quotaServer } from './quota-server.js';
import { generationOf, keyOf, PATIENT, recordOf } from './server.js';

const { model } = literalEmbedder;
const { signal } = new AbortController();
/** Of 150 records, a new collection has 3 shards. */
const LIMIT = 100;
const RECORDS = 150;

const undos: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

/** The store of a server whose collections may have so many records. */
function storeOf(collectionRecords?: number, installation: string = randomUUID(), url = testChroma()) {
  const access = { apiKey: null, tenant: null, database: null, cloud: false, collectionRecords };
  const connection = new ChromaConnection(() => url, access, PATIENT);
  undos.push(() => connection.close());
  const collections = new ChromaCollections(connection, installation);
  const vectors = new ChromaVectors(collections);
  const create = async (generation: Generation, records = RECORDS): Promise<void> => {
    undos.push(() => vectors.drop(generation));
    await vectors.create(generation, model, records);
  };
  /** The names of its collections of questions. */
  const names = async (): Promise<readonly string[]> => {
    const all = await connection.call('read', (client) => client.listCollections({ limit: 1_000 }));
    const own = `errata-${installation.replaceAll('-', '').slice(0, 12)}`;
    return all
      .flatMap(({ name }) => (name.startsWith(own) && name.includes('question') ? name.slice(36) : []))
      .toSorted();
  };
  return { connection, collections, vectors, create, names, installation };
}

const passages = (count: number): readonly PassageRecord[] =>
  Array.from({ length: count }, (_, place) => recordOf(`c${place}`, 0, `text ${place}`));

describe('the shards of a collection', () => {
  test('are one up to half of the limit, and enough for twice the records above it', () => {
    expect([0, 50, 51, 100, 150, 151].map((records) => shardsFor(records, LIMIT))).toEqual([1, 1, 2, 2, 3, 4]);
    expect(shardsFor(1e9, Number.POSITIVE_INFINITY)).toBe(1);
    expect(shardsFor(6_000_000, 5_000_000)).toBe(3);
  });

  test.each([
    ['random ids', () => randomUUID()],
    ['numbers', (place: number) => String(place)],
    ['ids with the number at the end', (place: number) => `school-7-card-${String(place * 4).padStart(8, '0')}`],
  ])('have about as many cards each: %s', (_, idOf) => {
    const items = Array.from({ length: 20_000 }, (_value, place) => idOf(place));
    for (const shards of [2, 3, 4, 20]) {
      const parts = byShard([...Array(shards).keys()], { items, cardOf: (id) => id });
      const sizes = parts.map(({ own }) => own.length);
      expect(sizes.reduce((sum, size) => sum + size)).toBe(items.length);
      expect(Math.max(...sizes)).toBeLessThan((1.25 * items.length) / shards);
    }
  });
});

const cardId = fc.integer({ min: 0, max: 30 }).map((number) => `card ${number}`);
const text = fc.string({ maxLength: 2 });
/** No two with the same vector: Chroma returns equally near ones in any order. */
const record = fc
  .tuple(cardId, fc.integer({ min: 0, max: 2 }), text)
  .map(([id, passage, own]) => recordOf(id, passage, `${id} ${passage} ${own}`));
const recordIds = fc.array(
  fc.tuple(cardId, fc.nat(2)).map(([id, passage]) => `${id}#${passage}`),
  { maxLength: 20 },
);

type Store = Pick<VectorStore, 'upsert' | 'remove' | 'removeCards' | 'invalidate'>;
const key = keyOf(generationOf(1));

const renamed = ({ card, ...kept }: PassageRecord): PassageRecord => {
  return { ...kept, card: cardOf({ id: card.id, revision: 7 }), vector: null };
};
const distinct = (records: readonly PassageRecord[]): readonly PassageRecord[] => [
  ...new Map(records.map((one) => [`${one.card.id}#${one.passage}`, one])).values(),
];
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(record, { maxLength: 40 }).map((some) => (s: Store) => s.upsert(key, distinct(some))),
  },
  fc.array(record, { maxLength: 20 }).map((some) => (s: Store) => s.upsert(key, distinct(some).map(renamed))),
  recordIds.map((ids) => (s: Store) => s.remove(key, ids)),
  fc.array(cardId, { maxLength: 5 }).map((ids) => (s: Store) => s.removeCards(key, [...new Set(ids)])),
  recordIds.map((ids) => (s: Store) => s.invalidate(key, ids)),
);

describe('a sharded collection', () => {
  test('does what an unsharded one does', async () => {
    const cards = Array.from({ length: 31 }, (_, number) => `card ${number}`);
    const all = cards.flatMap((id) => [0, 1, 2].map((passage) => `${id}#${passage}`));
    const [one, three] = [storeOf(), storeOf(LIMIT)];
    for (const { create } of [one, three]) await create(generationOf(1));
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.array(text, { minLength: 1, maxLength: 3 }),
        async (changes, queries) => {
          for (const { vectors } of [one, three]) {
            await vectors.removeCards(key, cards);
            for (const apply of changes) await apply(vectors);
          }
          const seen = async ({ vectors }: typeof one) => ({
            count: await vectors.count(key),
            read: new Map([...(await vectors.read(key, all, signal))].toSorted()),
            labels: new Map([...(await vectors.labels(key, all))].toSorted()),
            nearest: await vectors.nearest(key, queries.map(vectorOf), 20, signal),
            listed: [...(await vectors.list(key, 0, 30)), ...(await vectors.list(key, 30, 200))].toSorted(),
          });
          expect(await seen(three)).toEqual(await seen(one));
        },
      ),
      { numRuns: 15 },
    );
    expect([await one.names(), (await three.names()).length]).toEqual([['-g1-question'], 3]);
  });

  // A record may be in two pages of a list: others before it were added between them.
  test('is asked for and loses a record that is named twice', async () => {
    const { vectors, create } = storeOf(LIMIT);
    await create(generationOf(1));
    await vectors.upsert(key, passages(2));
    const twice = ['c0#0', 'c1#0', 'c0#0'];
    expect([...(await vectors.labels(key, twice)).keys()].toSorted()).toEqual(['c0#0', 'c1#0']);
    await vectors.invalidate(key, twice);
    await vectors.remove(key, ['c0#0', 'c0#0']);
    expect(await vectors.list(key, 0, 10)).toEqual(['c1#0']);
  });

  test('is listed in pages of any size, each record once', async () => {
    const { vectors, create } = storeOf(LIMIT);
    const generation = generationOf(1);
    await create(generation);
    const records = passages(120);
    await vectors.upsert(key, records);
    for (const size of [7, 50, 120, 121]) {
      const listed: string[] = [];
      for (let page: readonly string[] | null = null; page === null || page.length === size; ) {
        page = await vectors.list(key, listed.length, size);
        listed.push(...page);
      }
      expect(listed.toSorted()).toEqual(records.map(({ card }) => `${card.id}#0`).toSorted());
    }
  });

  test('is read whole by a gateway with another limit, and dropped whole, all shards', async () => {
    const { vectors, create, names, installation } = storeOf(LIMIT);
    const generation = generationOf(1);
    await create(generation);
    await vectors.upsert(key, passages(90));
    expect(await names()).toEqual(['-g1-question', '-g1-question-2', '-g1-question-3']);
    const other = storeOf(undefined, installation);
    expect(await other.vectors.count(key)).toBe(90);
    // Creating it again changes nothing.
    await other.create(generation, 0);
    expect((await other.vectors.read(key, ['c1#0', 'c2#0', 'c3#0'], signal)).size).toBe(3);
    await other.vectors.probe(generation, model);
    await other.vectors.drop(generation);
    expect(await names()).toEqual([]);
    await expect(other.vectors.count(key)).rejects.toThrow(IndexLostError);
  });

  test('is lost if any of its shards is', async () => {
    const { vectors, create, connection, collections } = storeOf(LIMIT);
    const generation = generationOf(1);
    await create(generation);
    const name = await collections.use('read', { ...key, shard: 2 }, async (shard) => shard.name);
    await connection.call('write', (client) => client.deleteCollection({ name }));
    await expect(vectors.probe(generation, model)).rejects.toThrow(IndexLostError);
    await expect(vectors.nearest(key, [vectorOf('x')], 5, signal)).rejects.toThrow(IndexLostError);
  });

  test('is dropped whole if its first shard is lost, which had their number', async () => {
    const { vectors, create, connection, collections, names } = storeOf(LIMIT);
    const generation = generationOf(1);
    await create(generation);
    const name = await collections.use('read', key, async (shard) => shard.name);
    await connection.call('write', (client) => client.deleteCollection({ name }));
    expect(await names()).toEqual(['-g1-question-2', '-g1-question-3']);
    await vectors.drop(generation);
    expect(await names()).toEqual([]);
  });

  test('has no record of a foreign client any more after it is removed, whichever shard had it', async () => {
    const { vectors, create, collections } = storeOf(LIMIT);
    await create(generationOf(1));
    for (const shard of [0, 1, 2]) {
      await collections.use('write', { ...key, shard }, (one) =>
        one.upsert({ ids: [`foreign ${shard}`], embeddings: [[...vectorOf('x')]] }),
      );
    }
    const listed = await vectors.list(key, 0, 100);
    expect(listed).toEqual(['foreign 0', 'foreign 1', 'foreign 2']);
    expect((await vectors.labels(key, listed)).size).toBe(3);
    await vectors.remove(key, listed);
    expect(await vectors.count(key)).toBe(0);
  });

  test('is nearly full when one of its shards is', async () => {
    const { vectors, create } = storeOf(LIMIT);
    await create(generationOf(1), 50);
    await create(generationOf(2));
    for (const number of [1, 2]) {
      expect(await vectors.isNearlyFull(generationOf(number))).toBe(false);
      await vectors.upsert(keyOf(generationOf(number), 'error'), passages(81));
    }
    const full = await Promise.all([1, 2].map((number) => vectors.isNearlyFull(generationOf(number))));
    expect(full).toEqual([true, false]);
    await vectors.upsert(keyOf(generationOf(2), 'error'), passages(270));
    expect(await vectors.isNearlyFull(generationOf(2))).toBe(true);
  });
});

describe('a server with a limit of records in a collection', () => {
  test('takes a sharded one, and refuses an unsharded one', async () => {
    const server = await quotaServer(testChroma(), 0, LIMIT);
    undos.push(() => server.close());
    const generation = generationOf(1);
    const sharded = storeOf(LIMIT, randomUUID(), server.url);
    await sharded.create(generation);
    for (const perspective of PERSPECTIVES)
      await sharded.vectors.upsert(keyOf(generation, perspective), passages(RECORDS));
    expect([await sharded.vectors.count(key), server.refused]).toEqual([RECORDS, []]);
    const whole = storeOf(undefined, randomUUID(), server.url);
    await whole.create(generation);
    await expect(whole.vectors.upsert(key, passages(RECORDS))).rejects.toThrow();
    expect(server.refused).toEqual([`upsert: ${RECORDS} records in a collection`]);
  });
});

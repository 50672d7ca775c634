import { afterEach, describe, expect, test } from 'vitest';
import { ChromaConnection } from '../../../chroma/client.js';
import { ChromaCollections } from '../../../chroma/collections.js';
import { ChromaVectors } from '../../../chroma/vectors.js';
import { IndexLostError } from '../../../src/domain/errors.js';
import { hashOf } from '../../../src/domain/passages.js';
import { startHttpServer } from '../../support/http-server.js';
import { literalEmbedder, vectorOf } from '../../support/memory-ports.js';
import { generationOf, installation, keyOf, PATIENT, recordOf } from './server.js';

const { model } = literalEmbedder;
const signal = new AbortController().signal;

const undos: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

interface Scripted {
  readonly vectors: ChromaVectors;
  /** The calls in order, by the last part of their paths. */
  readonly calls: string[];
  /** How often it was said that the index lost data. */
  readonly losses: () => number;
}

/** A Chroma that answers queries and reads in this way: `settled` once a write has been answered. */
async function scripted(
  answer: (call: string, settled: boolean) => string | { readonly error: string },
): Promise<Scripted> {
  const calls: string[] = [];
  const server = await startHttpServer((request, response) => {
    const call = new URL(request.url ?? '/', 'http://chroma').pathname.split('/').at(-1) ?? '';
    const reply = answer(call, calls.includes('update'));
    calls.push(call);
    const [status, body] =
      typeof reply === 'string'
        ? [200, reply]
        : [500, JSON.stringify({ error: 'InternalError', message: reply.error })];
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  const connection = new ChromaConnection(() => server.url, undefined, PATIENT);
  let losses = 0;
  connection.onLoss(() => {
    losses += 1;
  });
  undos.push(
    () => server.close(),
    () => connection.close(),
  );
  const vectors = new ChromaVectors(new ChromaCollections(connection, 'b3f1c0de-0000-4000-8000-000000000000'));
  return { vectors, calls, losses: () => losses };
}

const idsOf = (count: number): string => {
  const ids = Array.from({ length: count }, (_, place) => `c${place}#0`);
  return JSON.stringify({ ids: [ids], distances: [ids.map(() => 0)], include: ['distances'] });
};

/** A collection of so many records, whose queries are answered in this way. */
const holds =
  (records: number, query: (settled: boolean) => string | { readonly error: string }) =>
  (call: string, settled: boolean) => {
    if (call === 'count') return String(records);
    if (call === 'query') return query(settled);
    if (call === 'update') return '{}';
    if (call === 'pre-flight-checks') return '{"max_batch_size": 100}';
    return JSON.stringify({
      id: 'b3f1c0de-0000-4000-8000-000000000001',
      name: 'one',
      configuration_json: {},
      tenant: 'default_tenant',
      database: 'default_database',
    });
  };

const NOT_YET = {
  error: 'Error executing plan: Internal error: Error creating hnsw segment reader: Nothing found on disk',
};
const CUT_OFF = {
  error: 'Error executing plan: Internal error: Error creating hnsw segment reader: EOF while parsing',
};

describe('a collection during its first write', () => {
  test.each([
    'Error creating hnsw segment reader: Nothing found on disk',
    'Error finding id',
    'Error getting embedding',
  ])('is read after the write: %s is not treated as damage', async (problem) => {
    const error = `Error executing plan: Internal error: ${problem}`;
    const { vectors, losses } = await scripted(holds(2, (settled) => (settled ? idsOf(2) : { error })));
    const [nearest] = await vectors.nearest(keyOf(generationOf(1)), [vectorOf('x')], 5, signal);
    expect(nearest?.map(({ cardId }) => cardId)).toEqual(['c0', 'c1']);
    expect(losses()).toBe(0);
  });

  test('is lost if the error is the same after the write, which is reported once', async () => {
    const { vectors, losses, calls } = await scripted(holds(2, () => NOT_YET));
    const nearest = vectors.nearest(keyOf(generationOf(1)), [vectorOf('x')], 5, signal);
    await expect(nearest).rejects.toThrow(IndexLostError);
    expect(losses()).toBe(1);
    expect(calls.filter((call) => call === 'update')).toHaveLength(1);
  });

  test('is lost at once, without a write, for errors that only damage causes', async () => {
    const { vectors, losses, calls } = await scripted(holds(2, () => CUT_OFF));
    await expect(vectors.nearest(keyOf(generationOf(1)), [vectorOf('x')], 5, signal)).rejects.toThrow(IndexLostError);
    expect([losses(), calls.includes('update')]).toEqual([1, false]);
  });

  test('counts more records than queries find until the write is applied: a probe waits for that', async () => {
    const { vectors, losses } = await scripted(holds(200, (settled) => idsOf(settled ? 10 : 0)));
    await vectors.probe(generationOf(1), model);
    expect(losses()).toBe(0);
  });

  test('has lost its graph if queries find no more after the write', async () => {
    const { vectors } = await scripted(holds(200, () => idsOf(3)));
    await expect(vectors.probe(generationOf(1), model)).rejects.toThrow('finds 3 of 200 records');
  });
});

describe('a real Chroma', () => {
  const { vectors, create, connection } = installation();

  test('answers every read of a collection while its first records are written', async () => {
    let losses = 0;
    connection.onLoss(() => {
      losses += 1;
    });
    for (const number of [1, 2, 3]) {
      const generation = generationOf(number);
      const key = keyOf(generation);
      await create(generation);
      const records = Array.from({ length: 200 }, (_, place) => recordOf(`c${place}`, 0, `text ${place}`));
      let written = false;
      const whileWriting = async (read: () => Promise<unknown>): Promise<void> => {
        while (!written) await read();
      };
      const write = vectors.upsert(key, records).finally(() => {
        written = true;
      });
      await Promise.all([
        write,
        whileWriting(() => vectors.read(key, ['c1#0', 'unknown#0'], signal)),
        whileWriting(() => vectors.nearest(key, [vectorOf('text 1')], 10, signal)),
        whileWriting(() => vectors.probe(generation, model)),
      ]);
      const found = await vectors.read(key, ['c1#0'], signal);
      expect(found.get('c1#0')?.contentHash).toBe(hashOf('text 1'));
      expect(await vectors.count(key)).toBe(200);
    }
    expect(losses).toBe(0);
  });

  test('does not report a collection that is dropped twice as lost', async () => {
    let losses = 0;
    connection.onLoss(() => {
      losses += 1;
    });
    await vectors.drop(generationOf(9));
    expect(losses).toBe(0);
  });
});

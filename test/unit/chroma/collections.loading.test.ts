import { describe, expect, test } from 'vitest';
import { ChromaConnection } from '../../../chroma/client.js';
import { ChromaCollections } from '../../../chroma/collections.js';
import { ChromaVectors } from '../../../chroma/vectors.js';
import { IndexLostError, UnavailableError } from '../../../src/domain/errors.js';
import { testChroma } from '../../support/gateway-database.js';
import { literalEmbedder, vectorOf } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';
import { holding } from './holding.js';
import { generationOf, installation, keyOf, PATIENT, recordOf } from './server.js';

const signal = new AbortController().signal;
const { model } = literalEmbedder;

describe('the collections in Chroma', () => {
  const { id, connection, collections, vectors, create } = installation();

  test('do not read for an aborted request', async () => {
    const generation = generationOf(8);
    await create(generation);
    const aborted = AbortSignal.abort(new Error('the client went away'));
    await expect(vectors.nearest(keyOf(generation), [vectorOf('x')], 1, aborted)).rejects.toThrow(
      'the client went away',
    );
    await expect(vectors.read(keyOf(generation), ['a#0'], aborted)).rejects.toThrow('the client went away');
  });

  test('are reported as lost after they were dropped, and can be dropped again', async () => {
    const generation = generationOf(9);
    await create(generation);
    const key = keyOf(generation);
    await vectors.drop(generation);
    await vectors.drop(generation);
    const questions: readonly (() => Promise<unknown>)[] = [
      () => vectors.nearest(key, [vectorOf('x')], 1, signal),
      () => vectors.read(key, ['a#0'], signal),
      () => vectors.upsert(key, [recordOf('a', 0, 'x')]),
      () => vectors.remove(key, ['a#0']),
      () => vectors.removeCards(key, ['a']),
      () => vectors.count(key),
      () => vectors.probe(generation, model),
    ];
    for (const question of questions) await expect(question()).rejects.toThrow(IndexLostError);
  });

  test('are reported as lost if one of the four is missing', async () => {
    const generation = generationOf(10);
    await create(generation);
    const name = await collections.use('read', keyOf(generation, 'error'), async (one) => one.name);
    await connection.call('write', (client) => client.deleteCollection({ name }));
    await expect(vectors.probe(generation, model)).rejects.toThrow(IndexLostError);
    await vectors.create(generation, model);
    await vectors.probe(generation, model);
  });

  test('have a longer deadline for a probe, because the first query after a start reads the whole graph', async () => {
    const generation = generationOf(14);
    await create(generation);
    const held = await holding(testChroma(), /\/(query|count)$/);
    const slow = new ChromaConnection(() => held.url, undefined, { read: 100, write: 30_000, load: 30_000 });
    try {
      const behind = new ChromaCollections(slow, id);
      const probe = new ChromaVectors(behind).probe(generation, model);
      await expect(new ChromaVectors(behind).count(keyOf(generation))).rejects.toThrow(UnavailableError);
      held.release();
      await probe;
    } finally {
      await slow.close();
      await held.close();
    }
  });

  test('are loaded by one call after the server was away, which reads that give up do not repeat', async () => {
    const generation = generationOf(17);
    const key = keyOf(generation);
    await create(generation);
    await vectors.upsert(key, [recordOf('a', 0, 'x')]);
    const held = await holding(testChroma(), /\/count$/);
    const slow = new ChromaConnection(() => held.url, undefined, { read: 100, write: 30_000, load: 30_000 });
    const asked = (end: string): number => held.paths.filter((path) => path.endsWith(end)).length;
    try {
      const behind = new ChromaCollections(slow, id);
      const read = () => new ChromaVectors(behind).read(key, ['a#0'], signal);
      const written = new ChromaVectors(behind).upsert(key, [recordOf('b', 0, 'y')]);
      await until(() => asked('/count') > 0, { deadlineMs: 30_000, what: 'the load to begin' });
      await expect(read()).rejects.toThrow(UnavailableError);
      await expect(read()).rejects.toThrow(UnavailableError);
      expect([asked('/count'), asked('/get'), asked('/upsert')]).toEqual([1, 0, 0]);
      held.release();
      await written;
      await until(async () => (await read()).size === 1, { deadlineMs: 30_000, what: 'the record to be read' });
      expect(asked('/count')).toBe(1);
    } finally {
      await slow.close();
      await held.close();
    }
  });

  test('are loaded before the first call after a restart of the server, even if no call failed', async () => {
    const generation = generationOf(19);
    const key = keyOf(generation);
    await create(generation);
    const held = await holding(testChroma(), /\/count$/);
    held.release();
    const restarted = new ChromaConnection(() => held.url);
    try {
      const behind = new ChromaVectors(new ChromaCollections(restarted, id));
      const loads: number[] = [];
      for (const card of ['a', 'b']) {
        for (const text of ['x', 'y']) await behind.upsert(key, [recordOf(card, 0, text)]);
        loads.push(held.paths.filter((path) => path.endsWith('/count')).length);
        restarted.cameBack();
      }
      expect(loads).toEqual([1, 2]);
    } finally {
      await restarted.close();
      await held.close();
    }
  });

  test('are read with the deadline of reads, whoever created them', async () => {
    const generation = generationOf(16);
    const held = await holding(testChroma(), /\/query$/);
    const slow = new ChromaConnection(() => held.url, undefined, { read: 100, write: 60_000, load: 60_000 });
    try {
      const there = new ChromaCollections(slow, id);
      await new ChromaVectors(there).create(generation, model);
      const query = new ChromaVectors(there).nearest(keyOf(generation), [vectorOf('x')], 1, signal);
      await expect(query).rejects.toThrow(UnavailableError);
    } finally {
      held.release();
      await vectors.drop(generation);
      await slow.close();
      await held.close();
    }
  });

  test('have the deadline of writes for reads of the indexer, which would repeat its whole batch', async () => {
    const generation = generationOf(18);
    const key = keyOf(generation);
    await create(generation);
    const held = await holding(testChroma(), /\/get$/);
    const slow = new ChromaConnection(() => held.url, undefined, { read: 100, write: 60_000, load: 60_000 });
    try {
      const behind = new ChromaVectors(new ChromaCollections(slow, id));
      // A write waits until the collection is loaded; a read would wait 100 ms for that.
      await behind.upsert(key, [recordOf('a', 0, 'x')]);
      const patient = Promise.all([
        behind.labels(key, ['a#0']),
        behind.read(key, ['a#0'], signal, 'background'),
        behind.list(key, 0, 10),
      ]);
      patient.catch(() => undefined);
      const asked = () => held.paths.filter((path) => path.endsWith('/get')).length === 3;
      await until(asked, { deadlineMs: 30_000, what: 'the reads to be under way' });
      await expect(behind.read(key, ['a#0'], signal)).rejects.toThrow(UnavailableError);
      held.release();
      const [labels, records, ids] = await patient;
      expect([[...labels.keys()], [...records.keys()], ids]).toEqual([['a#0'], ['a#0'], ['a#0']]);
    } finally {
      held.release();
      await slow.close();
      await held.close();
    }
  });

  test('follow a server to a new URL', async () => {
    const generation = generationOf(15);
    const key = keyOf(generation);
    await create(generation);
    const [before, after] = await Promise.all([holding(testChroma(), /^$/), holding(testChroma(), /^$/)]);
    let url = before.url;
    const moving = new ChromaConnection(() => url, undefined, PATIENT);
    try {
      const there = new ChromaCollections(moving, id);
      expect(await new ChromaVectors(there).count(key)).toBe(0);
      await before.close();
      url = after.url;
      expect(await new ChromaVectors(there).count(key)).toBe(0);
    } finally {
      await moving.close();
      await after.close();
    }
  });

  test('are looked up again after another gateway has recreated them', async () => {
    const generation = generationOf(11);
    const key = keyOf(generation);
    await create(generation);
    await vectors.upsert(key, [recordOf('a', 0, 'x')]);
    const name = await collections.use('read', key, async (one) => one.name);
    await connection.call('write', async (client) => {
      await client.deleteCollection({ name });
      await client.createCollection({ name, embeddingFunction: null });
    });
    expect(await vectors.count(key)).toBe(0);
    await vectors.upsert(key, [recordOf('b', 0, 'y')]);
    expect((await vectors.nearest(key, [vectorOf('y')], 5, signal)).flat().map(({ cardId }) => cardId)).toEqual(['b']);
  });
});

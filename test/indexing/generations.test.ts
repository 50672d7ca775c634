import { describe, expect, test } from '@jest/globals';
import { IndexLostError, UnavailableError } from '../../src/errors.js';
import { Generations } from '../../src/indexing/generations.js';
import type { Collections, Generation, IndexLedger } from '../../src/ports.js';
import { literalEmbedder, literalModel, memoryCache } from '../support/memory-ports.js';

function generation(number: number, state: Generation['state'], given: Partial<Generation> = {}): Generation {
  return { tenantId: 'default', number, modelKey: literalModel, state, ...given };
}

/** Generations over a ledger in memory, and collections that take a while to be made. */
function worldOf(given: readonly Generation[]) {
  const ledgers = new Map(given.map((one) => [one.number, one]));
  const collections = new Set(given.map(({ number }) => number));
  const complete = new Set<number>();
  const ledger: Pick<IndexLedger, 'generations' | 'startGeneration' | 'promote' | 'dropGeneration'> = {
    generations: async () => [...ledgers.values()],
    startGeneration: async (tenantId, modelKey) => {
      const running = [...ledgers.values()].find((one) => one.state === 'building' && one.tenantId === tenantId);
      if (running !== undefined) return running;
      const made = generation(Math.max(0, ...ledgers.keys()) + 1, 'building', { tenantId, modelKey });
      ledgers.set(made.number, made);
      return made;
    },
    promote: async (_tenantId, number) => complete.has(number),
    dropGeneration: async (_tenantId, number) => void ledgers.delete(number),
  };
  const rooms: Pick<Collections, 'create' | 'drop' | 'probe'> = {
    create: async ({ number }) => {
      await new Promise(setImmediate);
      collections.add(number);
    },
    drop: async ({ number }) => void collections.delete(number),
    probe: async ({ number }) => {
      if (!collections.has(number)) throw new IndexLostError('a collection of the index is missing');
    },
  };
  const said: string[] = [];
  const log = {
    info: (_facts: object, message: string) => void said.push(message),
    warn: (_facts: object, message: string) => void said.push(message),
  };
  const cache = memoryCache();
  const generations = new Generations({
    ledger: ledger as IndexLedger,
    collections: rooms as Collections,
    cache,
    embedder: literalEmbedder,
    log,
  });
  return { generations, ledgers, collections, complete, cache, rooms, said };
}

const numbers = (of: readonly Generation[]): readonly number[] => of.map(({ number }) => number);

describe('Generations', () => {
  test('writes a tenant’s live and building generations of the model in use, and no others', async () => {
    const { generations } = worldOf([
      generation(1, 'retired'),
      generation(2, 'live'),
      generation(3, 'building'),
      generation(4, 'building', { modelKey: 'another' }),
      generation(5, 'live', { tenantId: 'other' }),
    ]);
    expect(numbers(await generations.writable('default'))).toEqual([2, 3]);
  });

  test('begins one, with its collections, for a tenant that has none of the model in use', async () => {
    const { generations, collections } = worldOf([generation(1, 'live', { modelKey: 'another' })]);
    expect(numbers(await generations.writable('default'))).toEqual([2]);
    expect(collections.has(2)).toBe(true);
    expect(numbers(await generations.writable('default'))).toEqual([2]);
  });

  test('replaces a building generation that lost a collection', async () => {
    const { generations, ledgers, collections } = worldOf([generation(1, 'live'), generation(2, 'building')]);
    collections.delete(2);
    await generations.verify();
    expect(numbers([...ledgers.values()])).toEqual([1, 2]);
    expect([...collections]).toEqual([1, 2]);
  });

  test('builds beside a live one that lost a collection, and does not write the lost one any more', async () => {
    const { generations, ledgers, collections, said } = worldOf([generation(1, 'live')]);
    collections.delete(1);
    await generations.verify();
    expect([...ledgers.values()].map(({ state }) => state)).toEqual(['live', 'building']);
    expect(numbers(await generations.writable('default'))).toEqual([2]);
    expect(said).toEqual(['the index is built anew from PostgreSQL', 'building an index generation']);
  });

  test('takes no generation for lost whose collections are just being made, whoever looks at the same time', async () => {
    const { generations, ledgers, collections } = worldOf([]);
    const looks = [
      generations.begin('default'),
      generations.verify(),
      generations.verify(),
      generations.begin('default'),
    ];
    await Promise.all(looks);
    expect(numbers([...ledgers.values()])).toEqual([1]);
    expect([...collections]).toEqual([1]);
  });

  test('makes no generation live before it has its collections', async () => {
    const { generations, collections, complete, rooms } = worldOf([]);
    complete.add(1);
    const { create } = rooms;
    const order: string[] = [];
    rooms.create = async (...args) => {
      await create(...args);
      order.push('created');
    };
    await Promise.all([generations.begin('default'), generations.settle().then(() => order.push('settled'))]);
    expect(order).toEqual(['created', 'settled']);
    expect(collections.has(1)).toBe(true);
  });

  test('does not take a server that does not answer for one that lost its data, and may look again', async () => {
    const { generations, ledgers, rooms } = worldOf([generation(1, 'live')]);
    const { probe } = rooms;
    rooms.probe = () => Promise.reject(new UnavailableError('chroma', 'no answer'));
    await expect(generations.verify()).rejects.toThrow(UnavailableError);
    expect(ledgers.size).toBe(1);
    rooms.probe = probe;
    await generations.verify();
    expect(ledgers.size).toBe(1);
  });

  test('drops what is retired, everywhere, and promotes what is complete', async () => {
    const world = worldOf([generation(1, 'retired'), generation(2, 'live'), generation(3, 'building')]);
    await world.cache.put(
      'default',
      1,
      new Map([['a', { revision: 1, passages: { question: [], solution: [], concept: [], error: [] } }]]),
    );
    await world.generations.settle();
    expect([...world.ledgers.keys()]).toEqual([2, 3]);
    expect([...world.collections]).toEqual([2, 3]);
    expect(world.cache.entries.size).toBe(0);
    expect(world.said).toEqual([]);
    world.complete.add(3);
    await world.generations.settle();
    expect(world.said).toEqual(['the index generation is live']);
  });
});

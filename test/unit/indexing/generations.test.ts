import { describe, expect, test } from 'vitest';
import { IndexLostError, UnavailableError } from '../../../src/domain/errors.js';
import type { Collections } from '../../../src/domain/ports/collections.js';
import type { Generation, IndexLedger } from '../../../src/domain/ports/ledger.js';
import { type Embedder, modelKey as modelKeyOf } from '../../../src/domain/ports/models.js';
import { Generations, type WritableGeneration } from '../../../src/indexing/generations.js';
import { literalEmbedder, literalModel, memoryCache, sourceOf } from '../../support/memory-ports.js';

const otherEmbedder: Embedder = { ...literalEmbedder, model: { ...literalEmbedder.model, name: 'another' } };
const otherModel = modelKeyOf(otherEmbedder.model);

function generation(number: number, state: Generation['state'], given: Partial<Generation> = {}): Generation {
  return { tenantId: 'default', number, modelKey: literalModel, state, ...given };
}

/** Generations over a ledger in memory, and collections that take a while to be made. */
function worldOf(given: readonly Generation[], embedders = sourceOf(literalEmbedder)) {
  const ledgers = new Map(given.map((one) => [one.number, one]));
  const collections = new Set(given.map(({ number }) => number));
  const complete = new Set<number>();
  const retire = (one: Generation): unknown => ledgers.set(one.number, { ...one, state: 'retired' });
  type Ledger = Pick<
    IndexLedger,
    'generations' | 'outgrown' | 'startGeneration' | 'retireGeneration' | 'promote' | 'dropGeneration'
  >;
  const ledger: Ledger = {
    generations: async ({ tenantId, modelKey, notOfModel, unsettled } = {}) =>
      [...ledgers.values()].filter(
        (one) =>
          (tenantId ?? one.tenantId) === one.tenantId &&
          (modelKey ?? one.modelKey) === one.modelKey &&
          notOfModel !== one.modelKey &&
          !(unsettled === true && one.state === 'live'),
      ),
    startGeneration: async (tenantId, modelKey, { replaces, prepare } = {}) => {
      const running = [...ledgers.values()].find((one) => one.state === 'building' && one.tenantId === tenantId);
      if (running?.modelKey === modelKey && running.number !== replaces) return { generation: running, isNew: false };
      const made = generation(Math.max(0, ...ledgers.keys()) + 1, 'building', { tenantId, modelKey });
      await prepare?.(made);
      if (running !== undefined) retire(running);
      ledgers.set(made.number, made);
      return { generation: made, isNew: true };
    },
    outgrown: async () => null,
    retireGeneration: async (_tenantId, number) => void retire(ledgers.get(number) as Generation),
    promote: async (_tenantId, number) => complete.has(number),
    dropGeneration: async (_tenantId, number) => void ledgers.delete(number),
  };
  /** The generations whose collections were there, and were dropped. */
  const dropped: number[] = [];
  const rooms: Pick<Collections, 'create' | 'drop' | 'probe'> = {
    create: async ({ number }) => {
      await new Promise(setImmediate);
      collections.add(number);
    },
    drop: async ({ number }) => {
      if (collections.delete(number)) dropped.push(number);
    },
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
    chromaAboveCards: 0,
    collections: rooms as Collections,
    cache,
    embedders,
    log,
  });
  return { generations, ledgers, collections, complete, cache, rooms, dropped, said, embedders };
}

const numbersOf = (of: readonly WritableGeneration[]): readonly number[] =>
  of.map(({ generation }) => generation.number);
const numbers = (of: readonly Generation[]): readonly number[] => of.map(({ number }) => number);

describe('Generations', () => {
  test('writes a tenant’s live and building generations, each with its own model, and no others', async () => {
    const { generations } = worldOf(
      [
        generation(1, 'retired'),
        generation(2, 'live', { modelKey: otherModel }),
        generation(3, 'building'),
        generation(5, 'live', { tenantId: 'other' }),
      ],
      sourceOf(literalEmbedder, otherEmbedder),
    );
    const writable = await generations.writable('default');
    expect(writable.map(({ generation: { number }, embedder }) => [number, embedder])).toEqual([
      [2, otherEmbedder],
      [3, literalEmbedder],
    ]);
  });

  test('creates the first generation of a tenant, with its collections', async () => {
    const { generations, collections } = worldOf([generation(1, 'live', { tenantId: 'other' })]);
    expect(numbersOf(await generations.writable('default'))).toEqual([2]);
    expect(collections.has(2)).toBe(true);
    expect(numbersOf(await generations.writable('default'))).toEqual([2]);
  });

  test('starts with empty collections and no vectors, even if its number was used before', async () => {
    const { generations, collections, cache, dropped } = worldOf([generation(1, 'live')]);
    collections.add(2);
    await cache.put(
      'default',
      2,
      new Map([['card', { revision: 1, passages: { question: [], solution: [], concept: [], error: [] } }]]),
    );
    expect((await generations.begin('default')).number).toBe(2);
    expect([dropped, cache.get('default', 2, 'card')]).toEqual([[2], undefined]);
    // What is being built already is not begun anew.
    await generations.begin('default');
    expect(dropped).toEqual([2]);
  });

  test('writes the building generation if the model of the live one is not available any more', async () => {
    const { generations } = worldOf([generation(1, 'live', { modelKey: otherModel }), generation(2, 'building')]);
    expect(numbersOf(await generations.writable('default'))).toEqual([2]);
  });

  test('leaves the cards to another gateway that builds for a model that this one does not have', async () => {
    const { generations, ledgers } = worldOf([
      generation(1, 'live'),
      generation(2, 'building', { modelKey: otherModel }),
    ]);
    await expect(generations.writable('default')).rejects.toThrow(UnavailableError);
    const live = worldOf([generation(1, 'live', { modelKey: otherModel })]);
    await expect(live.generations.writable('default')).rejects.toThrow(otherModel);
    expect([ledgers.size, live.ledgers.size]).toEqual([2, 1]);
  });

  test('a start with another model creates one generation for it beside the live one', async () => {
    const { generations, ledgers, collections } = worldOf([generation(1, 'live', { modelKey: otherModel })]);
    await generations.adopt('default');
    await generations.adopt('default');
    expect([...ledgers.values()].map(({ number, state, modelKey }) => [number, state, modelKey])).toEqual([
      [1, 'live', otherModel],
      [2, 'building', literalModel],
    ]);
    expect([...collections]).toEqual([1, 2]);
  });

  test('a start with a third model retires the building generation of the second', async () => {
    const { generations, ledgers } = worldOf([
      generation(1, 'live', { modelKey: otherModel }),
      generation(2, 'building', { modelKey: 'second:1:f32:1' }),
    ]);
    await generations.adopt('default');
    expect([...ledgers.values()].map(({ state }) => state)).toEqual(['live', 'retired', 'building']);
  });

  test('a start with the model of the live one retires a building generation of another model', async () => {
    const { generations, ledgers, collections } = worldOf([
      generation(1, 'live'),
      generation(2, 'building', { modelKey: otherModel }),
    ]);
    await generations.adopt('default');
    await generations.settle('all');
    expect(numbers([...ledgers.values()])).toEqual([1]);
    expect([...collections]).toEqual([1]);
  });

  test('a start with the model in use changes nothing', async () => {
    const { generations, said } = worldOf([generation(1, 'live'), generation(2, 'live', { tenantId: 'other' })]);
    expect(await generations.outdated()).toEqual([]);
    await generations.adopt('default');
    expect(said).toEqual([]);
  });

  test('retires a model when its last generation is dropped', async () => {
    const embedders = sourceOf(literalEmbedder, otherEmbedder);
    const { generations, ledgers } = worldOf(
      [
        generation(1, 'retired', { modelKey: otherModel }),
        generation(2, 'live', { tenantId: 'other', modelKey: otherModel }),
      ],
      embedders,
    );
    await generations.settle('all');
    expect(embedders.retired).toEqual([]);
    ledgers.set(2, generation(2, 'retired', { tenantId: 'other', modelKey: otherModel }));
    await generations.settle('all');
    expect(embedders.retired).toEqual([otherModel]);
  });

  test('replaces a building generation that lost a collection', async () => {
    const { generations, ledgers, collections } = worldOf([generation(1, 'live'), generation(2, 'building')]);
    collections.delete(2);
    await generations.verify();
    await generations.settle('all');
    expect(numbers([...ledgers.values()])).toEqual([1, 3]);
    expect([...collections]).toEqual([1, 3]);
  });

  test('builds beside a live generation that lost a collection, which is not written any more', async () => {
    const { generations, ledgers, collections, said } = worldOf([generation(1, 'live')]);
    collections.delete(1);
    await generations.verify();
    expect([...ledgers.values()].map(({ state }) => state)).toEqual(['live', 'building']);
    expect(numbersOf(await generations.writable('default'))).toEqual([2]);
    expect(said).toEqual(['rebuilding the index from PostgreSQL', 'building an index generation']);
  });

  test('replaces a lost generation once, whoever finds the loss at the same time', async () => {
    const { generations, ledgers, collections, said } = worldOf([generation(1, 'live')]);
    collections.delete(1);
    await Promise.all([generations.verify(), generations.verify({ tenantId: 'default' })]);
    expect(numbers([...ledgers.values()])).toEqual([1, 2]);
    expect(said).toEqual(['rebuilding the index from PostgreSQL', 'building an index generation']);
  });

  test('does not treat a generation as lost while its collections are being created', async () => {
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

  test('does not promote a generation before its collections exist', async () => {
    const { generations, collections, complete, rooms } = worldOf([]);
    complete.add(1);
    const { create } = rooms;
    const order: string[] = [];
    rooms.create = async (...args) => {
      await create(...args);
      order.push('created');
    };
    await Promise.all([generations.begin('default'), generations.settle('all').then(() => order.push('settled'))]);
    expect(order).toEqual(['created', 'settled']);
    expect(collections.has(1)).toBe(true);
  });

  test('does not treat an unavailable server as data loss, and checks again later', async () => {
    const { generations, ledgers, collections, rooms } = worldOf([generation(1, 'live')]);
    const { probe } = rooms;
    rooms.probe = () => Promise.reject(new UnavailableError('chroma', 'no answer'));
    await expect(generations.verify()).rejects.toThrow(UnavailableError);
    expect(ledgers.size).toBe(1);
    rooms.probe = probe;
    collections.delete(1);
    await generations.verify();
    expect(ledgers.size).toBe(2);
  });

  test('deletes the vectors of generations that another gateway has dropped, and no others', async () => {
    const world = worldOf([generation(3, 'live'), generation(4, 'building')]);
    const none = { revision: 1, passages: { question: [], solution: [], concept: [], error: [] } };
    for (const [tenantId, number] of [
      ['default', 1],
      ['default', 2],
      ['default', 3],
      ['default', 4],
      ['default', 5],
      ['another', 1],
    ] as const) {
      await world.cache.put(tenantId, number, new Map([['a', none]]));
    }
    await world.generations.verify();
    expect([...world.cache.entries.keys()]).toEqual(['default/3/a', 'default/4/a', 'default/5/a', 'another/1/a']);
  });

  test('reports pending work: a building or recently replaced generation', async () => {
    expect(await worldOf([generation(1, 'live')]).generations.settle('all')).toBe(true);
    const { generations, ledgers, complete } = worldOf([generation(1, 'live'), generation(2, 'building')]);
    expect(await generations.settle('all')).toBe(false);
    complete.add(2);
    expect(await generations.settle('all')).toBe(false);
    // The old one is not told of for ten seconds, because searches that began before may read it.
    ledgers.delete(1);
    ledgers.set(2, generation(2, 'live'));
    expect(await generations.settle('all')).toBe(false);
  });

  test('tries those alone whose tenants had a batch, unless all are to be tried', async () => {
    const { generations, said, complete } = worldOf([
      generation(1, 'building', { tenantId: 'north' }),
      generation(2, 'building', { tenantId: 'south' }),
    ]);
    complete.add(1).add(2);
    await generations.settle(['south']);
    expect(said).toHaveLength(1);
    await generations.settle([]);
    expect(said).toHaveLength(1);
    await generations.settle('all');
    expect(said).toHaveLength(3);
  });

  test('drops retired generations and promotes complete ones', async () => {
    const world = worldOf([generation(1, 'retired'), generation(2, 'live'), generation(3, 'building')]);
    await world.cache.put(
      'default',
      1,
      new Map([['a', { revision: 1, passages: { question: [], solution: [], concept: [], error: [] } }]]),
    );
    await world.generations.settle('all');
    expect([...world.ledgers.keys()]).toEqual([2, 3]);
    expect([...world.collections]).toEqual([2, 3]);
    expect(world.cache.entries.size).toBe(0);
    expect(world.said).toEqual([]);
    world.complete.add(3);
    await world.generations.settle('all');
    expect(world.said).toEqual(['the index generation is live']);
  });

  test('promotes and drops the generations of other tenants if one cannot be dropped, and says so once', async () => {
    const world = worldOf([
      generation(1, 'retired', { tenantId: 'a' }),
      generation(2, 'building', { tenantId: 'b' }),
      generation(3, 'retired', { tenantId: 'c' }),
    ]);
    const { drop } = world.rooms;
    const asked: number[] = [];
    world.rooms.drop = async (one) => {
      asked.push(one.number);
      if (one.number === 1) throw new UnavailableError('chroma', 'no answer');
      await drop(one);
    };
    world.complete.add(2);
    await world.generations.settle('all');
    await world.generations.settle('all');
    expect([...world.ledgers.keys()]).toEqual([1, 2]);
    expect(world.said).toEqual([
      'the index generation is live',
      'retired index generations could not be dropped yet; it will be retried',
      'the index generation is live',
    ]);
    // Each attempt delays indexing: the next one comes later.
    expect(asked).toEqual([1, 3]);
  });
});

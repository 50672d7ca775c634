import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { literalEmbedder, literalModel, sourceOf } from '../../support/memory-ports.js';
import { generation, numbers, numbersOf, otherEmbedder, otherModel, worldOf } from './generations-world.js';

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
});

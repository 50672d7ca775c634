import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { generation, numbers, numbersOf, worldOf } from './generations-world.js';

describe('Generations', () => {
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

  test.each(['live', 'building'] as const)(
    'replaces a %s generation with a nearly full collection once, with room for all',
    async (state) => {
      const { generations, ledgers, nearlyFull, room, said } = worldOf([generation(1, state)]);
      nearlyFull.add(1);
      await generations.verify();
      await generations.verify();
      expect([...ledgers.values()].filter((one) => one.state === 'building').map(({ number }) => number)).toEqual([2]);
      expect(ledgers.get(1)?.state).toBe(state === 'live' ? 'live' : 'retired');
      expect([...room]).toEqual([[2, 17]]);
      expect(said[0]).toBe('a collection is nearly full; building an index with more shards');
    },
  );

  test('does not replace a generation that is most likely in the Chroma of an older gateway', async () => {
    let older: string | null = '10.0.0.5:8000';
    const { generations, ledgers, collections, said } = worldOf([generation(1, 'live')], undefined, async () => older);
    collections.delete(1);
    const problem = 'a gateway that has run for longer uses the Chroma at 10.0.0.5:8000: set CHROMA_URL of all';
    await expect(generations.verify()).rejects.toThrow(problem);
    expect(numbers([...ledgers.values()])).toEqual([1]);
    expect(said).toEqual([]);
    older = null;
    await generations.verify();
    expect(numbers([...ledgers.values()])).toEqual([1, 2]);
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
});

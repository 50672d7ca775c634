import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { generation, worldOf } from './generations-world.js';

describe('Generations', () => {
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

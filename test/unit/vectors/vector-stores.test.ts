import { describe, expect, test } from 'vitest';
import { IndexLostError, UnavailableError } from '../../../src/domain/errors.js';
import type { CollectionKey, VectorStore } from '../../../src/domain/ports/collections.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import { vectorStores } from '../../../src/vectors/vector-stores.js';

const key: CollectionKey = { tenantId: 't', generation: 2, perspective: 'question' };

/** Two stores that count the records of a collection, and a ledger that says which of them has it. */
function worldOf() {
  const world = { inChroma: false as boolean | null, looked: 0, chroma: async () => 1, postgres: async () => 2 };
  const store = (count: () => Promise<number>) => ({ count }) as unknown as VectorStore;
  const vectors = vectorStores({
    inChroma: store(() => world.chroma()),
    inPostgres: store(() => world.postgres()),
    ledger: {
      isInChroma: async () => {
        world.looked += 1;
        return world.inChroma;
      },
    },
  });
  return { world, count: () => vectors.count(key) };
}

describe('the vectors of a generation', () => {
  test('are where the ledger says, which is asked once', async () => {
    const { world, count } = worldOf();
    expect([await count(), await count(), world.looked]).toEqual([2, 2, 1]);
    const other = worldOf();
    other.world.inChroma = true;
    expect(await other.count()).toBe(1);
  });

  test('are sought in Chroma where the ledger does not know the generation', async () => {
    const { world, count } = worldOf();
    world.inChroma = null;
    expect(await count()).toBe(1);
  });

  test('are looked up again when they are lost: a restored database gives numbers out again', async () => {
    const { world, count } = worldOf();
    await count();
    world.postgres = () => Promise.reject(new IndexLostError('not in PostgreSQL'));
    await expect(count()).rejects.toThrow('not in PostgreSQL');
    world.inChroma = true;
    expect(await count()).toBe(1);
    const { looked } = world;
    expect([await count(), world.looked]).toEqual([1, looked]);
  });

  test('go to PostgreSQL if the number was reserved in Chroma before, and released while Chroma was away', async () => {
    const done: string[] = [];
    let isAway = true;
    const store = (name: string): VectorStore => {
      const note = (what: string) => async () => {
        if (isAway && name === 'Chroma') throw new UnavailableError('chroma', 'no answer');
        done.push(`${what} in ${name}`);
      };
      return { drop: note('drop'), create: note('create'), upsert: note('upsert') } as unknown as VectorStore;
    };
    let isInChroma = true;
    const vectors = vectorStores({
      inChroma: store('Chroma'),
      inPostgres: store('PostgreSQL'),
      ledger: { isInChroma: async () => isInChroma },
    });
    const reserved: Generation = { tenantId: 't', number: 2, modelKey: 'm', state: 'retired', inChroma: true };
    await expect(vectors.drop(reserved)).rejects.toThrow('no answer');
    [isAway, isInChroma] = [false, false];
    const again = { ...reserved, inChroma: false };
    await vectors.drop(again);
    await vectors.create(again, { name: 'm', version: 1, dtype: 'f32', dims: 1 });
    await vectors.upsert(key, []);
    expect(done).toEqual(['drop in PostgreSQL', 'create in PostgreSQL', 'upsert in PostgreSQL']);
  });

  test('stay where they are while their store does not answer', async () => {
    const { world, count } = worldOf();
    await count();
    world.postgres = () => Promise.reject(new UnavailableError('database', 'no answer'));
    await expect(count()).rejects.toThrow(UnavailableError);
    expect(world.looked).toBe(1);
  });
});

import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { byPerspective } from '../../../src/domain/perspective.js';
import type { DensePassages } from '../../../src/domain/ports/scoring.js';
import { DenseScoring } from '../../../src/scoring/dense-lane.js';
import { LmdbVectorCache } from '../../../src/vectors/cache.js';
import { PackedVectors } from '../../../src/vectors/packed.js';
import { type Folder, makeFolder } from '../../support/folder.js';
import { vectorOf } from '../../support/memory-ports.js';

/** Vectors that can be told apart by their revision. */
function vectors(revision: number): PackedVectors {
  const passages = byPerspective((perspective) => [vectorOf(`${perspective} ${revision}`)]);
  return PackedVectors.of({ revision, passages });
}

describe.each([
  ['with room for cards in memory', 2 ** 20],
  // Too small for any card: every read comes from the disk.
  ['that reads every card from the disk', 1],
])('a vector cache %s', (_name, memoryBytes) => {
  let folder: Folder;
  let cache: LmdbVectorCache;

  beforeEach(async () => {
    folder = await makeFolder('cache');
    cache = new LmdbVectorCache(folder.path, memoryBytes);
    cache.open();
  });
  afterEach(async () => {
    await cache.close();
    await folder.remove();
  });

  test('returns stored cards, and nothing for others', async () => {
    await cache.put(
      't',
      1,
      new Map([
        ['a', vectors(1)],
        ['b', vectors(2)],
      ]),
    );
    expect(cache.get('t', 1, 'a')).toEqual(vectors(1));
    expect(cache.get('t', 1, 'b')).toEqual(vectors(2));
    expect(cache.get('t', 1, 'c')).toBeUndefined();
  });

  test('lists the cards of a generation', async () => {
    await cache.put('t', 1, new Map(['b', 'a'].map((cardId) => [cardId, vectors(1)])));
    await cache.put('t', 2, new Map([['c', vectors(1)]]));
    await cache.put('t1', 1, new Map([['d', vectors(1)]]));
    await cache.remove('t', 1, ['b']);
    expect([...cache.cardIds('t', 1)]).toEqual(['a']);
    expect([...cache.cardIds('t', 3)]).toEqual([]);
  });

  test('returns the last stored version', async () => {
    await cache.put('t', 1, new Map([['a', vectors(1)]]));
    expect(cache.get('t', 1, 'a')).toEqual(vectors(1));
    await cache.put('t', 1, new Map([['a', vectors(2)]]));
    expect(cache.get('t', 1, 'a')).toEqual(vectors(2));
  });

  test('returns the revision of the last stored version, also while it is being written', async () => {
    expect(cache.revision('t', 1, 'a')).toBeUndefined();
    await cache.put('t', 1, new Map([['a', vectors(7)]]));
    const put = cache.put('t', 1, new Map([['a', vectors(70_000)]]));
    if (memoryBytes > 1) expect(cache.revision('t', 1, 'a')).toBe(70_000);
    await put;
    expect(cache.revision('t', 1, 'a')).toBe(70_000);
    expect(cache.revision('t', 2, 'a')).toBeUndefined();
  });

  test('tells a read which cards of its generation are removed meanwhile, before that is written', async () => {
    await cache.put('t', 1, new Map([['a', vectors(1)]]));
    const [watch, other] = [cache.watchRemovals('t', 1), cache.watchRemovals('t', 2)];
    const removed = cache.remove('t', 1, ['a']);
    expect([watch.has('a'), watch.has('b'), other.has('a')]).toEqual([true, false, false]);
    await removed;
    expect(cache.watchRemovals('t', 1).has('a')).toBe(false);
  });

  test('tells a read that its generation is dropped, also if nothing of it is stored', async () => {
    const watch = cache.watchRemovals('t', 1);
    await cache.drop('t', 1);
    expect(watch.has('a')).toBe(true);
  });

  test('stores a card without vectors', async () => {
    const none = PackedVectors.of({ revision: 3, passages: byPerspective(() => []) });
    await cache.put('t', 1, new Map([['a', none]]));
    expect(cache.get('t', 1, 'a')).toEqual(none);
  });

  test('keeps everything when closed and opened again', async () => {
    await cache.put('t', 1, new Map([['a', vectors(1)]]));
    await cache.close();
    cache = new LmdbVectorCache(folder.path, memoryBytes);
    cache.open();
    expect(cache.get('t', 1, 'a')).toEqual(vectors(1));
  });

  test('separates tenants, generations and cards with common prefixes', async () => {
    const places: readonly [string, number, string][] = [
      ['t', 1, 'a'],
      ['t', 11, 'a'],
      ['t', 1, 'aa'],
      ['t1', 1, 'a'],
      ['t', 2, 'a'],
    ];
    for (const [place, [tenantId, generation, cardId]] of places.entries()) {
      await cache.put(tenantId, generation, new Map([[cardId, vectors(place + 1)]]));
    }
    places.forEach(([tenantId, generation, cardId], place) => {
      expect(cache.get(tenantId, generation, cardId)?.revision).toBe(place + 1);
    });
  });

  test('removes the given cards only', async () => {
    await cache.put(
      't',
      1,
      new Map([
        ['a', vectors(1)],
        ['b', vectors(2)],
        ['c', vectors(3)],
      ]),
    );
    await cache.put('t', 2, new Map([['a', vectors(4)]]));
    await cache.remove('t', 1, ['a', 'c', 'unknown']);
    expect(['a', 'b', 'c'].map((id) => cache.get('t', 1, id)?.revision)).toEqual([undefined, 2, undefined]);
    expect(cache.get('t', 2, 'a')?.revision).toBe(4);
  });

  test('does not cache a card that is read during its removal', async () => {
    await cache.put('t', 1, new Map([['a', vectors(1)]]));
    const removing = cache.remove('t', 1, ['a']);
    cache.get('t', 1, 'a');
    await removing;
    expect(cache.get('t', 1, 'a')).toBeUndefined();
  });

  // A key of 64 characters or more is stored in another way.
  test.each(['t', '6f9619ff-8b86-4011-b42d-00c04fc964ff'])(
    'drops one generation of the tenant %s completely, and no other, also after a start',
    async (tenant) => {
      const ids = ['A', 'a', 'z', '0', 'a.b:c-d_e', '🙂', '7a1f0c52-0c1e-4c39-9a56-3d5c6f6ed4d1', 'é卡🙂'.repeat(60)];
      const vector = new Float32Array(64).fill(1, 0, 1);
      const sparse = PackedVectors.of({ revision: 1, passages: byPerspective(() => [vector]) });
      const generations = [
        { tenantId: tenant, number: 1 },
        { tenantId: tenant, number: 11 },
        { tenantId: tenant, number: 2 },
        { tenantId: `${tenant} 1`, number: 1 },
        { tenantId: `${tenant}1`, number: 1 },
      ];
      for (const { tenantId, number } of generations) {
        await cache.put(tenantId, number, new Map(ids.map((id) => [id, sparse])));
      }
      await cache.close();
      cache.open();
      expect(cache.generations()).toEqual(generations);
      await cache.load(tenant);
      expect(cache.columns(tenant, 11)?.cardIds.toSorted()).toEqual(ids.toSorted());
      await cache.drop(tenant, 1);
      const left = ({ tenantId, number }: (typeof generations)[number]): number =>
        ids.filter((id) => cache.get(tenantId, number, id) !== undefined).length;
      expect(generations.map(left)).toEqual([0, 8, 8, 8, 8]);
      expect(cache.generations()).toEqual(generations.slice(1));
    },
  );

  describe('keeps columns for sparse vectors,', () => {
    /** Unit vectors of 64 dimensions, of which so many are not 0. */
    const card = (values: number): PackedVectors => {
      const vector = new Float32Array(64).fill(1 / Math.sqrt(values), 0, values);
      const passages = byPerspective((one) => (one === 'question' && values > 0 ? [vector] : []));
      return PackedVectors.of({ revision: 1, passages });
    };
    const put = (name: string, count: number, values: number): Promise<void> =>
      cache.put('t', 1, new Map(Array.from({ length: count }, (_, place) => [`${name}${place}`, card(values)])));

    test('including cards without vectors and with long texts', async () => {
      await cache.load('t');
      await put('short', 50, 5);
      await put('signs', 3, 0);
      await put('long', 2, 60);
      expect(cache.columns('t', 1)?.size).toBe(55);
      await cache.close();
      cache = new LmdbVectorCache(folder.path, memoryBytes);
      cache.open();
      expect(cache.columns('t', 1)).toBeNull();
      await cache.load('t');
      expect(cache.columns('t', 1)?.size).toBe(55);
      await put('long', 2, 5);
      await put('other', 1, 60);
      expect(cache.columns('t', 1)?.size).toBe(56);
    });

    test('in any order of loading and writing', async () => {
      await cache.load('t');
      await put('long', 1, 60);
      await put('short', 50, 5);
      expect(cache.columns('t', 1)?.size).toBe(51);
    });

    test('including changes while they are loaded, but not of other tenants', async () => {
      await put('old', 300, 5);
      await cache.put('t1', 1, new Map([['a', card(5)]]));
      const loading = cache.load('t');
      const changes = Promise.all([put('new', 2, 5), put('old', 3, 6), cache.remove('t', 1, ['old7', 'old8'])]);
      await Promise.all([loading, changes]);
      const known = cache.columns('t', 1)?.cardIds.filter((id) => id !== '') ?? [];
      expect(known.sort()).toEqual(
        [...Array.from({ length: 300 }, (_, place) => `old${place}`), 'new0', 'new1']
          .filter((id) => id !== 'old7' && id !== 'old8')
          .sort(),
      );
      cache.unload('t');
      expect(cache.columns('t', 1)).toBeNull();
      const again = put('late', 1, 5);
      await cache.load('t');
      await again;
      expect(cache.columns('t', 1)?.size).toBe(301);
    });

    test('which are built anew, without losing a change meanwhile, when most of their numbers are unused', async () => {
      await cache.load('t');
      await put('kept', 300, 5);
      await put('gone', 3, 5);
      const before = cache.columns('t', 1);
      let most = 0;
      for (let time = 0; time < 12; time++) {
        const changes = [
          put('kept', 300, 5),
          put('kept', 2, 7),
          put(`new${time}`, 1, 6),
          cache.remove('t', 1, ['gone1']),
        ];
        await Promise.all(changes);
        most = Math.max(most, cache.columns('t', 1)?.cardIds.length ?? 0);
      }
      const columns = cache.columns('t', 1);
      expect(columns).not.toBe(before);
      expect(most).toBeLessThan(2 * 317 + 1_000 + 303);
      const known = columns?.cardIds.filter((id) => id !== '') ?? [];
      const names = [...Array.from({ length: 300 }, (_, place) => `kept${place}`), 'gone0', 'gone2'];
      expect(known.sort()).toEqual([...names, ...Array.from({ length: 12 }, (_, time) => `new${time}0`)].sort());
      for (const [id, values] of [
        ['kept0', 7],
        ['kept2', 5],
        ['new110', 6],
      ] as const) {
        expect(cache.get('t', 1, id)?.bytes).toEqual(card(values).bytes);
        const number = columns?.numberOf(id) as number;
        const [query] = card(values).passages.question;
        const sums = new Float64Array(columns?.cardIds.length ?? 0);
        const passages = columns?.passages('question', [query as Float32Array]) as DensePassages;
        new DenseScoring().add({ kind: 'DENSE', weight: 1, passages, orMeanOf: null }, sums);
        expect(sums[number]).toBeCloseTo(1, 3);
      }
    });

    test('and not for dense vectors', async () => {
      await cache.load('t');
      for (const count of [1, 20, 100]) {
        await put('model', count, 64);
        expect(cache.columns('t', 1)).toBeNull();
      }
      await put('short', 100, 5);
      expect(cache.columns('t', 1)).toBeNull();
    });
  });

  test('removes the columns of a generation before its first vectors', async () => {
    const empty = PackedVectors.of({ revision: 1, passages: byPerspective(() => []) });
    await cache.load('t');
    await cache.put('t', 1, new Map([['a', empty]]));
    expect(cache.columns('t', 1)?.size).toBe(1);
    const dropping = cache.drop('t', 1);
    expect(cache.columns('t', 1)).toBeNull();
    await dropping;
    expect(cache.columns('t', 1)).toBeNull();
  });

  test('removes files of other formats, and nothing else in its folder', async () => {
    await cache.close();
    for (const name of ['v1.mdb', 'v1.mdb-lock', 'v9.mdb', 'mine.txt']) await folder.write(name, '');
    cache.open();
    expect((await readdir(folder.path)).filter((name) => !/^v3\.mdb(-lock)?$/.test(name))).toEqual(['mine.txt']);
  });

  test('throws before it is opened and after it is closed', async () => {
    await cache.close();
    await cache.close();
    expect(() => cache.get('t', 1, 'a')).toThrow('the vector cache is not open');
  });
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { byPerspective } from '../../../src/domain/perspective.js';
import { LmdbVectorCache } from '../../../src/vectors/cache.js';
import { PackedVectors } from '../../../src/vectors/packed.js';
import { type Folder, makeFolder } from '../../support/folder.js';

let folder: Folder;
let cache: LmdbVectorCache;
beforeEach(async () => {
  folder = await makeFolder('concurrent');
  cache = new LmdbVectorCache(folder.path, 2 ** 20);
  cache.open();
});
afterEach(async () => {
  await cache.close();
  await folder.remove();
});

const entries = (revision: number, ...ids: readonly string[]) => {
  // Sparse, as those that have columns.
  const vector = new Float32Array(64);
  vector[revision] = 1;
  const passages = byPerspective(() => [vector]);
  return new Map(ids.map((id) => [id, PackedVectors.of({ revision, passages })]));
};

test('a card that is put while it is being removed has its columns and its place on the disk', async () => {
  await cache.put('t', 1, entries(1, 'a', 'b'));
  await cache.load('t');
  const removing = cache.remove('t', 1, ['a', 'b']);
  const putting = cache.put('t', 1, entries(2, 'a'));
  await Promise.all([removing, putting]);
  expect(cache.columns('t', 1)?.cardIds.filter((id) => id !== '')).toEqual(['a']);
  expect([...cache.cardIds('t', 1)]).toEqual(['a']);
  expect([cache.revision('t', 1, 'a'), cache.revision('t', 1, 'b')]).toEqual([2, undefined]);
});

test('a card that is removed while it is being put has neither', async () => {
  await cache.load('t');
  const putting = cache.put('t', 1, entries(1, 'a', 'b'));
  const removing = cache.remove('t', 1, ['a']);
  await Promise.all([putting, removing]);
  expect(cache.columns('t', 1)?.cardIds.filter((id) => id !== '')).toEqual(['b']);
  expect([...cache.cardIds('t', 1)]).toEqual(['b']);
});

test('a card that is read while it is put anew, after it has left memory, is not kept as it was', async () => {
  const small = new LmdbVectorCache(folder.path, 2_000);
  await cache.put('t', 1, entries(1, 'a', 'b', 'c'));
  await cache.close();
  small.open();
  try {
    const putting = small.put('t', 1, entries(2, 'a'));
    for (const other of ['b', 'c']) small.get('t', 1, other);
    expect(small.get('t', 1, 'a')?.revision).toBe(1);
    await putting;
    expect(small.get('t', 1, 'a')?.revision).toBe(2);
  } finally {
    await small.close();
  }
});

test('cards are listed in parts, whatever is put and removed meanwhile, and dropped in parts', async () => {
  const ids = Array.from({ length: 2_000 }, (_, place) => `c${String(place).padStart(4, '0')}`);
  await cache.put('t', 1, entries(1, ...ids));
  const listing = cache.cardIds('t', 1);
  const listed: string[] = [];
  for (const cardId of listing) {
    if (listed.push(cardId) > 1) continue;
    await cache.put('t', 1, entries(1, 'd'));
    await cache.remove('t', 1, ['c0999', 'c1500']);
  }
  expect(listed).toEqual([...ids.filter((id) => id !== 'c1500'), 'd']);
  await cache.drop('t', 1);
  expect([...cache.cardIds('t', 1)]).toEqual([]);
});

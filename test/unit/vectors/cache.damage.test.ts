import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { byPerspective } from '../../../src/domain/perspective.js';
import { LmdbVectorCache } from '../../../src/vectors/cache.js';
import { PackedVectors } from '../../../src/vectors/packed.js';
import { makeFolder } from '../../support/folder.js';

test('a card whose vectors were overwritten in the file counts as not cached, until it is put again', async () => {
  const folder = await makeFolder('cache');
  const cards = new Map(
    ['a', 'b'].map((cardId, place) => {
      // Sparse, as those that have columns.
      const vector = new Float32Array(64);
      vector[place] = 1;
      const passages = byPerspective(() => [vector]);
      return [cardId, PackedVectors.of({ revision: place + 1, passages })];
    }),
  );
  const before = new LmdbVectorCache(folder.path, 2 ** 20);
  const cache = new LmdbVectorCache(folder.path, 2 ** 20);
  try {
    before.open();
    await before.put('t', 1, cards);
    await before.close();
    const file = join(folder.path, 'v3.mdb');
    const bytes = await readFile(file);
    const damaged = Buffer.from((cards.get('a') as PackedVectors).bytes);
    expect(bytes.includes(damaged)).toBe(true);
    for (let at = bytes.indexOf(damaged); at >= 0; at = bytes.indexOf(damaged))
      bytes.fill(0xff, at, at + damaged.length);
    await writeFile(file, bytes);
    cache.open();
    await cache.load('t');
    expect(cache.columns('t', 1)?.cardIds).toEqual(['b']);
    expect(cache.get('t', 1, 'a')).toBeUndefined();
    expect([cache.revision('t', 1, 'a'), cache.revision('t', 1, 'b')]).toEqual([undefined, 2]);
    await cache.put('t', 1, cards);
    expect(cache.get('t', 1, 'a')?.revision).toBe(1);
  } finally {
    await cache.close();
    await folder.remove();
  }
});

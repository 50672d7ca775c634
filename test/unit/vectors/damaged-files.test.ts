import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeDamagedFiles } from '../../../src/vectors/damaged-files.js';
import { type Folder, makeFolder } from '../../support/folder.js';

describe('at the start, a file of lmdb', () => {
  let folder: Folder;
  const warned: object[] = [];
  const check = (): Promise<void> =>
    removeDamagedFiles(folder.path, { warn: (facts, message) => void warned.push({ ...facts, message }) });
  const left = (): Promise<readonly string[]> => readdir(folder.path);

  beforeEach(async () => {
    warned.length = 0;
    folder = await makeFolder('damaged');
    const lmdb = open<Buffer, string>({ path: join(folder.path, 'v1.mdb'), encoding: 'binary' });
    for (let key = 0; key < 200; key++) void lmdb.put(`card ${key}`, Buffer.alloc(1_000));
    await lmdb.flushed;
    await lmdb.put('another', Buffer.alloc(1_000));
    await lmdb.close();
  });
  afterEach(() => folder.remove());

  test('is kept if it is sound, also without an entry', async () => {
    await open({ path: join(folder.path, 'v2.mdb') }).close();
    await folder.write('v3.mdb', '');
    await check();
    expect((await left()).filter((name) => name.endsWith('.mdb'))).toEqual(['v1.mdb', 'v2.mdb', 'v3.mdb']);
    expect(warned).toEqual([]);
  });

  test.each<[string, (file: string) => Promise<unknown>]>([
    ['lost its end', (file) => truncate(file, 50_000)],
    ['lost all but its beginning', (file) => truncate(file, 5_000)],
    ['was overwritten', () => folder.write('v1.mdb', 'x'.repeat(300_000))],
    ['is a text', () => folder.write('v1.mdb', 'x')],
  ])('is removed if it %s, because it would end the process', async (_, damage) => {
    const file = join(folder.path, 'v1.mdb');
    await damage(file);
    await check();
    expect(await left()).not.toContain('v1.mdb');
    expect(warned).toEqual([{ file, message: 'a damaged cache is removed, and built anew' }]);
  });

  test('is not looked for in a folder that does not exist yet', async () => {
    await removeDamagedFiles(join(folder.path, 'none'), { warn: () => undefined });
  });
});

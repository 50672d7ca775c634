import { chmod, chown, lstat, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockDataDir } from '../../../src/runtime/embedded/data-lock.js';
import { folderProblem, makePrivate } from '../../../src/runtime/embedded/folder.js';
import { type Folder, makeFolder } from '../../support/folder.js';

let made: Folder;
let folder: string;
beforeEach(async () => {
  made = await makeFolder('private');
  folder = made.path;
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'vectors', 'deep'), { recursive: true, mode: 0o755 });
  for (const file of ['vectors/v1.mdb', 'vectors/deep/x']) {
    await writeFile(join(folder, file), '');
    await chmod(join(folder, file), 0o666);
  }
});
afterEach(() => made.remove());

const modeOf = async (path: string): Promise<string> => ((await lstat(join(folder, path))).mode & 0o777).toString(8);

describe('a data directory', () => {
  test('is made private with all its contents', async () => {
    await makePrivate(folder, ['vectors', 'words']);
    const paths = ['.', 'vectors', 'vectors/deep', 'vectors/v1.mdb', 'vectors/deep/x'];
    expect(await Promise.all(paths.map(modeOf))).toEqual(['700', '700', '700', '600', '600']);
  });

  test('is not changed if it contains other files, and neither are those', async () => {
    await writeFile(join(folder, 'notes.txt'), '');
    await chmod(join(folder, 'notes.txt'), 0o644);
    await makePrivate(folder, ['vectors']);
    expect(await Promise.all(['.', 'notes.txt', 'vectors', 'vectors/v1.mdb'].map(modeOf))).toEqual([
      '755',
      '644',
      '700',
      '600',
    ]);
  });

  test('is not left through a link', async () => {
    const other = await makeFolder('other');
    await chmod(other.path, 0o755);
    await symlink(other.path, join(folder, 'vectors', 'link'));
    await makePrivate(folder, ['vectors']);
    expect((await lstat(other.path)).mode & 0o777).toBe(0o755);
    await other.remove();
  });

  test('may contain files of another user', async () => {
    // Only root can make such a file; for others there is none to find.
    if (process.getuid?.() !== 0) return;
    await chmod(join(folder, 'vectors', 'deep'), 0o755);
    await chown(join(folder, 'vectors', 'deep'), 65_534, 65_534);
    await makePrivate(folder, ['vectors']);
    expect(await Promise.all(['vectors', 'vectors/deep', 'vectors/deep/x'].map(modeOf))).toEqual(['700', '755', '666']);
    expect(await readdir(join(folder, 'vectors', 'deep'))).toEqual(['x']);
  });
});

describe('the problem of a data directory', () => {
  test('is none for a folder that is there or can be created', async () => {
    for (const path of ['vectors', 'new', 'new/deep']) expect(await folderProblem(join(folder, path))).toBeNull();
  });

  test.runIf(process.platform === 'linux')(
    'is that /proc takes no folders, where Node would try for ever',
    async () => {
      for (const path of ['/proc', '/proc/x', '/proc/x/data']) {
        // For users other than root, /proc may not be written.
        const reason = process.getuid?.() === 0 ? 'no folder can be created in /proc' : 'this user may not';
        expect(await folderProblem(path)).toContain(reason);
        await expect(lockDataDir(path)).rejects.toThrow(`the data directory ${path} cannot be used: ${reason}`);
      }
    },
  );

  test('is a name that is too long, or a link to itself', async () => {
    expect(await folderProblem(join(folder, 'x'.repeat(300), 'data'))).toBe('its name is too long');
    const link = join(folder, 'circle');
    await symlink(link, link);
    expect(await folderProblem(join(link, 'data'))).toBe('part of the path is a link to itself');
  });

  test('is a link to what does not exist, also above it', async () => {
    const link = join(folder, 'link');
    await symlink('/missing/disk', link);
    const problem = `${link} is a link to /missing/disk, which does not exist`;
    expect(await folderProblem(link)).toBe(problem);
    expect(await folderProblem(join(link, 'data'))).toBe(problem);
  });
});

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, lstat, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refuseExisting, writeStream, writeText } from '../../../src/cli/write-file.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { type Folder, makeFolder } from '../../support/folder.js';
import { until } from '../../support/until.js';

let folder: Folder;
beforeEach(async () => {
  folder = await makeFolder('write-file');
});
afterEach(() => folder.remove());

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  throw new Error('the connection broke');
}

describe('a file that a command writes', () => {
  test('is not there if it was not completed', async () => {
    await expect(writeStream(join(folder.path, 'cards.csv'), broken())).rejects.toThrow('the connection broke');
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('is not there if its source failed before it was opened', async () => {
    const source = new Readable({ read: () => undefined });
    const writing = writeStream(join(folder.path, 'cards.csv'), source);
    process.nextTick(() => source.destroy(new Error('the connection broke')));
    await expect(writing).rejects.toThrow('the connection broke');
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('leaves no part of it when its failure is known', async () => {
    const source = new Readable({ read: () => undefined });
    const writing = writeStream(join(folder.path, 'cards.csv'), source);
    source.push('half');
    await until(async () => (await readdir(folder.path)).length > 0, { deadlineMs: 20_000, what: 'a part' });
    source.destroy(new Error('stopped'));
    await expect(writing).rejects.toThrow('stopped');
    // A command that was stopped ends at once.
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('that cannot be written ends its source', async () => {
    const source = new Readable({ read: () => undefined });
    await expect(writeStream(folder.path, source)).rejects.toThrow('it is a folder');
    expect(source.destroyed).toBe(true);
  });

  test('keeps its earlier content if the new one was not completed', async () => {
    const file = await folder.write('cards.csv', 'earlier');
    await expect(writeStream(file, broken())).rejects.toThrow('the connection broke');
    expect(await readFile(file, 'utf8')).toBe('earlier');
    expect(await readdir(folder.path)).toEqual(['cards.csv']);
  });

  test('is replaced with its permissions', async () => {
    const file = await folder.write('cards.csv', 'earlier');
    await chmod(file, 0o606);
    await writeText(file, 'later');
    expect(await readFile(file, 'utf8')).toBe('later');
    expect((await stat(file)).mode & 0o777).toBe(0o606);
    expect(await readdir(folder.path)).toEqual(['cards.csv']);
  });

  test('is replaced where a symbolic link points to it, and the link stays', async () => {
    const file = await folder.write('cards.csv', 'earlier');
    const link = join(folder.path, 'link.csv');
    await symlink('cards.csv', link);
    await expect(writeStream(link, broken())).rejects.toThrow('the connection broke');
    expect(await readFile(file, 'utf8')).toBe('earlier');
    await writeText(link, 'later');
    expect(await readFile(file, 'utf8')).toBe('later');
    await rm(file);
    await writeText(link, 'again');
    expect(await readFile(file, 'utf8')).toBe('again');
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
  });

  test('may have the longest name', async () => {
    const file = join(folder.path, 'c'.repeat(255));
    await writeText(file, 'cards');
    expect(await readFile(file, 'utf8')).toBe('cards');
  });

  test('may be a pipe or a device, which stays', async () => {
    await writeText('/dev/null', 'cards');
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
    const pipe = join(folder.path, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const [read] = await Promise.all([readFile(pipe, 'utf8'), writeText(pipe, 'cards')]);
    expect(read).toBe('cards');
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  test('may have to be new', async () => {
    const file = await folder.write('cards.csv', 'earlier');
    const link = join(folder.path, 'link.csv');
    await symlink('missing.csv', link);
    for (const known of [file, link]) {
      await expect(refuseExisting(known)).rejects.toMatchObject({
        message: `${known} exists already: remove it, or name another file`,
        exitCode: EXIT.output,
      });
    }
    await refuseExisting(join(folder.path, 'new.csv'));
    expect(await readdir(folder.path)).toEqual(['cards.csv', 'link.csv']);
  });

  test.each([['missing/cards.csv'], ['.'], ['c'.repeat(256)]])('%s cannot be written', async (name) => {
    const file = join(folder.path, name);
    const message = expect.stringContaining(`${file} cannot be written: `);
    await expect(writeText(file, 'cards')).rejects.toMatchObject({ message, exitCode: EXIT.output });
  });
});

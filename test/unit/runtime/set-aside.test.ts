import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StartupError } from '../../../src/domain/errors.js';
import { SetAside } from '../../../src/runtime/embedded/set-aside.js';
import { folderOfFile } from '../../support/folder.js';

const CRASH = new StartupError('Chroma crashed', 69);

const { path: parent } = await folderOfFile('set-aside');

/** A folder with data. */
async function dataIn(name: string): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder);
  await writeFile(join(folder, 'data'), name);
  return folder;
}

test('data that a server crashes on are moved aside, in place of earlier ones', async () => {
  const folder = await dataIn('crashing');
  await dataIn('crashing.damaged');
  const started = await new SetAside(folder).tryWithout(async () => {
    await mkdir(folder);
    return readdir(folder);
  }, CRASH);
  expect(started).toEqual([]);
  expect(await readFile(join(`${folder}.damaged`, 'data'), 'utf8')).toBe('crashing');
});

test('data without which the server does not start either are put back', async () => {
  const folder = await dataIn('innocent');
  const start = async (): Promise<never> => {
    await mkdir(folder);
    throw new Error('no memory');
  };
  await expect(new SetAside(folder).tryWithout(start, CRASH)).rejects.toThrow('no memory');
  expect(await readFile(join(folder, 'data'), 'utf8')).toBe('innocent');
});

test('data that cannot be moved aside stay where they are, and the server is not started', async () => {
  // The name is as long as possible: with `.damaged` it is too long.
  const name = 'n'.repeat(255);
  const folder = await dataIn(name);
  let isStarted = false;
  const start = async (): Promise<void> => {
    isStarted = true;
  };
  await expect(new SetAside(folder).tryWithout(start, CRASH)).rejects.toThrow(
    /^Chroma crashed; its data cannot be moved aside: ENAMETOOLONG/,
  );
  expect(isStarted).toBe(false);
  expect(await readFile(join(folder, 'data'), 'utf8')).toBe(name);
});

test('a server has crashed because of its data after three crashes in a row', () => {
  const data = new SetAside(parent);
  for (const signal of ['SIGSEGV', 'SIGABRT', null, 'SIGSEGV', 'SIGBUS'] as const) data.ended(signal);
  expect(data.isDue).toBe(false);
  data.ended('SIGABRT');
  expect(data.isDue).toBe(true);
});

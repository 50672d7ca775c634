import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IndexSnapshot } from '../../../../src/lexical/index-snapshot.js';
import { LexicalIndex } from '../../../../src/lexical/lexical-index.js';
import { SnapshotFiles } from '../../../../src/lexical/snapshots/snapshot-files.js';
import { type Folder, makeFolder } from '../../../support/folder.js';
import { cardsArb } from '../../../support/generators.js';
import { literalWords } from '../../../support/memory-ports.js';

let made: Folder;
let folder: string;
let warned: string[];

beforeEach(async () => {
  made = await makeFolder('words');
  folder = made.path;
  warned = [];
});
afterEach(() => made.remove());

function filesOf(buildHash = 'the test', into = folder): SnapshotFiles {
  const log = { warn: (facts: object, message: string) => warned.push(`${message}: ${JSON.stringify(facts)}`) };
  return new SnapshotFiles({ folder: into, buildHash, log });
}

async function onlyFile(): Promise<string> {
  const names = await readdir(folder);
  expect(names).toHaveLength(1);
  return join(folder, names[0] ?? '');
}

const copy = {
  strings: [['a', '', '"\n\\ 面积', '\ud800', '\u0001v + #'], []],
  numbers: [
    Uint32Array.of(1, 4_000_000_000, 3),
    Uint16Array.of(65_535),
    new Uint16Array(),
    Float64Array.of(1.5, Number.NaN),
  ],
};

describe('a snapshot file', () => {
  test('is read as it was written, whatever its contents; before the write there is none', async () => {
    const files = filesOf();
    expect(await files.read('one')).toBeNull();
    await files.write('one', copy);
    expect(await files.read('one')).toEqual(copy);
    await files.write('one', { strings: [], numbers: [] });
    expect(await files.read('one')).toEqual({ strings: [], numbers: [] });
    expect([await files.read('other'), warned]).toEqual([null, []]);
  });

  test('of a real index restores the index', async () => {
    const files = filesOf();
    await fc.assert(
      fc.asyncProperty(cardsArb(12), async (cards) => {
        const index = new LexicalIndex(literalWords);
        for (const card of cards) index.set(card);
        await files.write('one', index.snapshot());
        const read = await files.read('one');
        expect(read).toEqual(index.snapshot());
        const again = new LexicalIndex(literalWords);
        for (const _ of again.restore(read as IndexSnapshot, () => true));
        expect(again.snapshot()).toEqual(index.snapshot());
      }),
    );
  });

  test('is separate for each tenant, whatever its name', async () => {
    const files = filesOf();
    const tenants = ['one', '../one', 'a/b', '学校 1', 'x'.repeat(500)];
    for (const tenantId of tenants) await files.write(tenantId, { strings: [[tenantId]], numbers: [] });
    for (const tenantId of tenants) expect(await files.read(tenantId)).toEqual({ strings: [[tenantId]], numbers: [] });
  });
});

describe('a file that is not a complete snapshot of this build is removed with a log line:', () => {
  test('one in which any byte has changed', async () => {
    const files = filesOf();
    await files.write('one', copy);
    const file = await onlyFile();
    const right = await readFile(file);
    for (let at = 0; at < right.length; at++) {
      const wrong = Buffer.from(right);
      wrong[at] = (wrong[at] ?? 0) ^ (1 << (at % 8));
      await writeFile(file, wrong);
      expect(await files.read('one')).toBeNull();
      expect(await readdir(folder)).toEqual([]);
    }
    expect(warned).toHaveLength(right.length);
    expect(warned[0]).toContain('it is damaged');
    await files.write('one', copy);
    expect(await files.read('one')).toEqual(copy);
  });

  test('one that is cut off anywhere, or goes on after its end', async () => {
    const files = filesOf();
    await files.write('one', copy);
    const file = await onlyFile();
    const right = await readFile(file);
    for (let length = 0; length < right.length; length++) {
      await writeFile(file, right);
      await truncate(file, length);
      expect(await files.read('one')).toBeNull();
    }
    await writeFile(file, Buffer.concat([right, Buffer.alloc(64)]));
    expect(await files.read('one')).toBeNull();
    expect(warned).toHaveLength(right.length + 1);
  });

  test('one that another build made', async () => {
    await filesOf('another build').write('one', copy);
    expect(await filesOf().read('one')).toBeNull();
    expect(warned[0]).toContain('another build of the gateway wrote it');
    expect(await readdir(folder)).toEqual([]);
  });

  test('one of another tenant under this tenant’s name', async () => {
    const files = filesOf();
    await files.write('one', copy);
    const bytes = await readFile(await onlyFile());
    await rm(await onlyFile());
    await files.write('other', copy);
    await writeFile(await onlyFile(), bytes);
    expect(await files.read('other')).toBeNull();
    expect(warned[0]).toContain('another tenant');
  });
});

describe('writing', () => {
  test('that fails is reported and keeps the old snapshot', async () => {
    const files = filesOf();
    await files.write('one', copy);
    const broken = { strings: [['new']], numbers: [Symbol('no array')] };
    await expect(files.write('one', broken)).rejects.toThrow();
    expect(await files.read('one')).toEqual(copy);
    expect(await readdir(folder)).toHaveLength(1);

    const file = await onlyFile();
    await expect(filesOf('the test', file).write('one', copy)).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect([await filesOf('the test', file).read('one'), warned.length]).toEqual([null, 1]);
  });

  test('creates files that other users cannot read', async () => {
    const files = filesOf('the test', join(folder, 'inner'));
    await files.write('one', copy);
    const [name = ''] = await readdir(join(folder, 'inner'));
    const modes = await Promise.all([join(folder, 'inner'), join(folder, 'inner', name)].map((path) => stat(path)));
    expect(modes.map(({ mode }) => mode & 0o077)).toEqual([0, 0]);
  });
});

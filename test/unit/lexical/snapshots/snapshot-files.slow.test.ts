import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../../src/config/package-root.js';
import { SnapshotFiles } from '../../../../src/lexical/snapshots/snapshot-files.js';
import { folderOfFile } from '../../../support/folder.js';

const { path: folder } = await folderOfFile('words');

test('a write that is ended by kill -9 at any time leaves the old or the new snapshot, complete', async () => {
  const warned: string[] = [];
  const log = { warn: (_: object, message: string) => warned.push(message) };
  let next = 1;
  for (let round = 0; round < 12; round++) {
    const writer = spawn(
      process.execPath,
      [join(packageRoot(), 'test/unit/lexical/snapshots/snapshot-writer.mjs'), folder, `${next}`],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let written = next - 1;
    writer.stdout.setEncoding('utf8');
    await new Promise<void>((resolve) => {
      writer.stdout.on('data', (lines: string) => {
        written = Number(lines.trim().split('\n').at(-1));
        // Some moment within the write after the third.
        if (written >= next + 2) setTimeout(resolve, (round * 1.7) % 12);
      });
    });
    writer.kill('SIGKILL');
    await once(writer, 'close');
    const files = new SnapshotFiles({ folder, buildHash: 'the test', log });
    const read = (await files.read('one')) as { strings: string[][]; numbers: Uint32Array[] } | null;
    const number = Number(read?.strings[0]?.[0]);
    expect([written, written + 1]).toContain(number);
    expect(new Set(read?.strings[1])).toEqual(new Set([String(number)]));
    for (const array of read?.numbers ?? []) expect(new Set<number>(array)).toEqual(new Set([number]));
    expect(read?.numbers[0]).toHaveLength(50_000 + (number % 7) * 100_000);
    next = number + 1;
  }
  expect(warned).toEqual([]);
});

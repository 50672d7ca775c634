import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { startHttpServer } from '../../support/http-server.js';

const ERRATA = join(packageRoot(), 'dist', 'src', 'cli', 'errata.js');

/** How shells count what a lost reader (SIGPIPE) has ended. */
const EXIT_SIGPIPE = 141;

function startErrata(args: readonly string[], stdout: 'pipe' | number) {
  const options: SpawnOptions = { stdio: ['ignore', stdout, 'pipe'] };
  const child = spawn(process.execPath, [ERRATA, ...args], options);
  const err = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  return { child, ended: Promise.all([once(child, 'exit').then(([code]) => code), err]) };
}

test('a command whose output is closed ends silently', async () => {
  const { child, ended } = startErrata(['models', 'list'], 'pipe');
  child.stdout?.destroy();
  expect(await ended).toEqual([EXIT_SIGPIPE, '']);
});

test('a command whose output is closed during a response ends silently', async () => {
  // As endless as a large export.
  const server = await startHttpServer((_, response) => {
    response.setHeader('content-disposition', 'attachment; filename="cards.jsonl"');
    const write = (): void => {
      while (response.write('{}\n'.repeat(10_000)));
      response.once('drain', write);
    };
    write();
  });
  const { child, ended } = startErrata(['export', '-', '--format', 'jsonl', '--url', server.url], 'pipe');
  child.stdout?.once('data', () => child.stdout?.destroy());
  expect(await ended).toEqual([EXIT_SIGPIPE, '']);
  await server.close();
});

test.runIf(process.platform === 'linux')('a command that cannot write its output says why, in one line', async () => {
  const full = openSync('/dev/full', 'w');
  const { ended } = startErrata(['models', 'list'], full);
  closeSync(full);
  expect(await ended).toEqual([73, expect.stringMatching(/^errata: standard output: ENOSPC.*\n$/)]);
});

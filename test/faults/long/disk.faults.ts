import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { endsWithThisProcess } from '../../support/children.js';
import { removeFolder, temporaryFolder } from '../../support/embedded.js';
import { ask } from '../../support/gateway.js';
import { until } from '../../support/until.js';
import { tell } from '../support/tally.js';
import { wordOf } from '../support/world.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** PostgreSQL's first files, Chroma's and the vector cache take half of it. */
const DISK_MB = 260;

/** A disk of its own needs the right to mount one, which root has on most machines, and nobody in most containers. */
const canMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt'], { stdio: 'ignore' }).status === 0;
const testWithDisk = canMount ? test : test.skip;

let gateway: ChildProcess | undefined;
let printed = '';
const folders: string[] = [];
afterEach(async () => {
  if (gateway !== undefined && gateway.exitCode === null && gateway.signalCode === null) {
    gateway.kill('SIGTERM');
    await once(gateway, 'exit');
  }
  for (const folder of folders.splice(0)) await removeFolder(folder);
});

testWithDisk(
  'a full disk under PostgreSQL, Chroma and the vectors: changes are refused, reads go on, all is whole when there is room',
  async () => {
    const dataDir = await temporaryFolder();
    folders.push(dataDir);
    const { url, pid } = await startOnSmallDisk(dataDir);
    const acknowledged: number[] = [];
    const create = async (place: number): Promise<string | null> => {
      const word = wordOf(place);
      const input = {
        ...{ id: `card-${place}`, subject: 'math', difficulty: 3, questionText: `${word} shares how many apples?` },
        notes: 'n'.repeat(8_000),
      };
      const { errors } = await ask(url, 'mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', {
        input,
      });
      if (errors === undefined) acknowledged.push(place);
      return errors === undefined ? null : String(errors[0]?.extensions.code);
    };
    const find = async (place: number): Promise<readonly string[]> => {
      const query = 'query ($text: String!) { similarQuestions(text: $text, topK: 3) { hits { card { id } } } }';
      const text = `${wordOf(place)} shares how many apples?`;
      const { data } = await ask<{ similarQuestions: { hits: { card: { id: string } }[] } }>(url, query, { text });
      return data?.similarQuestions.hits.map(({ card }) => card.id) ?? [];
    };
    for (let place = 0; place < 20; place += 1) expect(await create(place)).toBeNull();
    await until(async () => (await pending(url)) === 0, { deadlineMs: 60_000, what: 'the first cards to be indexed' });

    const ballast = join(`/proc/${pid}/root`, dataDir, 'ballast');
    await fill(ballast);
    let refused: string | null = null;
    let place = 20;
    for (; refused === null && place < 5_000; place += 1) refused = await create(place);
    expect(refused).toBe('RESOURCE_EXHAUSTED');
    expect((await find(3))[0]).toBe('card-3');
    const paper = await fetch(new URL('/export', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"format": "html"}',
    });
    expect([paper.status, await paper.text()]).toEqual([503, expect.stringContaining('RESOURCE_EXHAUSTED')]);

    await rm(ballast);
    const again = async (): Promise<boolean> => (await create(place++)) === null;
    await until(again, { deadlineMs: 90_000, what: 'changes to be taken again' });
    const atRest = until(async () => (await pending(url)) === 0, {
      deadlineMs: 90_000,
      what: 'the index to be at rest',
    });
    await atRest.catch((cause: unknown) => {
      throw new Error(`the index does not come to rest; the gateway said at last\n${printed.slice(-4_000)}`, { cause });
    });
    const lost: number[] = [];
    for (const one of acknowledged) {
      const found = async (): Promise<boolean> => (await find(one)).includes(`card-${one}`);
      if (!(await found())) lost.push(one);
    }
    tell({ disk: `${DISK_MB} MB`, acknowledged: acknowledged.length, lost: lost.length, refusedAs: refused });
    expect(lost).toEqual([]);
  },
);

/** The gateway sees a disk of its own at the data directory, and nobody else does. */
async function startOnSmallDisk(dataDir: string): Promise<{ readonly url: string; readonly pid: number }> {
  const script = `mount -t tmpfs -o size=${DISK_MB}m,mode=755 none "$DATA_DIR" && exec "$0" "$1"`;
  const main = join(packageRoot(), 'dist', 'src', 'main.js');
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('unshare', ['-m', 'sh', '-c', script, process.execPath, main], {
    env: { PATH, HOME, PORT: '0', DATA_DIR: dataDir, SEED_SAMPLE: 'false', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endsWithThisProcess(child);
  gateway = child;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const address = (): string | undefined => /listening on (http:\/\/\S+\/graphql)/.exec(printed)?.[1];
  const ended = (): boolean => child.exitCode !== null;
  await until(() => ended() || address() !== undefined, { deadlineMs: 60_000, what: 'the gateway to listen' });
  const url = address();
  if (url === undefined || child.pid === undefined) throw new Error(`the gateway did not come to listen\n${printed}`);
  return { url, pid: child.pid };
}

/** Writes until there is no room. */
async function fill(file: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (let size = 2 ** 20; size >= 2 ** 12; ) {
      const { code } = await handle.write(Buffer.alloc(size)).then(
        () => ({ code: null }),
        (thrown: NodeJS.ErrnoException) => thrown,
      );
      if (code === 'ENOSPC') size /= 2;
      else if (code !== null) throw new Error(`the disk could not be filled: ${code}`);
    }
  } finally {
    await handle.close();
  }
}

async function pending(url: string): Promise<number> {
  const { data } = await ask<{ indexStatus: { pending: number } }>(url, '{ indexStatus { pending } }');
  return data?.indexStatus.pending ?? Number.NaN;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Client } from '../../bench/client.js';
import { endsWithThisProcess } from '../support/children.js';
import { startHttpServer } from '../support/http-server.js';
import { until } from '../support/until.js';

const program = join(import.meta.dirname, '../../dist/bench/main.js');

const undos: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

/** A benchmark with a gateway, PostgreSQL and Chroma, in a process group of its own, whose data are in `folder`. */
async function started(): Promise<{ bench: ChildProcess; pid: number; folder: string; progress: () => string }> {
  const folder = await mkdtemp(join(tmpdir(), 'errata-test-bench-'));
  undos.push(() => rm(folder, { recursive: true, force: true }));
  const env = { ...process.env, TMPDIR: folder };
  const bench = spawn(process.execPath, [program, 'indexing', '--cards', '2000'], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endsWithThisProcess(bench, 'SIGTERM');
  const { pid } = bench;
  if (pid === undefined) throw new Error('the benchmark did not start');
  undos.push(async () => {
    if (bench.exitCode === null && bench.signalCode === null) process.kill(-pid, 'SIGKILL');
  });
  let said = '';
  bench.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return { bench, pid, folder, progress: () => said };
}

/** The processes that were told of the folder. */
async function processesOf(folder: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes(folder));
}

describe.runIf(process.platform === 'linux')('a benchmark', () => {
  test.each([
    { name: 'its process', signal: 'SIGTERM', to: (pid: number) => pid },
    { name: 'its process group, as a terminal does', signal: 'SIGINT', to: (pid: number) => -pid },
  ] as const)(
    'shows how far it is, and leaves no process and no data behind when $signal comes to $name',
    async ({ signal, to }) => {
      const { bench, pid, folder, progress } = await started();
      // A first start, which the tests of gateways wait as long for.
      await until(() => /storing .* [1-9]\d*\/2000 cards/.test(progress()), {
        deadlineMs: 240_000,
        what: 'cards to be stored',
      });
      expect((await processesOf(folder)).length).toBeGreaterThan(2);
      process.kill(to(pid), signal);
      expect(await once(bench, 'exit')).toEqual([null, signal]);
      expect(await readdir(folder)).toEqual([]);
      expect(await processesOf(folder)).toEqual([]);
    },
  );

  test('leaves no listener of a request on the signal of the run', async () => {
    const server = await startHttpServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{}}');
    });
    undos.push(() => server.close());
    const { signal } = new AbortController();
    const client = new Client(server.url, '', signal);
    for (let request = 0; request < 20; request++) await client.ask('{ indexStatus { cards } }');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

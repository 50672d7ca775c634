import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { until } from '../../support/until.js';

/** Why no call can be made to fail here; null if it can: strace must be there, and be allowed to trace. */
export function whyNoIoErrors(): string | null {
  const { error, status, stderr } = spawnSync('strace', [...injecting('pwrite64', 1), '-o', '/dev/null', 'true'], {
    encoding: 'utf8',
  });
  if (error !== undefined) return `strace cannot be run: ${error.message}`;
  return status === 0 ? null : `strace may not trace: ${stderr.trim()}`;
}

/** Calls of running processes that fail with EIO, until `end`. */
export interface IoErrors {
  /** How many have failed so far. */
  readonly count: () => number;
  end(): Promise<void>;
}

/**
 * From their n-th such call on, every call of each thread of the process, and of those that it started, fails with EIO.
 */
export async function failCalls(pid: number, call: string, from: number): Promise<IoErrors> {
  const pids = await familyOf(pid);
  const tracing = spawn('strace', ['-f', ...injecting(call, from), ...pids.flatMap((one) => ['-p', `${one}`])], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let count = 0;
  const attached = new Set<string>();
  createInterface({ input: tracing.stderr as Readable }).on('line', (line) => {
    const process = /Process (\d+) attached/.exec(line)?.[1];
    if (process !== undefined) attached.add(process);
    if (line.includes('(INJECTED)')) count += 1;
  });
  const isTraced = (): boolean => pids.every((one) => attached.has(`${one}`)) || tracing.exitCode !== null;
  await until(isTraced, { deadlineMs: 30_000, what: 'strace to have attached' });
  if (tracing.exitCode !== null) throw new Error(`strace ended with ${tracing.exitCode}`);
  return { count: () => count, end: () => detached(tracing) };
}

/** It lets go of what it traces when it is interrupted, and ends by itself when all of that has ended. */
async function detached(tracing: ChildProcess): Promise<void> {
  if (tracing.exitCode !== null || tracing.signalCode !== null) return;
  const exited = once(tracing, 'exit');
  tracing.kill('SIGINT');
  await exited;
}

function injecting(call: string, from: number): readonly string[] {
  return ['-e', `trace=${call}`, '-e', `inject=${call}:error=EIO:when=${from}+`];
}

/** The process, and all that it started. */
async function familyOf(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8')));
  const children = lists.flatMap((list) => list.split(' ').filter((one) => one !== '')).map(Number);
  return [pid, ...(await Promise.all(children.map(familyOf))).flat()];
}

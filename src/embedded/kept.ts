import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { delay } from '../lifecycle.js';
import { packageRoot } from '../root.js';
import type { KeeperNews, KeeperOrder, KeeperSpec } from './keeper.js';
import type { StopStep } from './process.js';

/** The last lines of a server's output, enough to say why it ended. */
const TAIL_LINES = 20;

/** How much longer than its own deadlines a keeper may take before it is killed itself. */
const KEEPER_GRACE_MS = 1_000;

/** How long the last lines of a program that ended may take to arrive. */
const OUTPUT_GRACE_MS = 200;

/** What a program needs of the environment to run at all; everything else in it is not meant for our children. */
const SYSTEM_VARIABLES = ['PATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP'];

/** How a program ended. */
export interface Ended {
  /** It ended by itself with exit code 0. */
  readonly well: boolean;
  /** In words. */
  readonly how: string;
}

/** A command that a keeper runs for us. */
export interface Kept {
  readonly pid: number;
  /** How it ended; never rejects. */
  readonly ended: Promise<Ended>;
  /** The last lines it printed. */
  readonly tail: () => string;
  readonly stop: (steps: readonly StopStep[]) => Promise<void>;
}

/** Runs a command under a keeper, so that it is stopped even where this process is killed. */
export async function keep(spec: KeeperSpec, onLine: (line: string) => void): Promise<Kept> {
  const keeper = forkChild('src/embedded/keeper.js', [JSON.stringify(spec)], spec.cwd);
  const tail = drain(keeper, onLine);
  let news: Ended = { well: false, how: 'its keeper was killed' };
  const ended = whenEnded(keeper).then((failure) => (failure === null ? news : { well: false, how: failure }));
  const running = new Promise<number>((resolve, reject) => {
    keeper.on('message', (message: KeeperNews) => {
      if (message.kind === 'running') return resolve(message.pid);
      news =
        message.kind === 'failed'
          ? { well: false, how: message.reason }
          : { well: message.code === 0, how: describeExit(message.code, message.signal) };
    });
    void ended.then(({ how }) => reject(new Error(`${spec.command} did not start: ${how}`)));
  });
  return {
    pid: await running,
    ended,
    tail,
    async stop(steps) {
      if (keeper.connected) keeper.send({ stop: steps } satisfies KeeperOrder, () => undefined);
      const deadlineMs = steps.reduce((sum, step) => sum + step.waitMs, KEEPER_GRACE_MS);
      const timer = setTimeout(() => keeper.kill('SIGKILL'), deadlineMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Forks one of our compiled programs into a process group of its own, with its output piped. It starts with none of
 * this process's Node options: a test runner's or a debugger's are not meant for it.
 */
export function forkChild(module: string, args: readonly string[], cwd: string): ChildProcess {
  return fork(join(packageRoot(), 'dist', module), args, {
    cwd,
    env: systemEnvironment(),
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // On Windows a detached child would open a console window.
    detached: process.platform !== 'win32',
  });
}

/** The few variables that every program of the system needs, and no setting. */
export function systemEnvironment(): Record<string, string> {
  return Object.fromEntries(
    SYSTEM_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Resolves when the child is gone and its output is read; with the reason where it could not even be started. */
export async function whenEnded(child: ChildProcess): Promise<string | null> {
  const closed = new Promise<null>((resolve) => child.once('close', () => resolve(null)));
  const gone = new Promise<string | null>((resolve) => {
    child.once('exit', () => resolve(null));
    child.once('error', (error) => resolve(error.message));
  });
  const failure = await gone;
  if (failure === null) {
    const over = new AbortController();
    await Promise.race([closed, delay(OUTPUT_GRACE_MS, over.signal)]);
    over.abort();
  }
  return failure;
}

/** Reads all that a child prints (a full pipe would block it) and remembers the last lines. */
export function drain(child: ChildProcess, onLine: (line: string) => void): () => string {
  const last: string[] = [];
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output as Readable }).on('line', (line) => {
      if (line.trim() === '') return;
      last.push(line);
      if (last.length > TAIL_LINES) last.shift();
      onLine(line);
    });
  }
  return () => last.join('\n');
}

/** How a process ended, in words, from what Node tells about it. */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
}

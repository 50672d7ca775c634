import { type ChildProcess, fork, type SerializationType } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { packageRoot } from '../../config/package-root.js';
import { delay } from '../../domain/async.js';

/** The last lines of a server's output, enough to say why it ended. */
const TAIL_LINES = 20;

/** How long the last lines of a program that ended may take to arrive. */
const OUTPUT_GRACE_MS = 200;

/** Environment variables that child processes keep: those that a program needs to run at all. */
const SYSTEM_VARIABLES = ['PATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP'];

/**
 * Forks one of our compiled programs into a process group of its own, with its output piped. It starts with none of
 * this process's Node options, a test runner's or a debugger's, but with those of `execArgv`. Messages are JSON unless
 * `serialization` says otherwise.
 */
export function forkChild(
  module: string,
  args: readonly string[],
  cwd: string,
  options: { readonly serialization?: SerializationType; readonly execArgv?: readonly string[] } = {},
): ChildProcess {
  return fork(join(packageRoot(), 'dist', module), args, {
    ...options,
    cwd,
    env: systemEnvironment(),
    execArgv: [...(options.execArgv ?? [])],
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

import { type ChildProcess, fork, type SerializationType } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { packageRoot } from '../../config/package-root.js';
import { atMost } from '../../domain/async.js';
import { lowerPriority } from './priority.js';

/** Kept lines of a process's output: enough to explain a failure. */
const TAIL_LINES = 20;

/** How long the last output of an ended process may take to arrive. */
const OUTPUT_GRACE_MS = 200;

/** The only environment variables that child processes inherit. */
const SYSTEM_VARIABLES = ['PATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP'];

/**
 * Forks a compiled program of ours into its own process group, with piped output. It does not inherit this process's
 * Node options, which may be a test runner's or a debugger's. Messages are JSON unless `serialization` is set.
 * `isBackground` lowers its priority.
 */
export function forkChild(
  module: string,
  args: readonly string[],
  cwd: string,
  {
    isBackground = false,
    execArgv = [],
    ...options
  }: {
    readonly serialization?: SerializationType;
    readonly execArgv?: readonly string[];
    readonly isBackground?: boolean;
  } = {},
): ChildProcess {
  const child = fork(join(packageRoot(), 'dist', module), args, {
    ...options,
    cwd,
    env: systemEnvironment(),
    execArgv: [...execArgv],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // On Windows a detached child would open a console window.
    detached: process.platform !== 'win32',
  });
  // At once: starting Node takes .3 s of processor time. Without a pid it could not be started.
  if (child.pid !== undefined && isBackground) lowerPriority(child.pid);
  return child;
}

/** The inherited environment without the gateway's settings and secrets. */
function systemEnvironment(): Record<string, string> {
  return Object.fromEntries(
    SYSTEM_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * Resolves when the child has ended and its output is read: with null, or with the error if it could not be started.
 */
export async function whenEnded(child: ChildProcess): Promise<string | null> {
  const closed = new Promise<null>((resolve) => child.once('close', () => resolve(null)));
  const gone = new Promise<string | null>((resolve) => {
    child.once('exit', () => resolve(null));
    child.once('error', (error) => resolve(error.message));
  });
  const failure = await gone;
  if (failure === null) await atMost(OUTPUT_GRACE_MS, closed);
  return failure;
}

/** Reads all output of a child (a full pipe would block it). The returned function gives the last lines. */
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

export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
}

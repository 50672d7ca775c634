import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../src/config/package-root.js';
import { endsWithThisProcess } from './children.js';

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A command under way. */
export interface RunningCommand {
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

/** What a command under test inherits of this process's environment: no setting but where the binding is cached. */
const INHERITED = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'ERRATA_CACHE_DIR'];

/** Starts the compiled command line as a user would, without a terminal, with these settings and no others. */
export function startErrata(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningCommand {
  const inherited = Object.fromEntries(
    INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, String(process.env[name])]])),
  );
  const child = spawn(process.execPath, [join(packageRoot(), 'dist', 'src', 'cli', 'errata.js'), ...args], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endsWithThisProcess(child);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, out, err }));
  return { ended, kill: (signal) => void child.kill(signal) };
}

/** Runs it to its end. */
export function errata(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return startErrata(args, env).ended;
}

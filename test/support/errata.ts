import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../src/config/package-root.js';
import { EXIT } from '../../src/domain/exit-codes.js';
import { type Ended, endsWithThisProcess, inheritedEnv, outputOf } from './children.js';
import { until } from './until.js';

export type { Ended } from './children.js';

/** A command under way. */
export interface RunningCommand {
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts the compiled command line as a user would, without a terminal, with these settings and no others. */
export function startErrata(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningCommand {
  const child = spawn(process.execPath, [join(packageRoot(), 'dist', 'src', 'cli', 'errata.js'), ...args], {
    env: { ...inheritedEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endsWithThisProcess(child);
  return { ended: outputOf(child), kill: (signal) => void child.kill(signal) };
}

/** Runs it to its end. */
export function errata(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return startErrata(args, env).ended;
}

/** Runs a command that only searches, and again while the gateway is too busy: searches have two seconds. */
export function errataInTime(args: readonly string[]): Promise<Ended> {
  const answered = async (): Promise<Ended | false> => {
    const ended = await errata(args);
    return ended.code !== EXIT.unavailable && ended.code !== EXIT.retry && ended;
  };
  return until(answered, { deadlineMs: 120_000, what: `errata ${args.join(' ')} to be answered in time` });
}

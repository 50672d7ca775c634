/**
 * A program, forked by the gateway, that runs one command, reports how it ended, and stops it when the gateway ends,
 * even if the gateway was killed: the kernel closes the IPC channel. It runs in its own process group, because Ctrl-C
 * in a terminal goes to a whole group and would stop the command while the gateway still needs it.
 */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { atMost } from '../../domain/async.js';
import { recordIdentity, type StopStep } from './process.js';

/** Passed to a watchdog as JSON in its first argument. */
export interface WatchedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The user that runs the command; null: the gateway's. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** Opened for reading by the watchdog and passed to the command as file descriptors 3, 4, ... */
  readonly handedOver: readonly string[];
  /** File for the pid and start time of the command; of the watchdog until the command runs. */
  readonly record: string;
  /** How the command is stopped after the gateway has ended. */
  readonly orphaned: readonly StopStep[];
}

export interface WatchdogOrder {
  readonly stop: readonly StopStep[];
}

export type WatchdogMessage =
  | { readonly kind: 'running'; readonly pid: number }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: NodeJS.Signals | null };

const spec = JSON.parse(process.argv[2] ?? 'null') as WatchedCommand;
// A gateway that starts after this one was killed waits for the recorded process. It must find a record, or no command
// may be started after it has looked.
await recordIdentity(spec.record, process.pid);
await new Promise(setImmediate);
if (!process.connected) process.exit(0);

const command = spawn(spec.command, spec.args, {
  cwd: spec.cwd,
  env: { ...spec.env },
  stdio: ['ignore', 'inherit', 'inherit', ...spec.handedOver.map((path) => openSync(path, 'r'))],
  ...(spec.owner ?? {}),
});

const ended = new Promise<void>((resolve) => {
  command.once('error', (error) => {
    send({ kind: 'failed', reason: error.message });
    resolve();
  });
  command.once('exit', (code, signal) => {
    send({ kind: 'ended', code, signal });
    resolve();
  });
});

process.on('message', (order: WatchdogOrder) => void stop(order.stop));
process.on('disconnect', () => void stop(spec.orphaned));
process.on('SIGTERM', () => void stop(spec.orphaned));
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);

const { pid } = command;
if (pid !== undefined) {
  await recordIdentity(spec.record, pid);
  send({ kind: 'running', pid });
}
await ended;
if (process.connected) process.disconnect();
process.exit(0);

async function stop(steps: readonly StopStep[]): Promise<void> {
  for (const step of steps) {
    command.kill(step.signal);
    await atMost(step.waitMs, ended);
    if (command.exitCode !== null || command.signalCode !== null) return;
  }
}

/** Ignores errors of the channel: `disconnect` reports that the gateway has ended. */
function send(message: WatchdogMessage): void {
  if (process.connected) process.send?.(message, () => undefined);
}

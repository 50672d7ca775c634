/**
 * A small program that runs one command and outlives nobody: it is forked by the gateway, forwards how the command ended,
 * and stops the command as soon as the gateway is gone, however that happened (the kernel closes the channel between them).
 *
 *     fork('keeper.js', [JSON.stringify(spec)], { detached: true })
 *
 * `detached` puts it into a process group of its own: Ctrl-C in a terminal goes to a whole group, and would stop the
 * command before the gateway has finished with it.
 */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { delay } from '../../domain/async.js';
import { recordIdentity, type StopStep } from './process.js';

/** Passed to a keeper as JSON in its first argument. */
export interface KeeperSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Who runs the command; null: whoever runs the gateway. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** Opened for reading by the keeper and handed to the command as its files 3, 4, ... */
  readonly handedOver: readonly string[];
  /** Where pid and start of the command are written down. */
  readonly record: string;
  /** How the command is stopped when the gateway is gone. */
  readonly orphaned: readonly StopStep[];
}

/** Message of the gateway to a keeper. */
export interface KeeperOrder {
  readonly stop: readonly StopStep[];
}

/** Message of a keeper to the gateway. */
export type KeeperNews =
  | { readonly kind: 'running'; readonly pid: number }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: NodeJS.Signals | null };

const spec = JSON.parse(process.argv[2] ?? 'null') as KeeperSpec;
const command = spawn(spec.command, spec.args, {
  cwd: spec.cwd,
  env: { ...spec.env },
  stdio: ['ignore', 'inherit', 'inherit', ...spec.handedOver.map((path) => openSync(path, 'r'))],
  ...(spec.owner ?? {}),
});

const ended = new Promise<void>((resolve) => {
  command.once('error', (error) => {
    tell({ kind: 'failed', reason: error.message });
    resolve();
  });
  command.once('exit', (code, signal) => {
    tell({ kind: 'ended', code, signal });
    resolve();
  });
});

process.on('message', (order: KeeperOrder) => void stop(order.stop));
process.on('disconnect', () => void stop(spec.orphaned));
process.on('SIGTERM', () => void stop(spec.orphaned));
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);

const { pid } = command;
if (pid !== undefined) {
  await recordIdentity(spec.record, pid);
  tell({ kind: 'running', pid });
}
await ended;
if (process.connected) process.disconnect();
process.exit(0);

async function stop(steps: readonly StopStep[]): Promise<void> {
  for (const step of steps) {
    command.kill(step.signal);
    const over = new AbortController();
    await Promise.race([ended, delay(step.waitMs, over.signal)]);
    over.abort();
    if (command.exitCode !== null || command.signalCode !== null) return;
  }
}

/** A gateway that is gone hears nothing: the channel's own error says no more than `disconnect` did. */
function tell(news: KeeperNews): void {
  if (process.connected) process.send?.(news, () => undefined);
}

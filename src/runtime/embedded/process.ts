import { execFile } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { delay } from '../../domain/async.js';

const run = promisify(execFile);

/** How often a process is looked at while it is waited for. */
const POLL_MS = 20;

/** One process for ever: a pid alone is given to another process some time after the first one is gone. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the operating system tells it; only ever compared. */
  readonly startedAt: string;
}

/** One step of ending a process: the signal, and how long to wait before the next step. */
export interface StopStep {
  readonly signal: NodeJS.Signals;
  readonly waitMs: number;
}

/** Who runs under this pid now; null where nobody does, a zombie that only waits to be reaped included. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  const startedAt = process.platform === 'linux' ? await linuxStart(pid) : await portableStart(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** True while this very process runs, not another one with its pid. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.startedAt === identity.startedAt;
}

/** Waits until the process is gone; false where it is still there after `deadlineMs`. */
export async function waitUntilGone(identity: ProcessIdentity, deadlineMs: number): Promise<boolean> {
  for (const end = performance.now() + deadlineMs; ; await delay(POLL_MS)) {
    if (!(await isAlive(identity))) return true;
    if (performance.now() >= end) return false;
  }
}

/** Ends a process that need not be a child of ours, one step after the other until it is gone. */
export async function stopProcess(identity: ProcessIdentity, steps: readonly StopStep[]): Promise<void> {
  for (const step of steps) {
    if (!(await isAlive(identity))) return;
    signal(identity.pid, step.signal);
    if (await waitUntilGone(identity, step.waitMs)) return;
  }
  throw new Error(`the process with pid ${identity.pid} cannot be ended`);
}

/** Sends a signal; a process that is gone meanwhile is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}

/** Writes down who runs, whole or not at all, for {@link readIdentity}. */
export async function recordIdentity(file: string, pid: number): Promise<void> {
  const identity = await identify(pid);
  if (identity === null) return;
  const whole = `${file}.${pid}.tmp`;
  await writeFile(whole, JSON.stringify(identity), { mode: 0o600 });
  await rename(whole, file);
}

/** The process that was written down, where it still runs; else null. */
export async function readIdentity(file: string): Promise<ProcessIdentity | null> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown;
  });
  const identity = text === null ? null : parseIdentity(text);
  return identity !== null && (await isAlive(identity)) ? identity : null;
}

/** Parses a process record; null if it is incomplete (a power cut interrupted the write). */
export function parseIdentity(text: string): ProcessIdentity | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || !('pid' in parsed) || !('startedAt' in parsed)) return null;
  const { pid, startedAt } = parsed;
  return Number.isInteger(pid) && typeof startedAt === 'string' ? { pid: Number(pid), startedAt } : null;
}

/**
 * Ends what an earlier gateway left running: waits while it ends by itself (its keeper sees that the gateway is gone),
 * then ends it.
 */
export async function endLeftover(file: string, graceMs: number, steps: readonly StopStep[]): Promise<void> {
  const leftover = await readIdentity(file);
  if (leftover !== null && !(await waitUntilGone(leftover, graceMs))) await stopProcess(leftover, steps);
  await rm(file, { force: true });
}

/** The start in clock ticks since boot (proc(5), field 22), with the boot: the same ticks come again after a reboot. */
async function linuxStart(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    // ESRCH: the process ended between open and read.
    if (thrown.code === 'ENOENT' || thrown.code === 'ESRCH') return null;
    throw thrown;
  });
  if (stat === null) return null;
  // The second field is the program's name in parentheses and may hold spaces and parentheses itself.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return null;
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  return `${boot}:${rest[18]}`;
}

/** The start as a program of the system tells it: `ps` exits with 1, PowerShell with a number, where there is no such process. */
async function portableStart(pid: number): Promise<string | null> {
  const windows = process.platform === 'win32';
  const [program, args] = windows
    ? ['powershell.exe', ['-NoProfile', '-Command', `(Get-Process -Id ${pid} -ErrorAction Stop).StartTime.Ticks`]]
    : ['ps', ['-o', 'stat=,lstart=', '-p', String(pid)]];
  try {
    const told = (
      await run(program as string, args as string[], { env: { ...process.env, LC_ALL: 'C' } })
    ).stdout.trim();
    if (windows) return told;
    const [state, ...start] = told.split(/\s+/);
    return state?.startsWith('Z') ? null : start.join(' ');
  } catch (thrown) {
    if (typeof (thrown as { code?: unknown }).code === 'number') return null;
    throw thrown;
  }
}

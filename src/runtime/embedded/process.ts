import { execFile } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { delay } from '../../domain/async.js';
import { nullIf } from '../../domain/errors.js';
import { jsonIn } from '../../domain/parse/json.js';

const run = promisify(execFile);

const POLL_MS = 20;

/** Identifies one process; pids alone are reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in the operating system's format; only compared. */
  readonly startedAt: string;
}

export interface StopStep {
  readonly signal: NodeJS.Signals;
  readonly waitMs: number;
}

/** The process that has this pid now; null if there is none, or only a zombie. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  const startedAt = process.platform === 'linux' ? await linuxStart(pid) : await portableStart(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** True while this process runs; false for another one with its pid. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.startedAt === identity.startedAt;
}

/** False if the process has not ended after `deadlineMs`. */
async function waitUntilGone(identity: ProcessIdentity, deadlineMs: number): Promise<boolean> {
  for (const end = performance.now() + deadlineMs; ; await delay(POLL_MS)) {
    if (!(await isAlive(identity))) return true;
    if (performance.now() >= end) return false;
  }
}

/** Ends a process, not necessarily a child, by one step after the other. */
async function stopProcess(identity: ProcessIdentity, steps: readonly StopStep[]): Promise<void> {
  for (const step of steps) {
    if (!(await isAlive(identity))) return;
    signal(identity.pid, step.signal);
    if (await waitUntilGone(identity, step.waitMs)) return;
  }
  throw new Error(`the process with pid ${identity.pid} cannot be ended`);
}

/** Sends a signal; no-op if the process has ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}

/** Writes a process's identity atomically, for {@link readIdentity}. */
export async function recordIdentity(file: string, pid: number): Promise<void> {
  const identity = await identify(pid);
  if (identity === null) return;
  const whole = `${file}.${pid}.tmp`;
  await writeFile(whole, JSON.stringify(identity), { mode: 0o600 });
  await rename(whole, file);
}

/** The recorded process, if it still runs. */
export async function readIdentity(file: string): Promise<ProcessIdentity | null> {
  const text = await readFile(file, 'utf8').catch(nullIf('ENOENT'));
  const identity = text === null ? null : parseIdentity(text);
  return identity !== null && (await isAlive(identity)) ? identity : null;
}

/** Parses a process record; null if it is incomplete (a power cut interrupted the write). */
export function parseIdentity(text: string): ProcessIdentity | null {
  const parsed = jsonIn(text);
  if (typeof parsed !== 'object' || parsed === null || !('pid' in parsed) || !('startedAt' in parsed)) return null;
  const { pid, startedAt } = parsed;
  return Number.isInteger(pid) && typeof startedAt === 'string' ? { pid: Number(pid), startedAt } : null;
}

/** Ends a recorded process of an earlier gateway; its watchdog gets `graceMs` to do so first. */
export async function endLeftover(file: string, graceMs: number, steps: readonly StopStep[]): Promise<void> {
  const leftover = await readIdentity(file);
  if (leftover !== null && !(await waitUntilGone(leftover, graceMs))) await stopProcess(leftover, steps);
  await rm(file, { force: true });
}

/**
 * Start in clock ticks since boot (proc(5), field 22), with the boot's id, because ticks start again after a reboot.
 */
async function linuxStart(pid: number): Promise<string | null> {
  // ESRCH: the process ended between open and read.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(nullIf('ENOENT', 'ESRCH'));
  if (stat === null) return null;
  // The second field, the program's name in parentheses, may contain spaces and parentheses.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return null;
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  return `${boot}:${rest[18]}`;
}

/** Start time from a system program: `ps` and PowerShell exit with a non-zero code if the process does not exist. */
async function portableStart(pid: number): Promise<string | null> {
  const windows = process.platform === 'win32';
  const [program, args] = windows
    ? ['powershell.exe', ['-NoProfile', '-Command', `(Get-Process -Id ${pid} -ErrorAction Stop).StartTime.Ticks`]]
    : ['ps', ['-o', 'stat=,lstart=', '-p', String(pid)]];
  try {
    const output = (
      await run(program as string, args as string[], { env: { ...process.env, LC_ALL: 'C' } })
    ).stdout.trim();
    if (windows) return output;
    const [state, ...start] = output.split(/\s+/);
    return state?.startsWith('Z') ? null : start.join(' ');
  } catch (thrown) {
    if (typeof (thrown as { code?: unknown }).code === 'number') return null;
    throw thrown;
  }
}

import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * On a machine whose cores are all in use, a process with it gets a third of the time of one without. With 10, changes
 * of an overloaded gateway became searchable later (p50 10.5 s instead of 9.1), and searches were not faster; with 19,
 * beside three busy processes on two cores, an import of two rows took over a minute instead of 2 s (3 with 5).
 */
const NICENESS = 5;

const LOWEST = 19;

/**
 * Without CAP_SYS_ADMIN the kernel accepts one change of a group per .1 s (EAGAIN), from all processes of the machine
 * (kernel/sched/autogroup.c).
 */
const RETRY_MS = 150;
const MAX_RETRIES = 20;

/**
 * Gives a process that was just started, in its own session, a lower priority than this process. Its niceness alone
 * does not suffice on Linux: a kernel that schedules sessions as groups (sched(7), autogroup) compares niceness only
 * within a session, and gives every session the same share of the cores. The group has a niceness of its own.
 */
export function lowerPriority(pid: number): void {
  const lowered = Math.min(LOWEST, getPriority() + NICENESS);
  setPriority(pid, lowered);
  if (process.platform === 'linux') lowerSession(pid, lowered, MAX_RETRIES);
}

function lowerSession(pid: number, niceness: number, retries: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch (thrown) {
    // Not retried if the process has ended, the kernel has no such groups, or a container may not write to the file:
    // then the niceness is all that can be done.
    if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN' || retries === 0) return;
    setTimeout(() => lowerSession(pid, niceness, retries - 1), RETRY_MS).unref();
  }
}

import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** How often the thread is looked at, in ms. */
const LOOK_MS = 2;

/**
 * How long this process held its thread at most until `work` was done, in ms: how late a timer was, as far as the
 * thread used that time. What other processes of the machine used is not counted, as it is by
 * `perf_hooks.monitorEventLoopDelay`, nor, on Linux, what other threads of this process did while it waited for a core.
 */
export async function longestHold(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let lookedAt = performance.now();
  let usedMs = cpuMs();
  const look = (): void => {
    const late = performance.now() - lookedAt - LOOK_MS;
    longest = Math.max(longest, Math.min(late, cpuMs() - usedMs));
    lookedAt = performance.now();
    usedMs = cpuMs();
  };
  const timer = setInterval(look, LOOK_MS);
  try {
    await work();
    look();
  } finally {
    clearInterval(timer);
  }
  return longest;
}

/** Processor time of this thread, elsewhere than on Linux of this process. */
function cpuMs(): number {
  if (process.platform === 'linux' && isMainThread) {
    const [ns] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
    return Number(ns) / 1e6;
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

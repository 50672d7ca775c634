/** How often the thread is looked at, in ms. */
const LOOK_MS = 2;

/**
 * How long this process held its thread at most until `work` was done, in ms: how late a timer was, as far as the
 * process used that time. What other processes of the machine used is not counted, as it is by
 * `perf_hooks.monitorEventLoopDelay`.
 */
export async function longestHold(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let lookedAt = performance.now();
  let cpu = process.cpuUsage();
  const look = (): void => {
    const late = performance.now() - lookedAt - LOOK_MS;
    const { user, system } = process.cpuUsage(cpu);
    longest = Math.max(longest, Math.min(late, (user + system) / 1_000));
    lookedAt = performance.now();
    cpu = process.cpuUsage();
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

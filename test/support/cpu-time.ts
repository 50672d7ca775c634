/**
 * The least processor time in ms that three runs of `work` took in user mode. Other programs' load does not count, so
 * that a bound on it says something about the algorithm on any machine.
 */
export function leastCpuMs(work: () => unknown): number {
  const runs = [1, 2, 3].map(() => {
    const started = process.cpuUsage();
    work();
    return process.cpuUsage(started).user / 1_000;
  });
  return Math.min(...runs);
}

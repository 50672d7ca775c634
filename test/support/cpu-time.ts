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

/** Times below this vary too much to be compared. */
const COMPARABLE_MS = 50;

/**
 * The processor time of work of ten times the size, divided by that of ten pieces of work of the size. About 1 if the
 * time is linear, up to 5 if large work leaves garbage that survives collections; 10 if the time is quadratic. `workOf`
 * prepares the work.
 */
export function growth(workOf: (size: number) => () => unknown, size: number): number {
  const [whole, part] = [workOf(10 * size), workOf(size)];
  const wholeMs = leastCpuMs(whole);
  const partsMs = leastCpuMs(() => {
    for (let at = 0; at < 10; at++) part();
  });
  return wholeMs / Math.max(partsMs, COMPARABLE_MS);
}

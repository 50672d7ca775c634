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
 * How often the processor time of ten pieces of work of a size fits into that of one which is ten times as large: once
 * to five times if the time is in proportion to the size (the garbage of large work survives more collections), ten
 * times if it is quadratic. `workOf` prepares the work.
 */
export function growth(workOf: (size: number) => () => unknown, size: number): number {
  const [whole, part] = [workOf(10 * size), workOf(size)];
  const wholeMs = leastCpuMs(whole);
  const partsMs = leastCpuMs(() => {
    for (let at = 0; at < 10; at++) part();
  });
  return wholeMs / Math.max(partsMs, COMPARABLE_MS);
}

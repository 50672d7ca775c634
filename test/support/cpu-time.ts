import { expect } from 'vitest';

/**
 * The least processor time in ms that three runs of `work` took in user mode. Other programs' load does not count, so
 * that a bound on it says something about the algorithm on any machine.
 */
export function leastCpuMs(work: () => unknown): number {
  return Math.min(...[1, 2, 3].map(() => cpuMs(work)));
}

function cpuMs(work: () => unknown): number {
  const started = process.cpuUsage();
  work();
  return process.cpuUsage(started).user / 1_000;
}

/** Times below this vary too much to be compared. */
const COMPARABLE_MS = 50;

/**
 * Expects the processor time of work of ten times the size, divided by that of ten pieces of work of the size, to be
 * below `bound`. It is measured again, up to three times in all, while it is not. The quotient is about 1 if the time
 * is linear, up to 5 if large work leaves garbage that survives collections, and 10 if the time is quadratic. `workOf`
 * prepares the work.
 */
export function expectGrowthBelow(bound: number, workOf: (size: number) => () => unknown, size: number): void {
  const [whole, part] = [workOf(10 * size), workOf(size)];
  const parts = (): void => {
    for (let at = 0; at < 10; at++) part();
  };
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && least >= bound; attempt++) {
    least = Math.min(least, cpuMs(whole) / Math.max(cpuMs(parts), COMPARABLE_MS));
  }
  expect(least).toBeLessThan(bound);
}

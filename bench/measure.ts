/** Runs the contestants in turn, round after round, so that a noisy machine is noisy for all of them; milliseconds of each. */
export async function compare(
  rounds: number,
  contestants: Readonly<Record<string, (round: number) => Promise<unknown>>>,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const names = Object.keys(contestants);
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const name of names) {
      const started = performance.now();
      await contestants[name]?.(Math.abs(round));
      if (round >= 0) times[name]?.push(performance.now() - started);
    }
  }
  return times;
}

/** Rounds that are run and not counted: compiled code, open connections, filled caches. */
const WARM_UP = 20;

export { percentile } from '../src/percentile.js';

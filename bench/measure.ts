/** What is measured: run once a round, or only in every `every`th, where it is slow. */
export interface Contestant {
  readonly run: (round: number) => Promise<unknown>;
  readonly every?: number;
}

/** Rounds that are run and not counted: compiled code, open connections, filled caches. */
const WARM_UP = 20;

/** Runs the contestants in turn, round after round, so that a noisy machine is noisy for all of them; milliseconds of each. */
export async function compare(
  rounds: number,
  contestants: Readonly<Record<string, Contestant>>,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [name, { run, every = 1 }] of Object.entries(contestants)) {
      if (round % every !== 0) continue;
      const started = performance.now();
      await run(Math.abs(round));
      if (round >= 0) times[name]?.push(performance.now() - started);
    }
  }
  return times;
}

/** What many clients got: how many answers a second, and how long each waited, in milliseconds. */
export interface Load {
  readonly perSecond: number;
  readonly times: readonly number[];
}

/** `clients` at once, each asking again as soon as it has its answer, until there are `requests` answers. */
export async function load(
  { clients, requests }: { readonly clients: number; readonly requests: number },
  run: (request: number) => Promise<unknown>,
): Promise<Load> {
  const times: number[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < requests) {
      const started = performance.now();
      await run(next++);
      times.push(performance.now() - started);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return { perSecond: (1000 * requests) / (performance.now() - started), times };
}

export { percentile } from '../src/domain/percentile.js';

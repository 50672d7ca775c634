import { type Run, range } from './run.js';

/** What is measured: run once a round, or only in every `every`th, where it is slow. */
export interface Contestant {
  readonly run: (round: number) => Promise<unknown>;
  readonly every?: number;
}

/** Rounds that are run and not counted: compiled code, open connections, filled caches. */
const WARM_UP = 20;

/** Runs the contestants in turn, round after round, so that a noisy machine is noisy for all of them; milliseconds of each. */
export async function compare(
  run: Run,
  rounds: number,
  contestants: Readonly<Record<string, Contestant>>,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, [] as number[]]));
  for await (const round of run.each('measuring', 'rounds', range(rounds, -WARM_UP))) {
    for (const [name, contestant] of Object.entries(contestants)) {
      if (round % (contestant.every ?? 1) !== 0) continue;
      const started = performance.now();
      await contestant.run(Math.abs(round));
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
  run: Run,
  { clients, requests }: { readonly clients: number; readonly requests: number },
  ask: (request: number) => Promise<unknown>,
): Promise<Load> {
  const times: number[] = [];
  const started = performance.now();
  await run.together(`${clients} clients`, 'requests', range(requests), clients, async (request) => {
    const asked = performance.now();
    await ask(request);
    times.push(performance.now() - asked);
  });
  return { perSecond: (1000 * requests) / (performance.now() - started), times };
}

export { percentile } from '../src/domain/percentile.js';

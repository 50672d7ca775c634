import { setImmediate } from 'node:timers/promises';
import { delay } from '../src/domain/async.js';
import { percentile } from '../src/domain/percentile.js';
import { type Run, range } from './run.js';

/** Done once in a round. */
export type Contestants = Readonly<Record<string, (round: number) => Promise<unknown>>>;

/** Rounds that are not counted: they compile code, open connections and fill caches. */
const WARM_UP = 20;

/**
 * Runs the contestants in turn, so that other load affects all of them; a slow one not in every round, but every
 * `everyOf`th. Returns the times in ms.
 */
export async function compare(
  run: Run,
  rounds: number,
  contestants: Contestants,
  everyOf: (name: string) => number = () => 1,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, [] as number[]]));
  for await (const round of run.each('measuring', 'rounds', range(rounds, -WARM_UP))) {
    for (const [name, contestant] of Object.entries(contestants)) {
      if (round % everyOf(name) !== 0) continue;
      const started = performance.now();
      await contestant(Math.abs(round));
      if (round >= 0) times[name]?.push(performance.now() - started);
    }
  }
  return times;
}

/** Throughput in answers per second, their latencies in ms, and how many requests had none. */
export interface Load {
  readonly perSecond: number;
  readonly times: readonly number[];
  readonly refused: number;
}

/**
 * Closed loop: `clients` concurrent callers, until there are `requests` responses; `ask` says whether it has an answer.
 */
export async function load(
  run: Run,
  { clients, requests }: { readonly clients: number; readonly requests: number },
  ask: (request: number) => Promise<boolean>,
): Promise<Load> {
  const times: number[] = [];
  const started = performance.now();
  await run.together(`${clients} clients`, 'requests', range(requests), clients, async (request) => {
    const asked = performance.now();
    if (await ask(request)) times.push(performance.now() - asked);
  });
  const perSecond = (1000 * times.length) / (performance.now() - started);
  return { perSecond, times, refused: requests - times.length };
}

/** How often a probe is asked, in ms. */
const PROBE_MS = 20;

/** Asks the probe again and again while the work is done; the times of its answers, in ms. */
export async function probing<T>(
  probe: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<{ readonly answer: T; readonly times: readonly number[] }> {
  const times: number[] = [];
  const ended = new AbortController();
  const asking = (async () => {
    while (!ended.signal.aborted) {
      const asked = performance.now();
      await probe();
      times.push(performance.now() - asked);
      await delay(PROBE_MS, ended.signal);
    }
  })();
  try {
    return { answer: await work(), times };
  } finally {
    ended.abort();
    await asking;
  }
}

/** The longest turn of the event loop until the work is done, in ms, its first one included. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let longest = 0;
  let last = performance.now();
  const working = work().finally(() => {
    isDone = true;
  });
  // Awaited below.
  working.catch(() => undefined);
  while (!isDone) {
    await setImmediate();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await working;
  return longest;
}

export { percentile };

/** Cells of a table of results. */
export function latencies(times: readonly number[]) {
  return { 'p50, ms': percentile(times, 0.5), 'p95, ms': percentile(times, 0.95) };
}

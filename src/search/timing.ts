import type { Lane } from '../domain/search.js';
import type { SearchStage, StageTiming } from '../domain/search-result.js';

/** Times the stages of one search, in milliseconds; one that runs again adds to its time. */
export class Stopwatch {
  readonly #started = performance.now();
  readonly #stages = new Map<SearchStage, number>();

  async time<T>(stage: SearchStage, run: () => Promise<T> | T): Promise<T> {
    const started = performance.now();
    try {
      return await run();
    } finally {
      this.#stages.set(stage, (this.#stages.get(stage) ?? 0) + performance.now() - started);
    }
  }

  /** In the order in which they first ended. */
  get stages(): readonly StageTiming[] {
    return Array.from(this.#stages, ([stage, tookMs]) => ({ stage, tookMs }));
  }

  get tookMs(): number {
    return performance.now() - this.#started;
  }
}

/**
 * Called with the time that a lane took to retrieve candidates, in ms; `answered` is false if it failed or was too
 * late.
 */
export type OnLane = (lane: Lane, tookMs: number, answered: boolean) => void;

export async function timeRemoteLane<T>(onLane: OnLane, lane: Lane, run: () => Promise<T>): Promise<T> {
  const started = performance.now();
  let answered = false;
  try {
    const answer = await run();
    answered = true;
    return answer;
  } finally {
    onLane(lane, performance.now() - started, answered);
  }
}

export function timeLane<T>(onLane: OnLane, lane: Lane, run: () => T): T {
  const started = performance.now();
  const answer = run();
  onLane(lane, performance.now() - started, true);
  return answer;
}

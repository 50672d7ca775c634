import type { StageTiming } from '../domain/search.js';

/** Times the stages of one search, in milliseconds with microsecond resolution. */
export class Stopwatch {
  readonly #started = performance.now();
  readonly #stages: StageTiming[] = [];

  async time<T>(stage: string, run: () => Promise<T> | T): Promise<T> {
    const started = performance.now();
    try {
      return await run();
    } finally {
      this.#stages.push({ stage, tookMs: performance.now() - started });
    }
  }

  get stages(): readonly StageTiming[] {
    return this.#stages;
  }

  get tookMs(): number {
    return performance.now() - this.#started;
  }
}

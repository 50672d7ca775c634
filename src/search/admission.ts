import type { Foreground } from '../domain/background.js';
import { RateLimitedError } from '../domain/errors.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { SearchRequest } from '../domain/search.js';
import type { SearchResult } from '../domain/search-result.js';
import { Turns } from '../domain/turns.js';
import type { Viewer } from '../domain/viewer.js';

/**
 * Concurrent searches. Most of a search keeps one thread busy, so that more would not be faster, only all late. With 3,
 * `npm run bench -- load --cards 3000 --rate 100` answered a third as many on two busy cores.
 */
export const CONCURRENCY = 6;

/** A search that would wait longer is refused at once: too little of its two seconds would be left. */
export const MAX_WAIT_MS = 800;

/** The weight of the latest search in the moving average of how long searches take. */
const LATEST_SHARE = 0.1;

/**
 * Admission control: runs so many searches at once, queues as many, in order of arrival, as will have their turn in
 * time, and refuses the others, so that under overload those that are admitted are still answered.
 */
export class AdmissionControl implements SearchEngine {
  readonly #turns = new Turns(CONCURRENCY);
  /** 0 before the first search: then none is refused. */
  #meanMs = 0;

  /** `nowMs` is a monotonic clock. */
  constructor(
    private readonly engine: SearchEngine,
    private readonly foreground: Pick<Foreground, 'begin' | 'end'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** As the engine's; RateLimitedError under overload, the signal's reason if it aborts before the search's turn. */
  async search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    this.refuseOverload();
    this.foreground.begin();
    try {
      return await this.#turns.run(() => this.#timed(viewer, request, signal), 'interactive', signal);
    } finally {
      this.foreground.end();
    }
  }

  async #timed(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const started = this.nowMs();
    let answered = false;
    try {
      const result = await this.engine.search(viewer, request, signal);
      answered = true;
      return result;
    } finally {
      const tookMs = this.nowMs() - started;
      // A search that failed at once says nothing of how long others take; one that ran out of time does.
      if (answered || tookMs > this.#meanMs) this.#count(tookMs);
    }
  }

  /** RateLimitedError if a search that came now would wait too long. */
  refuseOverload(): void {
    if (!this.#turns.areTaken) return;
    const waitMs = ((this.#turns.waiting + 1) * this.#meanMs) / CONCURRENCY;
    if (waitMs > MAX_WAIT_MS) throw new RateLimitedError('search', Math.ceil(waitMs));
  }

  #count(tookMs: number): void {
    this.#meanMs += (this.#meanMs === 0 ? 1 : LATEST_SHARE) * (tookMs - this.#meanMs);
  }
}

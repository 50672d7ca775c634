import { asError, RateLimitedError } from '../domain/errors.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { SearchRequest, SearchResult } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';

/**
 * Searches at work at once. Most of a search keeps one thread busy: more of them would not be faster, only all be late. With 3
 * in its place, `npm run bench -- load --cards 3000 --rate 100` answered a third as many on two cores that others kept busy.
 */
export const AT_WORK = 6;

/** A search that would wait longer, in ms, is refused at once: too little of its two seconds would be left. */
export const MAX_WAIT_MS = 800;

/** What the latest search counts in the mean of how long searches take. */
const LATEST_SHARE = 0.1;

/**
 * Lets so many searches work at once, and as many wait, in order of arrival, as will have their turn in time. All others are
 * refused: under more load than the machine can carry those that are let in are still answered.
 */
export class AdmissionControl implements SearchEngine {
  readonly #engine: SearchEngine;
  readonly #nowMs: () => number;
  readonly #waiting = new Set<() => void>();
  #atWork = 0;
  /** Zero before the first: then nobody is refused. */
  #meanMs = 0;

  /** `nowMs` is a clock that never goes back. */
  constructor(engine: SearchEngine, nowMs: () => number = () => performance.now()) {
    this.#engine = engine;
    this.#nowMs = nowMs;
  }

  /** As the engine's. RateLimitedError where too many search; the signal's reason where it aborts before the search's turn. */
  async search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    this.refuseOverload();
    if (this.#atWork < AT_WORK) this.#atWork += 1;
    else await this.#turn(signal);
    const started = this.#nowMs();
    let answered = false;
    try {
      const result = await this.#engine.search(viewer, request, signal);
      answered = true;
      return result;
    } finally {
      const tookMs = this.#nowMs() - started;
      // One that was turned down at once says nothing of how long the others take; one that ran out of time does.
      if (answered || tookMs > this.#meanMs) this.#count(tookMs);
      this.#giveBack();
    }
  }

  /** RateLimitedError where a search that came now would wait too long. */
  refuseOverload(): void {
    if (this.#atWork < AT_WORK) return;
    const waitMs = ((this.#waiting.size + 1) * this.#meanMs) / AT_WORK;
    if (waitMs > MAX_WAIT_MS) throw new RateLimitedError('search', Math.ceil(waitMs));
  }

  #count(tookMs: number): void {
    this.#meanMs += (this.#meanMs === 0 ? 1 : LATEST_SHARE) * (tookMs - this.#meanMs);
  }

  /** Resolves with a turn that another search has given back. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(onTurn);
        reject(asError(signal.reason));
      };
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(onTurn);
    });
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#atWork -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

import { IndexLostError, UnavailableError } from '../src/domain/errors.js';

/** Consecutive failures that open the breaker: one search queries up to four lanes at once. */
const FAILURES = 3;

/** Interval of probes while the breaker is open, in milliseconds; the end of an outage is noticed within two seconds. */
const REST_MS = 1_000;

/**
 * A server that runs and has not answered a probe for so long, in milliseconds, will not recover by itself: Chroma was seen to
 * hang for good after its disk had failed for three seconds.
 */
const STUCK_MS = 60_000;

export interface BreakerParts {
  /** Health check; rejects on failure. */
  readonly probe: () => Promise<unknown>;
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/**
 * A circuit breaker. After three consecutive failures it fails every call immediately, instead of waiting for its deadline. At
 * most once a second a refused call also starts a probe in the background; when a probe succeeds, the breaker closes, and opens
 * again at the first failure.
 */
export class Breaker {
  readonly #probe: () => Promise<unknown>;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #failuresInARow = 0;
  /** When the next probe may be sent; null while closed. */
  #restsUntil: number | null = null;
  #probing = false;
  readonly #stuckListeners = new Set<() => void>();
  /** Start of the outage, or last report of it. */
  #awaySince = 0;

  constructor({ probe, now = () => performance.now() }: BreakerParts) {
    this.#probe = probe;
    this.#now = now;
  }

  /** `open`: calls are refused. */
  get state(): 'closed' | 'open' {
    return this.#restsUntil === null ? 'closed' : 'open';
  }

  /** Runs the call; UnavailableError immediately while open. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#restsUntil !== null) {
      if (!this.#probing && this.#now() >= this.#restsUntil) void this.#lookAgain();
      throw new UnavailableError(
        'chroma',
        'circuit breaker open: the vector server did not answer; it is probed every second',
      );
    }
    try {
      const answer = await call();
      this.#failuresInARow = 0;
      return answer;
    } catch (thrown) {
      if (isOutage(thrown)) this.#failed();
      else this.#failuresInARow = 0;
      throw thrown;
    }
  }

  /** Closes the breaker, if the server is known to be back. */
  readonly reset = (): void => {
    this.#failuresInARow = 0;
    if (this.#restsUntil === null) return;
    this.#restsUntil = null;
    for (const listener of this.#listeners) listener();
  };

  /** Called whenever the breaker closes, until the returned function is called. */
  onRecovery(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Called after each minute of an outage, until the returned function is called. */
  onStuck(listener: () => void): () => void {
    this.#stuckListeners.add(listener);
    return () => void this.#stuckListeners.delete(listener);
  }

  #failed(): void {
    this.#failuresInARow += 1;
    if (this.#failuresInARow < FAILURES || this.#restsUntil !== null) return;
    this.#awaySince = this.#now();
    this.#restsUntil = this.#now() + REST_MS;
  }

  async #lookAgain(): Promise<void> {
    this.#probing = true;
    try {
      await this.#probe();
      this.reset();
      // A probe proves little: the next call must succeed too.
      this.#failuresInARow = FAILURES - 1;
    } catch {
      // Still unavailable; callers get that error already.
      this.#restsUntil = this.#now() + REST_MS;
      if (this.#now() - this.#awaySince >= STUCK_MS) {
        this.#awaySince = this.#now();
        for (const listener of this.#stuckListeners) listener();
      }
    } finally {
      this.#probing = false;
    }
  }
}

/** True if the server did not answer; an answer about lost data is no outage. */
function isOutage(thrown: unknown): boolean {
  return thrown instanceof UnavailableError && !(thrown instanceof IndexLostError);
}

import { IndexLostError, UnavailableError } from '../src/domain/errors.js';

/** Failures in a row after which the server counts as away: one search asks up to four lanes at once. */
const FAILURES = 3;

/** How long nobody asks a server that is away, in milliseconds; an outage is then noticed to be over within two seconds. */
const REST_MS = 1_000;

/**
 * A server that runs and has answered no sign of life for so long, in milliseconds, will not come to itself: Chroma was seen to
 * hang for good after its disk had failed for three seconds.
 */
const STUCK_MS = 60_000;

/** What the breaker stands before, and its clock. */
export interface BreakerParts {
  /** Asks the server for a sign of life; rejects where there is none. */
  readonly probe: () => Promise<unknown>;
  /** Milliseconds, from any moment on, that never go back. */
  readonly now?: () => number;
}

/**
 * Stands before a server and, after three failures in a row, fails every call at once instead of letting each wait for its
 * deadline. At most once a second a call that was turned away also sends a probe, which nobody waits for; when it is answered,
 * calls go through again, and the first of them to fail closes the door once more.
 */
export class Breaker {
  readonly #probe: () => Promise<unknown>;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #failuresInARow = 0;
  /** When the next probe may be sent; null while calls go through. */
  #restsUntil: number | null = null;
  #probing = false;
  readonly #stuckListeners = new Set<() => void>();
  /** Since when it is away, or since this was last said. */
  #awaySince = 0;

  constructor({ probe, now = () => performance.now() }: BreakerParts) {
    this.#probe = probe;
    this.#now = now;
  }

  /** `open`: calls are turned away. */
  get state(): 'closed' | 'open' {
    return this.#restsUntil === null ? 'closed' : 'open';
  }

  /** Runs the call, whatever it answers; UnavailableError at once where the server is away. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#restsUntil !== null) {
      if (!this.#probing && this.#now() >= this.#restsUntil) void this.#lookAgain();
      throw new UnavailableError('chroma', 'the vector server did not answer of late; it is asked again every second');
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

  /** Lets calls through again: for who knows that the server is back. */
  readonly reset = (): void => {
    this.#failuresInARow = 0;
    if (this.#restsUntil === null) return;
    this.#restsUntil = null;
    for (const listener of this.#listeners) listener();
  };

  /** Called whenever the server is back after it was away, until the returned function is called. */
  onRecovery(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Called when the server has been away for a minute, and each minute from then on, until the returned function is called. */
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
      // A sign of life is little: the next call has to succeed too.
      this.#failuresInARow = FAILURES - 1;
    } catch {
      // Still away, which is what everybody is told already.
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

/** The server's silence, not its answer that something is lost. */
function isOutage(thrown: unknown): boolean {
  return thrown instanceof UnavailableError && !(thrown instanceof IndexLostError);
}

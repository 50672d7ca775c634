import { Listeners } from '../src/domain/async.js';
import { IndexLostError, UnavailableError } from '../src/domain/errors.js';

/** Consecutive failures that open the breaker: one search queries up to four lanes at once. */
const FAILURES = 3;

/** Interval of probes while the breaker is open, in ms: the end of an outage is noticed within two seconds. */
const PROBE_EVERY_MS = 1_000;

/**
 * A server that runs and has not answered a probe for so long, in milliseconds, will not recover by itself: Chroma was
 * seen to hang for good after its disk had failed for three seconds.
 */
const STUCK_MS = 60_000;

/**
 * A circuit breaker. After three consecutive failures it fails every call immediately, instead of waiting for its
 * deadline. At most once a second a refused call also starts a probe in the background; when a probe succeeds, the
 * breaker closes, and opens again at the first failure.
 */
export class Breaker {
  readonly #recovered = new Listeners();
  readonly #stuck = new Listeners();
  /** Adds a listener for each time the breaker closes. */
  readonly onRecovery = this.#recovered.add;
  /** Adds a listener for each minute of an outage. */
  readonly onStuck = this.#stuck.add;
  #failuresInARow = 0;
  /** When the next probe may be sent; null while closed. */
  #probeDueAt: number | null = null;
  #probing = false;
  /** Start of the outage, or last report of it. */
  #outageSince = 0;

  /** `probe` rejects if the server is not healthy; `nowMs` is a monotonic clock. */
  constructor(
    private readonly probe: () => Promise<unknown>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** `open`: calls are refused. */
  get state(): 'closed' | 'open' {
    return this.#probeDueAt === null ? 'closed' : 'open';
  }

  /** Runs the call; UnavailableError immediately while open. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.refuseIfOpen();
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

  /** UnavailableError while open, as from {@link run}. */
  refuseIfOpen(): void {
    if (this.#probeDueAt === null) return;
    if (!this.#probing && this.nowMs() >= this.#probeDueAt) void this.#sendProbe();
    throw new UnavailableError(
      'chroma',
      'circuit breaker open: the vector server did not answer; it is probed every second',
    );
  }

  /** Closes the breaker, if the server is known to be back. */
  readonly reset = (): void => {
    this.#failuresInARow = 0;
    if (this.#probeDueAt === null) return;
    this.#probeDueAt = null;
    this.#recovered.notify();
  };

  #failed(): void {
    this.#failuresInARow += 1;
    if (this.#failuresInARow < FAILURES || this.#probeDueAt !== null) return;
    this.#outageSince = this.nowMs();
    this.#probeDueAt = this.nowMs() + PROBE_EVERY_MS;
  }

  async #sendProbe(): Promise<void> {
    this.#probing = true;
    try {
      await this.probe();
      this.reset();
      // If the next call fails, the breaker opens again.
      this.#failuresInARow = FAILURES - 1;
    } catch {
      // Still unavailable; callers get that error already.
      this.#probeDueAt = this.nowMs() + PROBE_EVERY_MS;
      if (this.nowMs() - this.#outageSince >= STUCK_MS) {
        this.#outageSince = this.nowMs();
        this.#stuck.notify();
      }
    } finally {
      this.#probing = false;
    }
  }
}

/** True if the server did not answer; an answer about lost data is no outage. */
export function isOutage(thrown: unknown): boolean {
  return thrown instanceof UnavailableError && !(thrown instanceof IndexLostError);
}

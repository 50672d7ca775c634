import { delay, once } from './async.js';
import { asError } from './errors.js';

export interface BackgroundLoopParts {
  /** One pass of the work; returns how long to wait for the next one, in ms. `woken`: it was asked for, not due. */
  readonly pass: (woken: boolean, signal: AbortSignal) => Promise<number>;
  /** Called when a pass fails, unless the loop is closing; returns how long to wait for the next one, in ms. */
  readonly onFailure: (error: Error) => number;
  /** Minimum interval between two passes, in ms, which nothing shortens; default 0. */
  readonly restMs?: number;
}

/** A loop with the same wait after every pass, also after one that failed. */
export function periodicLoop(
  everyMs: number,
  pass: (signal: AbortSignal) => Promise<void>,
  onFailure: (error: Error) => void,
): BackgroundLoop {
  return new BackgroundLoop({
    pass: async (_woken, signal) => {
      await pass(signal);
      return everyMs;
    },
    onFailure: (error) => {
      onFailure(error);
      return everyMs;
    },
  });
}

/** Repeats a piece of background work until it is closed: one pass at a time, after a wait or when it is woken. */
export class BackgroundLoop {
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #resume = new AbortController();
  #running: Promise<void> | undefined;

  constructor(private readonly parts: BackgroundLoopParts) {}

  get isStarted(): boolean {
    return this.#running !== undefined;
  }

  /** Aborts when the loop is closing. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** `firstMs` is the wait before the first pass. No-op if it has started. */
  start(firstMs = 0): void {
    this.#running ??= this.#run(firstMs);
  }

  /** Starts the next pass now, or after the current one; does not shorten the wait after a failure. */
  readonly wake = (): void => this.#wake.abort();

  /** As {@link wake}, and shortens the wait after a failure too: what was unavailable may be back. */
  readonly resume = (): void => {
    this.#wake.abort();
    this.#resume.abort();
  };

  /** Aborts the signal of the current pass, and waits for its end. */
  readonly close = once(async () => {
    this.#stopping.abort(new Error('the gateway is stopping'));
    await this.#running;
  });

  async #run(firstMs: number): Promise<void> {
    const { pass, onFailure, restMs = 0 } = this.parts;
    const { signal } = this.#stopping;
    let wait = { ms: firstMs, until: this.#wake.signal };
    while (true) {
      if (wait.ms > 0) await delay(wait.ms, signal, wait.until);
      if (signal.aborted) return;
      const woken = this.#wake.signal.aborted;
      // Before the pass: whoever wakes it meanwhile may have something that the pass has not seen.
      this.#wake = new AbortController();
      this.#resume = new AbortController();
      try {
        wait = { ms: await pass(woken, signal), until: this.#wake.signal };
      } catch (thrown) {
        if (signal.aborted) return;
        wait = { ms: onFailure(asError(thrown)), until: this.#resume.signal };
      }
      if (restMs > 0) await delay(restMs, signal);
    }
  }
}

/** Interval of deletions: the longest that something is kept after its time. */
const EVERY_MS = 3_600_000;

/** Pause between two batches, so that a backlog of months does not overload the database. */
const REST_MS = 100;

/** A loop that deletes what is no longer needed, in small batches. A failure is retried an hour later. */
export function deletionLoop(parts: {
  /** Deletes at most `limit`; returns how many. */
  readonly forget: (limit: number) => Promise<number>;
  readonly batch: number;
  readonly onFailure: (error: Error) => void;
}): BackgroundLoop {
  const { forget, batch, onFailure } = parts;
  const pass = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await forget(batch)) === batch) await delay(REST_MS, signal);
  };
  return periodicLoop(EVERY_MS, pass, onFailure);
}

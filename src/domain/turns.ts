import { asError } from './errors.js';

/** Priority: a user's query goes before the indexer. */
export type Urgency = 'interactive' | 'bulk';

/** A semaphore with two priorities: interactive callers go before all bulk ones, each in order of arrival. */
export class Turns {
  readonly #waiting: Readonly<Record<Urgency, (() => void)[]>> = { interactive: [], bulk: [] };
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Callers of {@link take} that wait. */
  get waiting(): number {
    return this.#waiting.interactive.length + this.#waiting.bulk.length;
  }

  /** Whether a caller would wait now. */
  get areTaken(): boolean {
    return this.#free === 0;
  }

  /** Resolves with the release function, which must be called once; rejects with the signal's reason once it aborts. */
  async take(urgency: Urgency, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(this.#waiting[urgency], signal);
    return () => this.#giveBack();
  }

  /** Does `work` in a turn, and rejects as {@link take} or it does. */
  async run<T>(work: () => Promise<T>, urgency: Urgency = 'interactive', signal?: AbortSignal): Promise<T> {
    const giveBack = await this.take(urgency, signal);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  #wait(queue: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onTurn = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        queue.splice(queue.indexOf(onTurn), 1);
        reject(asError(signal?.reason));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.push(onTurn);
    });
  }

  #giveBack(): void {
    const next = this.#waiting.interactive.shift() ?? this.#waiting.bulk.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

import { Worker } from 'node:worker_threads';
import { asError } from '../domain/errors.js';
import type { ScoringPass } from '../domain/ports/scoring.js';
import type { PassMessage, PassReply } from './protocol.js';

/** The thread has ended, by an error or because it was closed. */
export class ThreadLostError extends Error {
  constructor(options?: ErrorOptions) {
    super('a scoring thread has ended', options);
    this.name = 'ThreadLostError';
  }
}

interface Pending {
  readonly resolve: (tookMs: readonly number[]) => void;
  readonly reject: (error: Error) => void;
}

/** A worker thread that runs passes, in order. It does not keep the process alive. */
export class ScoringThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #passes = 0;
  #ready = false;
  #cause: Error | undefined;

  /**
   * `program` is that of thread.ts; `onLost` is called once, when the thread has ended; passes that it had not answered
   * reject then.
   */
  constructor(program: URL, onLost: (cause: Error | undefined) => void) {
    const worker = new Worker(program);
    this.#worker = worker;
    worker.once('online', () => {
      this.#ready = true;
    });
    worker.on('message', (reply: PassReply) => this.#hear(reply));
    worker.once('error', (thrown: unknown) => {
      this.#cause = asError(thrown);
    });
    worker.once('exit', () => {
      onLost(this.#cause);
      for (const { reject } of this.#pending.values()) reject(new ThreadLostError({ cause: this.#cause }));
      this.#pending.clear();
    });
    worker.unref();
  }

  /** Whether it has started. */
  get isReady(): boolean {
    return this.#ready;
  }

  /** Passes that it has not answered yet. */
  get waiting(): number {
    return this.#pending.size;
  }

  /**
   * Fills `byCard` (shared memory) and resolves to the time of each lane. ThreadLostError if the thread ends before.
   */
  score({ lanes, cards, numbers, laneBits, shares }: ScoringPass, byCard: Float64Array): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      const id = this.#passes;
      this.#passes += 1;
      const message: PassMessage = { id, pass: { lanes, cards, numbers, laneBits, shares }, byCard };
      this.#worker.postMessage(message);
      this.#pending.set(id, { resolve, reject });
      this.#worker.ref();
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #hear(reply: PassReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if ('tookMs' in reply) pending?.resolve(reply.tookMs);
    else pending?.reject(Object.assign(new Error(reply.message), { stack: reply.stack }));
  }
}

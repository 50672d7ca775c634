import { Worker } from 'node:worker_threads';
import { asError } from '../domain/errors.js';
import type { Lanes } from './score-pass.js';

/** To a scoring thread. Shared memory is not copied. */
export interface LanesMessage {
  readonly id: number;
  readonly lanes: Lanes;
  /** Filled by the thread. */
  readonly sums: Float64Array;
}

/** From a scoring thread, when `sums` is filled or the lanes have failed. */
export type LanesReply =
  | { readonly id: number; readonly tookMs: readonly number[] }
  | { readonly id: number; readonly message: string; readonly stack: string };

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

/** A worker thread that scores lanes, in order. It does not keep the process alive. */
export class ScoringThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #sent = 0;
  #ready = false;
  #cause: Error | undefined;

  /**
   * `program` is that of thread.ts; `onLost` is called once, when the thread has ended; what it had not answered
   * rejects then.
   */
  constructor(program: URL, onLost: (cause: Error | undefined) => void) {
    const worker = new Worker(program);
    this.#worker = worker;
    worker.once('online', () => {
      this.#ready = true;
    });
    worker.on('message', (reply: LanesReply) => this.#hear(reply));
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

  get isReady(): boolean {
    return this.#ready;
  }

  /** Halves of passes that it has not answered yet. */
  get waiting(): number {
    return this.#pending.size;
  }

  /**
   * Fills `sums` (shared memory) and resolves to the time of each lane. ThreadLostError if the thread ends before.
   */
  score(lanes: Lanes, sums: Float64Array): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      const id = this.#sent;
      this.#sent += 1;
      const message: LanesMessage = { id, lanes, sums };
      this.#worker.postMessage(message);
      this.#pending.set(id, { resolve, reject });
      this.#worker.ref();
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #hear(reply: LanesReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if ('tookMs' in reply) pending?.resolve(reply.tookMs);
    else pending?.reject(Object.assign(new Error(reply.message), { stack: reply.stack }));
  }
}

import { tmpdir } from 'node:os';
import { asError, RateLimitedError } from '../../domain/errors.js';
import type { Calls, WorkerProgram } from './protocol.js';
import { WorkerProcess } from './worker-process.js';

/** Workers at once: each takes some 60 MB at least, and one core of a machine that may have two. */
const AT_ONCE = 2;
/** Limit of a tenant's waiting work; more is refused. */
const MAX_WAITING = 8;
/** `retryAfterMs` beyond that: most work takes a second or two. */
const RETRY_MS = 5_000;

export interface WorkOrder<C extends Calls, T> {
  readonly tenantId: string;
  /** Name in the error message. */
  readonly name: string;
  readonly program: WorkerProgram;
  readonly run: (worker: WorkerProcess<C>) => Promise<T>;
}

interface Waiting {
  readonly tenantId: string;
  readonly begin: () => void;
}

/**
 * Runs heavy work in child processes, a few concurrently and one for each tenant, so that a tenant waits for at most
 * one job of each other tenant.
 */
export class Workers {
  readonly #running = new Set<string>();
  readonly #waiting = new Set<Waiting>();

  /**
   * Forks a worker when it is the tenant's turn, and runs the work. RateLimitedError if too much of the tenant's work
   * is waiting; the errors of {@link WorkerProcess}; the signal's reason once that aborts.
   */
  async run<C extends Calls, T>({ tenantId, name, program, run }: WorkOrder<C, T>, signal: AbortSignal): Promise<T> {
    await this.#turn(tenantId, name, signal);
    try {
      const worker = new WorkerProcess<C>(program, tmpdir(), signal);
      try {
        return await run(worker);
      } finally {
        await worker.close();
      }
    } finally {
      this.#running.delete(tenantId);
      this.#beginNext();
    }
  }

  #turn(tenantId: string, name: string, signal: AbortSignal): Promise<void> {
    const ofTenant = [...this.#waiting].filter((waiting) => waiting.tenantId === tenantId).length;
    if (ofTenant >= MAX_WAITING)
      throw new RateLimitedError(name, RETRY_MS, `has ${MAX_WAITING} waiting requests of this school`);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(waiting);
        reject(asError(signal.reason));
      };
      const waiting: Waiting = {
        tenantId,
        begin: () => {
          signal.removeEventListener('abort', onAbort);
          this.#waiting.delete(waiting);
          this.#running.add(tenantId);
          resolve();
        },
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiting);
      this.#beginNext();
    });
  }

  #beginNext(): void {
    if (this.#running.size >= AT_ONCE) return;
    const next = [...this.#waiting].find(({ tenantId }) => !this.#running.has(tenantId));
    next?.begin();
  }
}

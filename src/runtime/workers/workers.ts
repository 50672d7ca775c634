import { tmpdir } from 'node:os';
import { RateLimitedError } from '../../domain/errors.js';
import { Turns } from '../../domain/turns.js';
import type { Calls, WorkerProgram } from './protocol.js';
import { WorkerProcess } from './worker-process.js';

/** Workers at once: each takes some 60 MB at least, and one core of a machine that may have two. */
const AT_ONCE = 2;
/** Limit of a tenant's work that waits for the tenant's turn; more is refused. */
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

/**
 * Runs heavy work in child processes, a few concurrently and one for each tenant, so that a tenant waits for at most
 * one job of each other tenant.
 */
export class Workers {
  readonly #all = new Turns(AT_ONCE);
  readonly #ofTenants = new Map<string, Turns>();

  /**
   * Forks a worker when it is the tenant's turn, and runs the work. RateLimitedError if too much of the tenant's work
   * is waiting; the errors of {@link WorkerProcess}; the signal's reason once that aborts.
   */
  async run<C extends Calls, T>({ tenantId, name, program, run }: WorkOrder<C, T>, signal: AbortSignal): Promise<T> {
    const turns = this.#ofTenants.get(tenantId) ?? new Turns(1);
    this.#ofTenants.set(tenantId, turns);
    if (turns.waiting >= MAX_WAITING)
      throw new RateLimitedError(name, RETRY_MS, `has ${MAX_WAITING} waiting requests of this school`);
    const work = async (): Promise<T> => {
      const worker = new WorkerProcess<C>(program, tmpdir(), signal);
      try {
        return await run(worker);
      } finally {
        await worker.close();
      }
    };
    try {
      return await turns.run(() => this.#all.run(work, 'interactive', signal), 'interactive', signal);
    } finally {
      if (!turns.areTaken) this.#ofTenants.delete(tenantId);
    }
  }
}

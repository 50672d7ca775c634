import { tmpdir } from 'node:os';
import { RateLimitedError } from '../../domain/errors.js';
import { Turns } from '../../domain/turns.js';
import type { Calls, WorkerProgram } from './protocol.js';
import { WorkerProcess } from './worker-process.js';

/** Workers at once: each takes some 60 MB at least, and one core of a machine that may have two. */
const AT_ONCE = 2;
/** Limit of a tenant's work that waits for the tenant's turn; more is refused. */
const MAX_WAITING = 8;
/** How long a worker is kept for further work of the same tenant: a start takes .3 s of processor time. */
const KEPT_MS = 10_000;
/** `retryAfterMs` beyond that: most work takes a second or two. */
const RETRY_MS = 5_000;

export interface WorkOrder<C extends Calls, T> {
  readonly tenantId: string;
  /** Name in the error message. */
  readonly name: string;
  readonly program: WorkerProgram;
  readonly run: (worker: WorkerProcess<C>) => Promise<T>;
}

interface KeptWorker {
  readonly tenantId: string;
  readonly program: WorkerProgram;
  readonly worker: WorkerProcess<Calls>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Runs heavy work in child processes, a few concurrently and one for each tenant, so that a tenant waits for at most
 * one job of each other tenant. The last process is kept for a while; it serves its tenant alone.
 */
export class Workers {
  readonly #all = new Turns(AT_ONCE);
  readonly #ofTenants = new Map<string, Turns>();
  #kept: KeptWorker | null = null;

  /**
   * Runs the work when it is the tenant's turn, in a new worker or in that of the tenant's last work.
   * RateLimitedError if too much of the tenant's work is waiting; the errors of {@link WorkerProcess}; the signal's
   * reason once that aborts.
   */
  async run<C extends Calls, T>({ tenantId, name, program, run }: WorkOrder<C, T>, signal: AbortSignal): Promise<T> {
    const turns = this.#ofTenants.get(tenantId) ?? new Turns(1);
    this.#ofTenants.set(tenantId, turns);
    if (turns.waiting >= MAX_WAITING)
      throw new RateLimitedError(name, RETRY_MS, `has ${MAX_WAITING} waiting requests of this school`);
    const work = async (): Promise<T> => {
      signal.throwIfAborted();
      const worker = this.#take(tenantId, program, signal) ?? new WorkerProcess<C>(program, tmpdir(), signal);
      try {
        const done = await run(worker as WorkerProcess<C>);
        // Its work is done, even if the process is lost now.
        if (await worker.reset().catch(() => false)) await this.#keep(tenantId, program, worker);
        else await worker.close();
        return done;
      } catch (thrown) {
        await worker.close();
        throw thrown;
      }
    };
    try {
      return await turns.run(() => this.#all.run(work, 'interactive', signal), 'interactive', signal);
    } finally {
      if (!turns.areTaken) this.#ofTenants.delete(tenantId);
    }
  }

  /** Ends the process that is kept. */
  close(): Promise<void> {
    return this.#replace(null);
  }

  #take(tenantId: string, program: WorkerProgram, signal: AbortSignal): WorkerProcess<Calls> | null {
    const kept = this.#kept;
    if (kept?.tenantId !== tenantId || kept.program !== program) return null;
    this.#kept = null;
    clearTimeout(kept.timer);
    return kept.worker.begin(signal) ? kept.worker : null;
  }

  #keep(tenantId: string, program: WorkerProgram, worker: WorkerProcess<Calls>): Promise<void> {
    const timer = setTimeout(() => void this.close(), KEPT_MS);
    return this.#replace({ tenantId, program, worker, timer });
  }

  async #replace(next: KeptWorker | null): Promise<void> {
    const kept = this.#kept;
    this.#kept = next;
    clearTimeout(kept?.timer);
    await kept?.worker.close();
  }
}

import { delay, once } from '../../domain/async.js';
import { asError } from '../../domain/errors.js';
import type { Log } from './options.js';

/** A server process that is up and was seen to answer. */
export interface Running {
  readonly pid: number;
  /** How it ended, in words; resolves when it is gone, whoever ended it. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
}

/** `broken`: it died more than five times in two minutes, and is tried again only now and then. */
export type ServerState = 'ready' | 'backoff' | 'starting' | 'broken' | 'stopped';

/** A server that is restarted whenever it ends. */
export interface Supervised {
  readonly state: ServerState;
  /** Null while it is down. */
  readonly pid: number | null;
  /** Called after each restart, when the server answers again, until the returned function is called. */
  onRestart(listener: () => void): () => void;
  /** Ends the server where it is up, for who knows that it hangs; it is then started again as after any other end. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The waits between restarts, in milliseconds. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** A server that was up for this long had recovered: the next death starts with `firstMs` again. */
  readonly steadyMs: number;
}

/** Short enough that a crash is hardly noticed, long enough that a server that cannot start costs nothing. */
export const DEFAULT_BACKOFF: Backoff = { firstMs: 200, maxMs: 30_000, steadyMs: 60_000 };

const BROKEN_DEATHS = 5;
const BROKEN_WITHIN_MS = 120_000;

export interface Supervision {
  readonly name: string;
  /** Starts the server and resolves when it answers; rejects when it could not, with nothing left running. */
  readonly launch: (signal: AbortSignal) => Promise<Running>;
  readonly log: Log;
  /** Ends the first start early; what is up by then is ended by `close`. */
  readonly signal: AbortSignal;
  readonly backoff?: Backoff;
}

/**
 * Starts a server and keeps it up: whenever it ends, with whatever exit code, it is started again after a wait that
 * doubles from 0.2 s to 30 s. The first start is not repeated: its failure is the caller's to tell.
 */
export async function supervise(supervision: Supervision): Promise<Supervised> {
  const first = await supervision.launch(supervision.signal);
  return new Supervisor(supervision, first);
}

class Supervisor implements Supervised {
  readonly #supervision: Supervision;
  readonly #backoff: Backoff;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #watching: Promise<void>;
  #running: Running | null;
  #state: ServerState = 'ready';

  constructor(supervision: Supervision, first: Running) {
    this.#supervision = supervision;
    this.#backoff = supervision.backoff ?? DEFAULT_BACKOFF;
    this.#running = first;
    this.#watching = this.#watch(first);
  }

  get state(): ServerState {
    return this.#state;
  }

  get pid(): number | null {
    return this.#running?.pid ?? null;
  }

  onRestart(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async restart(): Promise<void> {
    await this.#running?.stop();
  }

  readonly close = once(async () => {
    this.#closing.abort(new Error(`${this.#supervision.name} is stopping`));
    await this.#running?.stop();
    await this.#watching;
    this.#state = 'stopped';
  });

  /** Waits for the server to end, and starts it again, until `close`. */
  async #watch(first: Running): Promise<void> {
    const { name, launch, log } = this.#supervision;
    const { signal } = this.#closing;
    const deaths: number[] = [];
    let running: Running | null = first;
    let upSince = performance.now();
    let attempt = 0;
    let reason = '';
    while (true) {
      if (running !== null) {
        reason = await running.ended;
        this.#running = null;
        if (performance.now() - upSince >= this.#backoff.steadyMs) attempt = 0;
      }
      if (signal.aborted) return;
      const waitMs = this.#waitMs(attempt);
      attempt += 1;
      deaths.push(performance.now());
      this.#state = isBroken(deaths) ? 'broken' : 'backoff';
      log.warn({ part: name, reason, attempt, waitMs, state: this.#state }, `${name} is down and will be restarted`);
      await delay(waitMs, signal);
      if (signal.aborted) return;
      if (this.#state !== 'broken') this.#state = 'starting';
      try {
        running = await launch(signal);
      } catch (thrown) {
        running = null;
        reason = asError(thrown).message;
        continue;
      }
      upSince = performance.now();
      this.#running = running;
      // close() ended while this start was under way: nobody else would stop it.
      if (signal.aborted) await running.stop();
      else this.#announce(running.pid, attempt);
    }
  }

  #announce(pid: number, attempt: number): void {
    const { name, log } = this.#supervision;
    this.#state = 'ready';
    log.info({ part: name, pid, attempt }, `${name} is up again`);
    for (const listener of this.#listeners) listener();
  }

  /** Doubling, between half and the whole of the step, so that several gateways do not restart in step. */
  #waitMs(attempt: number): number {
    const { firstMs, maxMs } = this.#backoff;
    return Math.round(Math.min(maxMs, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2));
  }
}

/** Forgets the deaths that are too old to count. */
function isBroken(deaths: number[]): boolean {
  const since = performance.now() - BROKEN_WITHIN_MS;
  while (deaths[0] !== undefined && deaths[0] < since) deaths.shift();
  return deaths.length > BROKEN_DEATHS;
}

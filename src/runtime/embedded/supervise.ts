import { delay, jittered, Listeners, once } from '../../domain/async.js';
import { asError } from '../../domain/errors.js';
import type { Log } from '../../domain/ports/log.js';

/** A server process that has answered. */
export interface Running {
  readonly pid: number;
  /** Resolves when the process has ended, for whatever reason, with a description. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
}

/** `broken`: it ended more than five times in two minutes; restarts continue with the longest delay. */
export type ServerState = 'ready' | 'backoff' | 'starting' | 'broken' | 'stopped';

export interface Supervised {
  readonly state: ServerState;
  /** Null while it is down. */
  readonly pid: number | null;
  /** Called after each restart, once the server answers; returns the function that unsubscribes. */
  onRestart(listener: () => void): () => void;
  /** Ends a server that hangs; it is restarted as after any other end. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** After this uptime the next delay is `firstMs` again. */
  readonly steadyMs: number;
}

const DEFAULT_BACKOFF: Backoff = { firstMs: 200, maxMs: 30_000, steadyMs: 60_000 };

const BROKEN_ENDS = 5;
const BROKEN_WITHIN_MS = 120_000;

export interface Supervision {
  readonly name: string;
  /** Starts the server; resolves when it answers. If it rejects, no process is left. */
  readonly launch: (signal: AbortSignal) => Promise<Running>;
  readonly log: EmbeddedLog;
  /** Aborts the first start. */
  readonly signal: AbortSignal;
  readonly backoff?: Backoff;
}

/**
 * Starts a server, and restarts it whenever it ends, after a delay that doubles from 0.2 s to 30 s. The first start is
 * not repeated: its error is thrown.
 */
export async function supervise(supervision: Supervision): Promise<Supervised> {
  const first = await supervision.launch(supervision.signal);
  return new Supervisor(supervision, first);
}

class Supervisor implements Supervised {
  readonly #backoff: Backoff;
  readonly #closing = new AbortController();
  readonly #restarted = new Listeners();
  readonly onRestart = this.#restarted.add;
  readonly #watching: Promise<void>;
  #running: Running | null;
  #state: ServerState = 'ready';

  constructor(
    private readonly supervision: Supervision,
    first: Running,
  ) {
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

  async restart(): Promise<void> {
    await this.#running?.stop();
  }

  readonly close = once(async () => {
    this.#closing.abort(new Error(`${this.supervision.name} is stopping`));
    await this.#running?.stop();
    await this.#watching;
    this.#state = 'stopped';
  });

  async #watch(first: Running): Promise<void> {
    const { name, launch, log } = this.supervision;
    const { signal } = this.#closing;
    const ends: number[] = [];
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
      ends.push(performance.now());
      this.#state = isBroken(ends) ? 'broken' : 'backoff';
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
      // Closed during this start: nothing else would stop the process.
      if (signal.aborted) await running.stop();
      else this.#announce(running.pid, attempt);
    }
  }

  #announce(pid: number, attempt: number): void {
    const { name, log } = this.supervision;
    this.#state = 'ready';
    log.info({ part: name, pid, attempt }, `${name} is up again`);
    this.#restarted.notify();
  }

  /** Doubles; with jitter, so that several gateways do not restart simultaneously. */
  #waitMs(attempt: number): number {
    const { firstMs, maxMs } = this.#backoff;
    return jittered(Math.min(maxMs, firstMs * 2 ** attempt));
  }
}

/** Recovery of a database replays at most `max_wal_size`, which takes seconds; after this a server hangs. */
const READY_DEADLINE_MS = 60_000;

/** Polls `problem` until it is null. Rejects if the server ends first, the signal aborts, or the deadline passes. */
export async function untilReady(
  { ended, tail }: { readonly ended: Promise<string>; readonly tail: () => string },
  problem: () => Promise<string | null>,
  signal: AbortSignal,
): Promise<void> {
  let end: string | null = null;
  void ended.then((how) => {
    end = how;
  });
  let last: string | null = null;
  for (const until = performance.now() + READY_DEADLINE_MS; performance.now() < until; await delay(25, signal)) {
    signal.throwIfAborted();
    if (end !== null) throw new Error(`${end}\n${tail()}`);
    last = await problem();
    if (last === null) return;
  }
  throw new Error(`not ready after ${READY_DEADLINE_MS} ms: ${last}\n${tail()}`);
}

/** Removes old entries from `ends`. */
function isBroken(ends: number[]): boolean {
  const since = performance.now() - BROKEN_WITHIN_MS;
  while (ends[0] !== undefined && ends[0] < since) ends.shift();
  return ends.length > BROKEN_ENDS;
}

export type EmbeddedLog = Pick<Log, 'debug' | 'info' | 'warn'>;

export interface EmbeddedOptions {
  /** The server's own folder, created if missing. The data directory above it must be locked. */
  readonly dataDir: string;
  readonly log: EmbeddedLog;
  /** Aborts a start; the process is stopped before the rejection. */
  readonly signal: AbortSignal;
}

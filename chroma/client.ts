import { ChromaClient } from 'chromadb';
import { Agent } from 'undici';
import { Listeners, within } from '../src/domain/async.js';
import { asError, IndexLostError, UnavailableError } from '../src/domain/errors.js';
import { type ChromaAccess, expectDatabase, limitsOf, type ServerLimits, serverAt } from './address.js';
import { Breaker } from './breaker.js';
import { isServerFault, translated, UnsettledError, unexpectedResponse } from './errors.js';

/**
 * `background`: a read that no search waits for, which has as long as a write. `load`: the first query of a collection
 * after the server's start.
 */
export type CallMode = 'read' | 'background' | 'write' | 'load';

/** Deadlines of calls, in milliseconds. */
export type Deadlines = Readonly<Record<Exclude<CallMode, 'background'>, number>>;

/**
 * The client itself has no timeout. Re-upserting 250 records took up to 4 s on a busy disk; repeating a batch after the
 * deadline is harmless. Loading a collection adds up to 1,000 records that are not yet in its graph, which took .1 s
 * each on a busy machine with 50,000 cards on 180 topics: with a shorter deadline a gateway would not start again.
 */
export const DEADLINES: Deadlines = { read: 1_500, write: 30_000, load: 300_000 };

/** A server without authentication. */
const OPEN: ChromaAccess = { apiKey: null, tenant: null, database: null, cloud: false };

/** Connection to a Chroma server. Every call has a deadline, and every failure is an {@link ErrataError}. */
export class ChromaConnection {
  readonly #agents: Readonly<Record<CallMode, Agent>>;
  readonly #breaker = new Breaker(() => this.ping());
  readonly #lost = new Listeners();
  readonly #stuck = new Listeners();
  readonly #loaded = new Listeners();
  readonly #restarted = new Listeners();
  /** Adds a listener for each time the server answers again after an outage. */
  readonly onRecovery = this.#breaker.onRecovery;
  /**
   * Adds a listener for each minute without answers to probes that a patient ping does not end, and each time that
   * writes or loads keep failing.
   */
  readonly onStuck = this.#stuck.add;
  /** Adds a listener for each call that finds that the server lost data. */
  readonly onLoss = this.#lost.add;
  /** Adds a listener for each load that ends after a read has given up waiting for it. */
  readonly onLoaded = this.#loaded.add;
  /** Adds a listener for each restart of the server. */
  readonly onRestart = this.#restarted.add;
  /** By mode: when a call failed that no successful one has followed. */
  readonly #failingSince = new Map<CallMode, number>();
  #clients: (Readonly<Record<CallMode, ChromaClient>> & { readonly url: string }) | undefined;

  /** @param urlNow called before each call: the port of a restarted server may change. */
  constructor(
    private readonly urlNow: () => string,
    private readonly access: ChromaAccess = OPEN,
    private readonly deadlines: Deadlines = DEADLINES,
  ) {
    // Probes have the deadline of reads, which a starved server misses: a restart would make it load everything again.
    this.#breaker.onStuck(() => void this.ping('background').catch(() => this.#reportStuck()));
    const { read, write, load } = deadlines;
    this.#agents = { read: agent(read), background: agent(write), write: agent(write), load: agent(load) };
  }

  get url(): string {
    return this.urlNow();
  }

  get limits(): ServerLimits {
    return limitsOf(this.access);
  }

  /**
   * Runs a call against the server. UnavailableError if it does not answer, immediately while the circuit breaker is
   * open; IndexLostError if data are lost.
   *
   * @param settle waits for concurrent writes; after an {@link UnsettledError} the call is repeated once, after them.
   */
  async call<T>(
    mode: CallMode,
    run: (client: ChromaClient) => Promise<T>,
    settle?: () => Promise<unknown>,
  ): Promise<T> {
    try {
      return await this.#breaker.run(() => (isWatched(mode) ? this.#watched(mode, run) : this.#attempt(mode, run)));
    } catch (thrown) {
      if (settle !== undefined && thrown instanceof UnsettledError) {
        await settle();
        return this.call(mode, run);
      }
      if (thrown instanceof IndexLostError) this.#lost.notify();
      throw thrown;
    }
  }

  /**
   * Waits for the load of a collection for as long as a read may take: UnavailableError after that, and immediately
   * while the circuit breaker is open. The load goes on. A late one says nothing of the server, which answers for other
   * collections meanwhile: only a ping that fails then counts as a failure.
   */
  async waitAsForRead<T>(load: Promise<T>): Promise<T> {
    this.#breaker.refuseIfOpen();
    const late = (): Error => {
      load.then(() => this.#loaded.notify()).catch(() => undefined);
      void this.#breaker.run(() => this.ping()).catch(() => undefined);
      return new UnavailableError('chroma', 'the vector server is still loading the collection');
    };
    return within({ ms: this.deadlines.read, late }, () => load);
  }

  /**
   * Resolves if the server answers, bypassing the circuit breaker; UnavailableError otherwise. Also queries its
   * database: the heartbeat still works if that hangs.
   */
  async ping(mode: 'read' | 'background' = 'read'): Promise<void> {
    const beat = await this.#attempt(mode, (client) => client.heartbeat());
    if (typeof beat !== 'number') throw unexpectedResponse('no heartbeat');
    await this.#attempt(mode, (client) => client.countCollections());
  }

  /** As {@link ping}; UnavailableError also if the server does not have the configured tenant and database. */
  async open(): Promise<void> {
    await this.ping();
    const server = serverAt(this.url, this.access, this.#agents.read);
    await this.#attempt('read', () => expectDatabase(server, this.access));
  }

  /** Closes the circuit breaker after a restart of the server. */
  cameBack(): void {
    this.#failingSince.clear();
    this.#restarted.notify();
    this.#breaker.reset();
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#agents).map((one) => one.destroy()));
  }

  /**
   * A load has minutes: one that exceeds its deadline tells that the server is stuck. So do writes that fail for as
   * long as one may take, by their deadline or with server errors, and loads with such errors: after its disk had
   * failed for three seconds, Chroma answered heartbeats and queries but no writes any more, and after its files were
   * removed it failed every write or every load. After such a write, a load has only as long as the next write would
   * have, which waits for it. Slow queries are not counted: they wait while a collection is loaded.
   */
  async #watched<T>(mode: 'write' | 'load', run: (client: ChromaClient) => Promise<T>): Promise<T> {
    const started = performance.now();
    const asLongAsWrite = (): void => {
      if (this.#failingSince.has('write')) this.#reportStuck();
    };
    const patience = mode === 'load' ? setTimeout(asLongAsWrite, this.deadlines.write) : undefined;
    try {
      const answer = await this.#attempt(mode, run);
      this.#failingSince.delete(mode);
      return answer;
    } catch (thrown) {
      const now = performance.now();
      const isLate = now - started >= this.deadlines[mode];
      if (isLate || isServerFault(thrown)) {
        if (!this.#failingSince.has(mode)) this.#failingSince.set(mode, now);
        // Of the other mode too: no write may be tried while loads fail, even if some of them succeed.
        const since = Math.min(...this.#failingSince.values());
        if ((mode === 'load' && isLate) || now - since >= this.deadlines.write) this.#reportStuck();
      }
      throw thrown;
    } finally {
      clearTimeout(patience);
    }
  }

  #reportStuck(): void {
    this.#failingSince.clear();
    this.#stuck.notify();
  }

  async #attempt<T>(mode: CallMode, run: (client: ChromaClient) => Promise<T>): Promise<T> {
    try {
      return await run(this.#client(mode));
    } catch (thrown) {
      throw translated(asError(thrown));
    }
  }

  #client(mode: CallMode): ChromaClient {
    const url = this.urlNow();
    if (this.#clients?.url !== url) {
      const make = (dispatcher: Agent): ChromaClient => {
        const { tenant, database } = this.access;
        return new ChromaClient({
          ...serverAt(url, this.access, dispatcher),
          ...(tenant !== null && { tenant }),
          ...(database !== null && { database }),
        });
      };
      const { read, background, write, load } = this.#agents;
      this.#clients = { url, read: make(read), background: make(background), write: make(write), load: make(load) };
    }
    return this.#clients[mode];
  }
}

function agent(deadlineMs: number): Agent {
  return new Agent({ connectTimeout: deadlineMs, headersTimeout: deadlineMs, bodyTimeout: deadlineMs });
}

function isWatched(mode: CallMode): mode is 'write' | 'load' {
  return mode === 'write' || mode === 'load';
}

import { ChromaClient } from 'chromadb';
import { Agent } from 'undici';
import { asError, IndexLostError, UnavailableError } from '../src/domain/errors.js';
import { Breaker } from './breaker.js';

/** `load`: the first query of a collection after the server's start. */
export type CallMode = 'read' | 'write' | 'load';

/** Deadlines of calls, in milliseconds. */
export type Deadlines = Readonly<Record<CallMode, number>>;

/**
 * The client has no timeout of its own: a server that hangs would hang its callers for ever. A batch of 250 re-upserted
 * records was seen to take 4 s on a busy disk; past the deadline the batch is tried again, harmlessly. Loading a collection
 * adds up to 1,000 records that were not yet in its graph: a tenth of a second each on a busy machine, where 50,000 cards share
 * 180 topics. A gateway that waited for less would not start again.
 */
const DEADLINES: Deadlines = { read: 1_500, write: 30_000, load: 300_000 };

/**
 * How errors of the way to the server, and of a server in trouble (a full disk, a lock, a proxy without its server), read as
 * `name: message`: none of them is the fault of what was sent. An answer that was cut off or stopped coming is a TypeError of
 * fetch without a class of its own; one that is no JSON is a SyntaxError, and one of another shape makes the client, which
 * trusts it, read a property of nothing. The client calls every status that it does not know a server error, those of 400 to
 * 499 too.
 */
const UNAVAILABLE =
  /^ChromaConnectionError|^ChromaRateLimitError|^ChromaServerError: (?!4\d\d: )|SyntaxError: |TypeError: (fetch failed|terminated)$|TypeError: Cannot read properties of (undefined|null)/;

/** Errors of authentication, authorization and quota. */
const REFUSED = /^Chroma(AuthError|ForbiddenError|QuotaExceededError)$/;

/** Credentials and location on an external Chroma server; null: the server's default. */
export interface ChromaAccess {
  /** Sent as `x-chroma-token`. */
  readonly apiKey: string | null;
  readonly tenant: string | null;
  readonly database: string | null;
}

/** A server without authentication. */
const OPEN: ChromaAccess = { apiKey: null, tenant: null, database: null };

/**
 * How a server reads that lost index files or finds them cut off: the query or the read of every record in them fails so, for
 * good. Seen with each of the files cut in half or removed.
 */
const DAMAGED = /EOF while parsing|hnsw|segment reader/i;

/**
 * How reads fail in a collection to which somebody else is writing. Chroma applies a write to the collection's dimensions, then to
 * its metadata, then to its graph: until the first write has made the graph, "nothing" is "found on disk", and a record that the
 * metadata has may not be in the graph yet, or not any more. Every first write of 200 records that was read meanwhile showed it.
 */
const UNSETTLED = /Nothing found on disk|Error finding id|Error getting embedding/;

/**
 * Writes in a row that were waited for in vain until their deadline, after which the server counts as stuck: a minute of them.
 * After its disk had failed for three seconds Chroma was seen to answer heartbeats and questions, and no write any more. Writes
 * that are refused, as on a full disk, are no sign of it, and neither are questions: loading a collection holds those up.
 */
const HUNG_WRITES = 2;

/** A failed read of a collection that is either damaged or being written. */
export class UnsettledError extends IndexLostError {}

/** Connection to a Chroma server. Every call has a deadline, and every failure is an {@link ErrataError}. */
export class ChromaConnection {
  readonly #url: () => string;
  readonly #agents: Readonly<Record<CallMode, Agent>>;
  readonly #breaker = new Breaker({ probe: () => this.ping() });
  readonly #lossListeners = new Set<() => void>();
  readonly #stuckListeners = new Set<() => void>();
  readonly #access: ChromaAccess;
  readonly #deadlines: Deadlines;
  #hungWrites = 0;
  #clients: (Readonly<Record<CallMode, ChromaClient>> & { readonly url: string }) | undefined;

  /** @param url called before each call: the port of a restarted server may change. */
  constructor(url: () => string, access: ChromaAccess = OPEN, deadlines: Deadlines = DEADLINES) {
    this.#url = url;
    this.#access = access;
    this.#deadlines = deadlines;
    this.#breaker.onStuck(() => this.#isStuck());
    this.#agents = { read: agent(deadlines.read), write: agent(deadlines.write), load: agent(deadlines.load) };
  }

  get url(): string {
    return this.#url();
  }

  /**
   * Runs a call against the server. UnavailableError if it does not answer, immediately while the circuit breaker is open;
   * IndexLostError if data are lost.
   *
   * @param settle waits for the writes that are under way: an {@link UnsettledError} counts only if the call still fails so
   *   after them too.
   */
  async call<T>(
    mode: CallMode,
    run: (client: ChromaClient) => Promise<T>,
    settle?: () => Promise<unknown>,
  ): Promise<T> {
    try {
      return await this.#breaker.run(() => (mode === 'write' ? this.#write(run) : this.#attempt(mode, run)));
    } catch (thrown) {
      if (settle !== undefined && thrown instanceof UnsettledError) {
        await settle();
        return this.call(mode, run);
      }
      if (thrown instanceof IndexLostError) for (const listener of this.#lossListeners) listener();
      throw thrown;
    }
  }

  /**
   * Resolves if the server answers, bypassing the circuit breaker; UnavailableError otherwise. Also queries its database: the
   * heartbeat still works if that hangs.
   */
  async ping(): Promise<void> {
    const beat = await this.#attempt('read', (client) => client.heartbeat());
    if (typeof beat !== 'number') throw nonsense('no heartbeat');
    await this.#attempt('read', (client) => client.countCollections());
  }

  /** Closes the circuit breaker after a restart of the server. */
  cameBack(): void {
    this.#breaker.reset();
  }

  /** Called when the server answers again after an outage, until the returned function is called. */
  onRecovery(listener: () => void): () => void {
    return this.#breaker.onRecovery(listener);
  }

  /** Called for each minute without answers to probes or writes, until the returned function is called. */
  onStuck(listener: () => void): () => void {
    this.#stuckListeners.add(listener);
    return () => void this.#stuckListeners.delete(listener);
  }

  /** Called whenever a call finds that the server lost data, until the returned function is called. */
  onLoss(listener: () => void): () => void {
    this.#lossListeners.add(listener);
    return () => void this.#lossListeners.delete(listener);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#agents).map((one) => one.destroy()));
  }

  async #write<T>(run: (client: ChromaClient) => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      const answer = await this.#attempt('write', run);
      this.#hungWrites = 0;
      return answer;
    } catch (thrown) {
      if (performance.now() - started >= this.#deadlines.write) {
        this.#hungWrites += 1;
        if (this.#hungWrites >= HUNG_WRITES) this.#isStuck();
      }
      throw thrown;
    }
  }

  #isStuck(): void {
    this.#hungWrites = 0;
    for (const listener of this.#stuckListeners) listener();
  }

  async #attempt<T>(mode: CallMode, run: (client: ChromaClient) => Promise<T>): Promise<T> {
    try {
      return await run(this.#client(mode));
    } catch (thrown) {
      throw translate(asError(thrown));
    }
  }

  #client(mode: CallMode): ChromaClient {
    const url = this.#url();
    if (this.#clients?.url !== url) {
      const make = (dispatcher: Agent): ChromaClient => {
        const { protocol, hostname, port } = new URL(url);
        const ssl = protocol === 'https:';
        const { apiKey, tenant, database } = this.#access;
        // Node's fetch takes a dispatcher; its published type does not name it.
        const fetchOptions: object = { dispatcher };
        return new ChromaClient({
          host: hostname,
          port: Number(port || (ssl ? 443 : 80)),
          ssl,
          fetchOptions,
          ...(apiKey !== null && { headers: { 'x-chroma-token': apiKey } }),
          ...(tenant !== null && { tenant }),
          ...(database !== null && { database }),
        });
      };
      const { read, write, load } = this.#agents;
      this.#clients = { url, read: make(read), write: make(write), load: make(load) };
    }
    return this.#clients[mode];
  }
}

function agent(deadlineMs: number): Agent {
  return new Agent({ connectTimeout: deadlineMs, headersTimeout: deadlineMs, bodyTimeout: deadlineMs });
}

/** An unexpected response of Chroma. */
export function nonsense(what: string): UnavailableError {
  return new UnavailableError('chroma', `unexpected response: ${what}`);
}

/** The client's error classes share no base and its connection errors have no cause: only the name distinguishes them. */
function translate(error: Error): Error {
  if (error instanceof UnavailableError) return error;
  if (REFUSED.test(error.name)) {
    return new UnavailableError('chroma', 'the vector server refused the credentials of this gateway', {
      cause: error,
    });
  }
  if (UNSETTLED.test(error.message)) {
    return new UnsettledError('a collection of the index is damaged', { cause: error });
  }
  if (DAMAGED.test(error.message)) {
    return new IndexLostError('a collection of the index is damaged', { cause: error });
  }
  if (UNAVAILABLE.test(`${error.name}: ${error.message}`)) {
    return new UnavailableError('chroma', 'the vector server does not answer', { cause: error });
  }
  if (error.name === 'ChromaNotFoundError') {
    return new IndexLostError('a collection of the index is missing', { cause: error });
  }
  return error;
}

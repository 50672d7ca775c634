import { ChromaClient } from 'chromadb';
import { Agent } from 'undici';
import { asError, IndexLostError, UnavailableError } from '../src/errors.js';

/** What a call does: `load` is the first query of a collection after the server's start. */
export type CallMode = 'read' | 'write' | 'load';

/** How long a call may wait for the server, in milliseconds, by what the call does. */
export type Deadlines = Readonly<Record<CallMode, number>>;

/**
 * The client has no timeout of its own: a server that hangs would hang its callers for ever. A batch of 250 re-upserted
 * records was seen to take 4 s on a busy disk; past the deadline the batch is tried again, harmlessly. Loading a collection
 * adds up to 1,000 records that were not yet in its graph: a tenth of a second each on a busy machine, where 50,000 cards share
 * 180 topics. A gateway that waited for less would not start again.
 */
const DEADLINES: Deadlines = { read: 1_500, write: 30_000, load: 300_000 };

/**
 * How errors of the way to the server read, as `name: message`: no connection, too many calls, a proxy without its server,
 * and the answer that was cut off or stopped coming, which fetch gives as a TypeError without a class of its own.
 */
const UNAVAILABLE =
  /^ChromaConnectionError|^ChromaRateLimitError|^ChromaServerError: 50[234]:|TypeError: (fetch failed|terminated)$/;

/** A Chroma server, wherever it listens just now. Every call has a deadline, and every failure is one of ours. */
export class ChromaConnection {
  readonly #url: () => string;
  readonly #agents: Readonly<Record<CallMode, Agent>>;
  #clients: (Readonly<Record<CallMode, ChromaClient>> & { readonly url: string }) | undefined;

  /** @param url asked before each call: a server that was restarted may have moved. */
  constructor(url: () => string, deadlines: Deadlines = DEADLINES) {
    this.#url = url;
    this.#agents = { read: agent(deadlines.read), write: agent(deadlines.write), load: agent(deadlines.load) };
  }

  /** Runs a call against the server. UnavailableError where it does not answer, IndexLostError where it lost the data. */
  async call<T>(mode: CallMode, run: (client: ChromaClient) => Promise<T>): Promise<T> {
    try {
      return await run(this.#client(mode));
    } catch (thrown) {
      throw translate(asError(thrown));
    }
  }

  /** Answers when the server does; UnavailableError otherwise. */
  async ping(): Promise<void> {
    await this.call('read', (client) => client.heartbeat());
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#agents).map((one) => one.destroy()));
  }

  #client(mode: CallMode): ChromaClient {
    const url = this.#url();
    if (this.#clients?.url !== url) {
      const make = (dispatcher: Agent): ChromaClient => {
        const { protocol, hostname, port } = new URL(url);
        const ssl = protocol === 'https:';
        // Node's fetch takes a dispatcher; its published type does not name it.
        const fetchOptions: object = { dispatcher };
        return new ChromaClient({ host: hostname, port: Number(port || (ssl ? 443 : 80)), ssl, fetchOptions });
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

/** The client's error classes share no base and its connection errors carry no cause: the name is what there is. */
function translate(error: Error): Error {
  if (error instanceof UnavailableError) return error;
  if (UNAVAILABLE.test(`${error.name}: ${error.message}`)) {
    return new UnavailableError('chroma', 'the vector server does not answer', { cause: error });
  }
  if (error.name === 'ChromaNotFoundError') {
    return new IndexLostError('a collection of the index is missing', { cause: error });
  }
  // An index file that was cut off while it was written fails every query of its collection in this way.
  if (/EOF while parsing|hnsw|segment reader/i.test(error.message)) {
    return new IndexLostError('a collection of the index is damaged', { cause: error });
  }
  return error;
}

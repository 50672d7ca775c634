import { Agent } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { delay } from '../../src/domain/async.js';
import { asError } from '../../src/domain/errors.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase } from '../support/gateway-database.js';
import { idsOf, indexed, search } from '../support/notebook.js';
import { type Reply, send } from '../support/send.js';
import { until } from '../support/until.js';

const CLIENTS = 4;

/**
 * Between two requests of a client: the cards have to be indexed, too, and a gateway to start beside three others,
 * without a search that takes longer than its deadline.
 */
const PAUSE_MS = 50;

/** How often a proxy asks whether a gateway is ready; what DRAIN_SECONDS has to be longer than. */
const LOOK_MS = 200;

/** How long requests are waited for before and after all restarts. */
const CALM_MS = 1_000;

interface Replica {
  readonly gateway: Gateway;
  readonly agent: Agent;
  isReady: boolean;
}

/** What a request may be answered. */
interface Answered {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly unknown[];
}

/** Sends each request to the next gateway that is ready, over kept connections, as a proxy does. */
class RoundRobin {
  readonly #replicas = new Set<Replica>();
  readonly #looking = new AbortController();
  #watching: Promise<void> | undefined;
  #turn = 0;

  add(gateway: Gateway): Replica {
    const replica = { gateway, agent: new Agent({ keepAlive: true }), isReady: true };
    this.#replicas.add(replica);
    this.#watching ??= this.#watch();
    return replica;
  }

  remove(replica: Replica): void {
    this.#replicas.delete(replica);
    replica.agent.destroy();
  }

  /** Rejects where no answer came. */
  async send(query: string, variables: Readonly<Record<string, unknown>>, key: string): Promise<Reply<Answered>> {
    const all = [...this.#replicas];
    const ready = all.filter(({ isReady }) => isReady);
    // On a busy machine PostgreSQL may answer none of their probes in time.
    const usable = ready.length > 0 ? ready : all;
    this.#turn += 1;
    const { gateway, agent } = usable[this.#turn % usable.length] as Replica;
    return send<Answered>(gateway.url, { agent, body: { query, variables }, headers: { 'idempotency-key': key } });
  }

  async close(): Promise<void> {
    this.#looking.abort();
    await this.#watching;
    for (const replica of this.#replicas) this.remove(replica);
  }

  async #watch(): Promise<void> {
    const look = async (replica: Replica): Promise<void> => {
      // What does not answer is as little ready as what says so.
      const reply = await fetch(new URL('/readyz', replica.gateway.url)).catch(() => null);
      replica.isReady = reply?.status === 200;
    };
    for (const { signal } = this.#looking; !signal.aborted; await delay(LOOK_MS, signal)) {
      await Promise.all([...this.#replicas].map(look));
    }
  }
}

/** What the clients of a rolling restart saw. */
interface Seen {
  /** The ids that creations were acknowledged with, each with its question. */
  readonly created: Map<string, string>;
  readonly searched: number;
  /** Requests that got no answer, or a refusal, by what was said. */
  readonly failures: readonly string[];
}

const undos: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

/**
 * Three gateways on one database, each in turn stopped and replaced, while clients create and search without a pause. A
 * client asks again, with the same key, where `asksAgain`, or if the machine is too busy to answer in time; what it
 * then gets is no failure.
 */
async function rolled(
  database: TestDatabase,
  { drainSeconds, asksAgain }: { readonly drainSeconds: number; readonly asksAgain: boolean },
): Promise<Seen & { readonly last: Gateway }> {
  const start = async (): Promise<Gateway> => {
    const gateway = await startGateway({ database, env: { DRAIN_SECONDS: `${drainSeconds}` } });
    undos.push(() => gateway.close());
    await gateway.ready();
    return gateway;
  };
  const proxy = new RoundRobin();
  undos.push(() => proxy.close());
  const replicas = (await Promise.all([start(), start(), start()])).map((gateway) => proxy.add(gateway));

  const created = new Map<string, string>();
  const failures: string[] = [];
  let searched = 0;
  let next = 0;
  const asked = async (query: string, variables: Readonly<Record<string, unknown>>): Promise<Answered | null> => {
    const key = `request-${next++}`;
    for (const end = performance.now() + 30_000; ; await delay(LOOK_MS)) {
      const reply = await proxy.send(query, variables, key).catch(asError);
      if (!(reply instanceof Error) && reply.body.errors === undefined) return reply.body;
      const failure = reply instanceof Error ? reply.message : JSON.stringify(reply.body.errors);
      // A search may be late on a machine on which gateways start, but it was answered.
      const isLate = failure.includes('"DEADLINE_EXCEEDED"');
      if ((asksAgain || isLate) && performance.now() < end) continue;
      failures.push(failure);
      return null;
    }
  };
  const client = async (name: number): Promise<void> => {
    for (let turn = 0; !done.signal.aborted; turn += 1, await delay(PAUSE_MS)) {
      const questionText = `client ${name} asks in turn ${turn} how many pears there are`;
      if (turn % 2 === 0) {
        const input = { subject: 'math', difficulty: 3, questionText };
        const data = (await asked(CREATE, { input }))?.data as { createCard: { id: string } } | undefined;
        if (data !== undefined) created.set(data.createCard.id, questionText);
      } else if ((await asked(SEARCH, { text: questionText })) !== null) searched += 1;
    }
  };
  const done = new AbortController();
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)));
  let last: Gateway | undefined;
  try {
    await delay(CALM_MS);
    for (const replica of replicas) {
      replica.gateway.kill('SIGTERM');
      expect(await replica.gateway.exited).toEqual({ code: null, signal: 'SIGTERM' });
      proxy.remove(replica);
      last = await start();
      proxy.add(last);
    }
    await delay(CALM_MS);
  } finally {
    done.abort();
    await clients;
  }
  if (last === undefined) throw new Error('nothing was restarted');
  return { created, searched, failures, last };
}

const CREATE = 'mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }';
const SEARCH = 'query ($text: String!) { similarQuestions(text: $text) { hits { card { id } } } }';

describe('three gateways that are restarted one after the other under load', () => {
  /** Every creation that was acknowledged is one card, which is found; there are no others. */
  async function expectWhole({ created, searched, last }: Awaited<ReturnType<typeof rolled>>): Promise<void> {
    expect(searched).toBeGreaterThan(0);
    expect(created.size).toBeGreaterThan(0);
    // What a stopped gateway had claimed it has given back: nobody waits for a lease to end.
    await indexed(last);
    const { data } = await last.gql<{ indexStatus: unknown }>('{ indexStatus { cards indexed failed } }');
    expect(data?.indexStatus).toEqual({ cards: created.size, indexed: created.size, failed: 0 });
    for (const [id, text] of [...created].filter((_, place) => place % 7 === 0)) {
      const found = async () => idsOf(await search(last, 'similarQuestions', { text, topK: 10 })).includes(id);
      await until(found, { deadlineMs: 30_000, what: `${id} to be found` });
    }
  }

  test('lose no request of clients without retries, if each drains until the proxy has noticed', async () => {
    const database = await gatewayDatabase();
    undos.push(() => database.drop());
    // The proxy is in this process, which a busy machine may not run for some seconds.
    const seen = await rolled(database, { drainSeconds: 6, asksAgain: false });
    expect(seen.failures).toEqual([]);
    await expectWhole(seen);
  });

  test('lose nothing and do nothing twice without draining, for clients that retry with their key', async () => {
    const database = await gatewayDatabase();
    undos.push(() => database.drop());
    const seen = await rolled(database, { drainSeconds: 0, asksAgain: true });
    expect(seen.failures).toEqual([]);
    await expectWhole(seen);
  });
});

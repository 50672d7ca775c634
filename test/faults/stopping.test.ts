import { Agent } from 'node:http';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { delay } from '../../src/domain/async.js';
import { describeOwnChroma, removeFolder, temporaryFolder } from '../support/embedded.js';
import { type Gateway, type GraphQLProblem, spawnGateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, testChroma } from '../support/gateway-database.js';
import { createCard, idsOf, indexed, search } from '../support/notebook.js';
import { send } from '../support/send.js';
import { until } from '../support/until.js';
import { holding } from '../unit/chroma/holding.js';
import { withPostgres } from './support/releases.js';
import { wordOf } from './support/world.js';

const REQUESTS = 50;
const ROWS = 2_000;

/**
 * Where a start is stopped: before it runs, and on the way through its steps, which take some seconds at the first
 * start.
 */
const STOP_AFTER_MS = [0, 300, 600, 900, 1_300, 1_800, 2_400];

/** What `CLOSE_DEADLINE_MS` of `src/main.ts` allows, and the end of the process. */
const MAX_CLOSE_MS = 15_000;

let dataDir: string;
const open: Gateway[] = [];
beforeEach(async () => {
  dataDir = await temporaryFolder();
});
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close();
  await removeFolder(dataDir);
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const gateway = await startGateway({ embedded: true, dataDir, env });
  open.push(gateway);
  return gateway;
}

/** What a request may be answered. */
interface Answered {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLProblem[];
}

const CREATE = 'mutation ($input: CreateCardInput!) { createCard(input: $input, waitForIndex: true) { id } }';
const SEARCH = 'query ($text: String!) { hybridSearch(text: $text) { hits { card { id } } } }';

describeOwnChroma('a gateway that is told to stop', () => {
  test(`amid ${REQUESTS} requests over kept connections, an import and a batch: answers or refuses each, gives its claims back, and leaves nothing running`, async () => {
    const gateway = await start();
    await createCard(gateway, { id: 'before', questionText: 'A kite flies at 40 metres' }, true);
    const lines = Array.from({ length: ROWS }, (_, place) => {
      const questionText = `${wordOf(place)} has how many pears in row ${place}?`;
      return `${JSON.stringify({ subject: 'math', difficulty: 2, questionText })}\n`;
    });
    const imported = await fetch(new URL('/import?name=rows.jsonl', gateway.url), {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.join(''),
    });
    expect(imported.status).toBe(202);
    const { importJob } = (await imported.json()) as { importJob: { id: string } };
    const pending = async (): Promise<boolean> => {
      const { data } = await gateway.gql<{ indexStatus: { pending: number } }>('{ indexStatus { pending } }');
      return (data?.indexStatus.pending ?? 0) > 0;
    };
    // A process of low priority reads the file.
    await until(pending, { deadlineMs: 120_000, what: 'the indexer to have something to do' });

    const agent = new Agent({ keepAlive: true, maxSockets: REQUESTS });
    await Promise.all(
      Array.from({ length: REQUESTS }, () => send(new URL('/livez', gateway.url), { agent, body: null })),
    );
    let answered = 0;
    const asked = Array.from({ length: REQUESTS }, (_, place) => {
      const text = `${wordOf(place)} asks for apples`;
      const input = { id: `stop-${place}`, subject: 'math', difficulty: 3, questionText: text };
      const body = place % 2 === 0 ? { query: CREATE, variables: { input } } : { query: SEARCH, variables: { text } };
      return send<Answered>(gateway.url, { agent, body }).finally(() => {
        answered += 1;
      });
    });
    await Promise.race(asked);
    const underWay = REQUESTS - answered;
    gateway.kill('SIGTERM');
    const replies = await Promise.all(asked);
    expect(underWay).toBeGreaterThan(0);
    const clean = [isAnswer, isRefusal, isLate, isTooMuch];
    expect(replies.filter(({ status, body }) => !clean.some((is) => is(status, body)))).toEqual([]);
    expect(await gateway.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(gateway.output()).not.toContain('not clean');
    agent.destroy();
    // Also waits for its servers to be gone.
    await gateway.close();

    expect(await withPostgres(dataDir, claimed)).toEqual([]);
    const again = await start();
    const done = async (): Promise<boolean> => {
      const query = 'query ($id: ID!) { importJob(id: $id) { state created } }';
      const { data } = await again.gql<{ importJob: { state: string; created: number } }>(query, { id: importJob.id });
      return data?.importJob.state === 'DONE' && data.importJob.created === ROWS;
    };
    await until(done, { deadlineMs: 120_000, what: 'the import to go on to its end' });
    await indexed(again);
    for (const [place, { status, body }] of replies.entries()) {
      if (place % 2 === 1) continue;
      const { data } = await again.gql<{ card: unknown }>('query ($id: ID!) { card(id: $id) { id } }', {
        id: `stop-${place}`,
      });
      if (!isLate(status, body)) expect(data?.card !== null).toBe(isAnswer(status, body));
    }
    expect(idsOf(await search(again, 'similarQuestions', { text: 'A kite flies at 40 metres' }))[0]).toBe('before');
  });

  test('while Chroma hangs during a write, ends within its deadline, and releases the claim', async () => {
    const database = await gatewayDatabase();
    const chroma = await holding(testChroma(), /\/upsert$/);
    const client = new pg.Client({ connectionString: database.url });
    try {
      await client.connect();
      await client.query(`SET search_path TO "${database.schema}"`);
      const gateway = await startGateway({ database, dataDir, env: { CHROMA_URL: chroma.url } });
      open.push(gateway);
      await createCard(gateway, { id: 'kite', questionText: 'A kite flies at 40 metres' });
      const isWritten = () => chroma.paths.some((path) => path.endsWith('/upsert'));
      await until(isWritten, { deadlineMs: 30_000, what: 'the write of the card to be under way' });
      expect(await claimed(client)).toEqual(['kite']);
      const killedAt = performance.now();
      gateway.kill('SIGTERM');
      expect(await gateway.exited).toEqual({ code: null, signal: 'SIGTERM' });
      expect(performance.now() - killedAt).toBeLessThan(MAX_CLOSE_MS);
      expect(gateway.output()).not.toMatch(/not clean|ending at once/);
      expect(await claimed(client)).toEqual([]);
      await gateway.close();

      const again = await startGateway({ database, dataDir });
      open.push(again);
      await indexed(again);
      expect(idsOf(await search(again, 'similarQuestions', { text: 'kite metres' }))).toEqual(['kite']);
      await again.close();
    } finally {
      await client.end();
      await chroma.close();
      for (const gateway of open.splice(0)) await gateway.close();
      await database.drop();
    }
  });

  test('twice, ends at once whatever is still running, and leaves no process behind', async () => {
    const gateway = await start({ DRAIN_SECONDS: '99' });
    gateway.kill('SIGTERM');
    const leaving = async (): Promise<boolean> => (await fetch(new URL('/readyz', gateway.url))).status === 503;
    await until(leaving, { deadlineMs: 30_000, what: 'it to say that it is stopping' });
    const ended = async (): Promise<boolean> => {
      gateway.kill('SIGTERM');
      return (await Promise.race([gateway.exited, delay(0)])) !== undefined;
    };
    await until(ended, { deadlineMs: 30_000, what: 'it to be ended by another SIGTERM' });
    expect(await gateway.exited).toEqual({ code: null, signal: 'SIGTERM' });
    await gateway.close();
  });

  test('during its start, ends at any point, leaves no process behind, and starts the next time', async () => {
    for (const afterMs of STOP_AFTER_MS) {
      const gateway = await spawnGateway({ embedded: true, dataDir });
      await delay(afterMs);
      gateway.child.kill('SIGTERM');
      expect(await gateway.exited).toEqual({ code: null, signal: 'SIGTERM' });
      expect(gateway.output()).not.toMatch(/^errata: |not clean/m);
      await gateway.close();
    }
    const gateway = await start();
    await createCard(gateway, { id: 'kite', questionText: 'A kite flies at 40 metres' }, true);
    expect(idsOf(await search(gateway, 'similarQuestions', { text: 'kite metres' }))).toEqual(['kite']);
  });

  /** The cards whose outbox rows are leased. */
  async function claimed(client: pg.Client): Promise<readonly string[]> {
    const { rows } = await client.query<{ card_id: string }>('SELECT card_id FROM index_dirty WHERE lease IS NOT NULL');
    return rows.map(({ card_id }) => card_id);
  }

  function isAnswer(status: number, { data, errors }: Answered): boolean {
    return status === 200 && errors === undefined && data !== null;
  }

  /** On a busy machine fifty requests at once may run out of time; a change is then made or not. */
  function isLate(_status: number, { errors }: Answered): boolean {
    return errors?.[0]?.extensions.code === 'DEADLINE_EXCEEDED';
  }

  /** A search that would wait too long for its turn, on a busy machine. */
  function isTooMuch(_status: number, { errors }: Answered): boolean {
    return errors?.[0]?.extensions.code === 'RATE_LIMITED';
  }

  function isRefusal(status: number, { errors }: Answered): boolean {
    return status === 503 && errors?.[0]?.extensions.code === 'UNAVAILABLE' && errors[0].extensions.part === 'gateway';
  }
});

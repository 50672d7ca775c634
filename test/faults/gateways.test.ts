import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { removeFolder, temporaryFolder } from '../support/embedded.js';
import { type Gateway, metricOf, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase, unmadeDatabase } from '../support/gateway-database.js';
import { createCard, idsOf, indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';
import { preload } from './support/preload.js';
import { wordOf } from './support/world.js';

const undos: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

async function start(database: TestDatabase, env: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const gateway = await startGateway({ database, env });
  undos.push(() => gateway.close());
  return gateway;
}

/** How many texts the gateway has embedded for the index since it began. */
const embeddedBy = (gateway: Gateway): Promise<number> => metricOf(gateway, 'errata_texts_embedded_total');

describe('two gateways on one database', () => {
  test('index every card once, whichever gateway was notified, and lose none when one of them is killed', async () => {
    const database = unmadeDatabase();
    undos.push(() => database.drop());
    const [one, other] = await Promise.all([start(database), start(database)]);
    const ids = Array.from({ length: 40 }, (_, place) => `card-${place}`);
    const textOf = (place: number): string => `${wordOf(place)} shares how many apples?`;
    const create = (place: number): Promise<unknown> =>
      createCard(place % 2 === 0 ? one : other, { id: ids[place], questionText: textOf(place) });
    await Promise.all(ids.slice(0, 20).map((_, place) => create(place)));
    await indexed(one);
    // Such a card has one text.
    expect((await embeddedBy(one)) + (await embeddedBy(other))).toBe(20);
    const late = ids.slice(20).map((_, place) => create(place + 20).catch(() => null));
    other.kill('SIGKILL');
    const answers = await Promise.all(late);
    // Whatever the killed one had claimed is free when its lease ends; that is half a minute by the database's clock.
    await until(
      async () => {
        const { data } = await one.gql<{ indexStatus: { pending: number } }>('{ indexStatus { pending } }');
        return data?.indexStatus.pending === 0;
      },
      { deadlineMs: 60_000, what: 'the cards of both to be indexed' },
    );
    const acknowledged = ids.filter((_, place) => place < 20 || answers[place - 20] !== null);
    // Null if Chroma does not count in time.
    const status = await until(
      async () => {
        const { data } = await one.gql<{ indexStatus: { cards: number; collections: { records: number | null }[] } }>(
          '{ indexStatus { cards collections { perspective records } } }',
        );
        return data !== null && data.indexStatus.collections[0]?.records !== null && data.indexStatus;
      },
      { deadlineMs: 60_000, what: 'Chroma to count' },
    );
    expect(status.cards).toBeGreaterThanOrEqual(acknowledged.length);
    expect(status.collections[0]?.records).toBe(status.cards);
    for (const id of acknowledged) {
      const text = textOf(ids.indexOf(id));
      expect(idsOf(await search(one, 'similarQuestions', { text, topK: 3 }))[0]).toBe(id);
    }
  });
});

test('a gateway that starts in the data directory of a killed one indexes what that one had claimed, without waiting for the lease', async () => {
  const database = await gatewayDatabase();
  const dataDir = await temporaryFolder();
  undos.push(
    () => database.drop(),
    () => removeFolder(dataDir),
  );
  const startAgain = async (): Promise<Gateway> => {
    const gateway = await startGateway({ database, dataDir });
    undos.push(() => gateway.close());
    return gateway;
  };
  const killed = await startAgain();
  await createCard(killed, { id: 'a', questionText: 'A kite flies at 40 metres' }, true);
  killed.kill('SIGKILL');
  await killed.exited;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  undos.push(() => client.end());
  const { pid, startedAt } = JSON.parse(await readFile(join(dataDir, 'gateway.lock', '1'), 'utf8'));
  const table = `"${database.schema}".index_dirty`;
  await client.query(
    `INSERT INTO ${table} (tenant_id, card_id, attempts, lease, token, holder)
      SELECT 'default', 'a', 1, now() + interval '1 hour', gen_random_uuid(), $1`,
    [`${pid}@${startedAt}`],
  );
  await startAgain();
  const indexedAgain = async (): Promise<boolean> => (await client.query(`SELECT FROM ${table}`)).rowCount === 0;
  await until(indexedAgain, { deadlineMs: 30_000, what: 'the card to be indexed' });
});

describe('an unhandled error', () => {
  test.each([
    ['a promise', 'void Promise.reject(new Error("nobody waits for this"));'],
    ['a timer', 'throw new Error("nobody catches this");'],
  ])('in %s is logged, and the gateway ends in order with an exit code that says so', async (_where, code) => {
    const database = await gatewayDatabase();
    undos.push(() => database.drop());
    const env = await preload(undos, `process.once('SIGUSR2', () => setTimeout(() => { ${code} }, 1));`);
    const gateway = await start(database, env);
    await createCard(gateway, { id: 'a', questionText: 'A kite flies at 40 metres' });
    gateway.kill('SIGUSR2');
    expect(await gateway.exited).toEqual({ code: 70, signal: null });
    expect(gateway.output()).toContain('unhandled error');
    const again = await start(database);
    await indexed(again);
    expect(idsOf(await search(again, 'similarQuestions', { text: 'A kite flies at 40 metres' }))).toEqual(['a']);
  });
});

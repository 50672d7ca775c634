import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Gateway, metricOf, startGateway } from '../../support/gateway.js';
import { type TestDatabase, unmadeDatabase } from '../../support/gateway-database.js';
import { createCard, idsOf, search } from '../../support/notebook.js';
import { until } from '../../support/until.js';
import { numberFrom, tell } from '../support/tally.js';

const CARDS = numberFrom('ERRATA_BACKLOG', 100_000);
/** Three batches: one is written, one is prepared, and a third may just be being claimed. */
const IN_WORK = 3 * 150;
/** The slowest that this was seen is some 150 cards a second. */
vi.setConfig({ testTimeout: CARDS * 40 + 120_000, hookTimeout: CARDS * 40 + 120_000 });

let database: TestDatabase;
let gateway: Gateway;
beforeAll(async () => {
  database = unmadeDatabase();
  const first = await startGateway({ database });
  await createCard(first, { id: 'first', questionText: 'A kite flies at 40 metres: find the string length' }, true);
  await first.close();
});
afterAll(async () => {
  await gateway?.close();
  await database.drop();
});

test(`a gateway that finds ${CARDS} dirty cards answers before they are indexed, indexes single changes first, and finishes`, async () => {
  await insertDirty();
  const started = performance.now();
  gateway = await startGateway({ database });
  await gateway.ready();
  const readyMs = performance.now() - started;
  const answer = await search(gateway, 'similarQuestions', { text: 'kite string length' });
  expect(idsOf(answer)[0]).toBe('first');
  // A student's own change overtakes the backlog, except the batches that are in work when it is stored.
  const changed = performance.now();
  await createCard(gateway, { id: 'mine', questionText: 'A zebra runs 60 metres: find its speed' });
  const since = await ask('SELECT clock_timestamp() AS answer');
  const isIndexed = () => ask("SELECT EXISTS (SELECT FROM card_index WHERE card_id = 'mine') AS answer");
  await until(async () => (await isIndexed()) === true, { deadlineMs: 120_000, what: 'the change to be indexed' });
  const overtookMs = performance.now() - changed;
  const before = await ask(
    `SELECT count(*)::int AS answer FROM card_index mine JOIN card_index i ON i.indexed_at < mine.indexed_at
     WHERE mine.card_id = 'mine' AND i.indexed_at > $1`,
    since,
  );
  expect(before).toBeLessThanOrEqual(IN_WORK);
  const pending = async (): Promise<number> => {
    const { data } = await gateway.gql<{ indexStatus: { pending: number } }>('{ indexStatus { pending } }');
    return data?.indexStatus.pending ?? Number.NaN;
  };
  expect(await pending()).toBeGreaterThan(0);
  expect(await metricOf(gateway, 'errata_outbox_lag_seconds')).toBeGreaterThan(0);
  await until(async () => (await pending()) === 0, { deadlineMs: CARDS * 40, what: 'the backlog to be indexed' });
  const tookMs = performance.now() - started;
  expect(await metricOf(gateway, 'errata_outbox_lag_seconds')).toBe(0);
  tell({ cards: CARDS, readyMs: Math.round(readyMs), overtookMs: Math.round(overtookMs), tookMs: Math.round(tookMs) });
  for (const place of [1, Math.floor(CARDS / 2), CARDS]) {
    const own = await search(gateway, 'similarQuestions', { text: `how many is ${place} apples and ${place} pears` });
    expect(idsOf(own)).toContain(`backlog-${place}`);
  }
});

/** The only column `answer` of the only row. */
async function ask(sql: string, ...values: readonly unknown[]): Promise<unknown> {
  const url = new URL(database.url);
  url.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: url.href, options: `-c search_path="${database.schema}"` });
  await client.connect();
  try {
    const { rows } = await client.query(sql, [...values]);
    return rows[0]?.answer;
  } finally {
    await client.end();
  }
}

/** As a restored backup or another gateway would leave them. */
async function insertDirty(): Promise<void> {
  await ask(
    `INSERT INTO card (tenant_id, id, owner_id, subject, difficulty, question_text, occurred_at)
     SELECT tenant_id, 'backlog-' || n, owner_id, 'math', 3, 'how many is ' || n || ' apples and ' || n || ' pears', now()
     FROM card, generate_series(1, $1::int) n WHERE id = 'first'`,
    CARDS,
  );
  await ask(
    "INSERT INTO index_dirty (tenant_id, card_id, priority) SELECT tenant_id, id, 2 FROM card WHERE id <> 'first'",
  );
}

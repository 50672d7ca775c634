import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migratedDatabase } from '../support/database.js';
import { type Gateway, type GatewayProcess, spawnGateway, startGateway } from '../support/gateway.js';
import { type TestDatabase, unmadeDatabase } from '../support/gateway-database.js';
import { changeCard, createCard, idsOf, wholeSearch as search } from '../support/notebook.js';
import { until } from '../support/until.js';

/**
 * On a machine that does much else; that a word of PostgreSQL brings it, and not the next look, is `indexing/follow`.
 */
const DEADLINE_MS = 30_000;

let database: TestDatabase;
let one: Gateway;
let others: readonly Gateway[];
beforeAll(async () => {
  database = unmadeDatabase();
  [one, ...others] = (await Promise.all([1, 2, 3].map(() => startGateway({ database })))) as [
    Gateway,
    Gateway,
    Gateway,
  ];
  await createCard(one, { id: 'beside', questionText: 'Two trains leave the station', topicTags: ['speed'] }, true);
});
afterAll(async () => {
  for (const gateway of [one, ...others]) await gateway?.close();
  await database.drop();
});

/** Searches by words alone, and looks up no neighbour whose words would then be read because a search has met it. */
async function byWords(gateway: Gateway, text: string): Promise<readonly string[]> {
  return idsOf(await search(gateway, 'similarQuestions', { text, topK: 5, options: { lexicalShare: 1 } }));
}

/** The topic tags that the words of the gateway's cards suggest. */
async function suggested(gateway: Gateway, text: string): Promise<readonly string[]> {
  const query = 'query ($text: String!) { suggestTags(text: $text) { tag } }';
  const { suggestTags } = await gateway.must<{ suggestTags: { tag: string }[] }>(query, { text });
  return suggestTags.map(({ tag }) => tag);
}

async function soon(what: string, probe: (gateway: Gateway) => Promise<boolean>): Promise<void> {
  await Promise.all(others.map((gateway) => until(() => probe(gateway), { deadlineMs: DEADLINE_MS, what })));
}

const DELETE = 'mutation ($id: ID!) { deleteCard(id: $id, waitForIndex: true) }';

test('cards indexed, changed and deleted through one gateway are so in the lexical lanes of the others', async () => {
  const tag = { topicTags: ['kites'] };
  await createCard(one, { id: 'card', questionText: 'zyzzyva flies a kite', ...tag }, true);
  await soon('the card to be found', async (gateway) => (await byWords(gateway, 'zyzzyva')).includes('card'));
  await soon('its tag', async (gateway) => (await suggested(gateway, 'zyzzyva flies a kite')).includes('kites'));

  await changeCard(one, 'card', { questionText: 'quokka flies a kite' });
  await soon('the new words', async (gateway) => (await byWords(gateway, 'quokka')).includes('card'));
  await soon('the old words to be gone', async (gateway) => !(await byWords(gateway, 'zyzzyva')).includes('card'));

  await one.must(DELETE, { id: 'card' });
  await soon('the card to be gone', async (gateway) => !(await byWords(gateway, 'quokka')).includes('card'));
  await soon(
    'its tag to be gone',
    async (gateway) => !(await suggested(gateway, 'quokka flies a kite')).includes('kites'),
  );
});

test('a new card with the id of a deleted one is never confused with it by another gateway', async () => {
  const old = 'How many apples are in the basket of the old farmer?';
  const fresh = 'A cyclist rides uphill against the wind, how fast is she?';
  await createCard(one, { id: 'twice', questionText: old }, true);
  for (const difficulty of [1, 2]) await changeCard(one, 'twice', { difficulty });
  await soon(
    'the old card to be found',
    async (gateway) => idsOf(await search(gateway, 'similarQuestions', { text: old }))[0] === 'twice',
  );
  await one.must(DELETE, { id: 'twice' });
  expect((await createCard(one, { id: 'twice', questionText: fresh }, true)).revision).toBeGreaterThan(3);

  const scores = async (gateway: Gateway, text: string): Promise<unknown> => {
    const { hits } = await search(gateway, 'similarQuestions', { text, options: { minScore: 0 } });
    return hits.map(({ card, score }) => [card.id, score]);
  };
  for (const text of [old, fresh]) {
    const expected = JSON.stringify(await scores(one, text));
    await soon('the same scores', async (gateway) => JSON.stringify(await scores(gateway, text)) === expected);
  }
});

test('a gateway with an embedded Chroma is refused beside them, and their index stays', async () => {
  const gateway = await spawnGateway({ database, env: { CHROMA_URL: '' } });
  try {
    expect(await gateway.exited, gateway.output()).toEqual({ code: 75, signal: null });
    expect(gateway.output()).toContain('another gateway uses it; set CHROMA_URL of all its gateways to one server');
  } finally {
    await gateway.close();
  }
  expect(await byWords(one, 'two trains')).toContain('beside');
});

test('a gateway on a copy of their database is refused, and their index stays', async () => {
  const idOf = (schema: string): string => `SELECT id FROM "${schema}".installation`;
  const copy = await migratedDatabase();
  let gateway: GatewayProcess | undefined;
  try {
    const [installation] = await rowsOf(database.url, idOf(database.schema));
    await rowsOf(copy.url, `UPDATE "${copy.schema}".installation SET id = '${String(installation?.id)}'`);
    gateway = await spawnGateway({ database: copy });
    expect(await gateway.exited, gateway.output()).toEqual({ code: 75, signal: null });
    expect(gateway.output()).toContain('one database is a copy of the other');
  } finally {
    await gateway?.close();
    await copy.drop();
  }
  expect(await byWords(one, 'two trains')).toContain('beside');
});

async function rowsOf(url: string, sql: string): Promise<readonly { readonly id?: unknown }[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

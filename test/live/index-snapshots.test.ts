import { appendFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleNotebook } from '../../bench/card-files.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase } from '../support/gateway-database.js';
import { createAll, createCard, idsOf, indexed, wholeSearch as search } from '../support/notebook.js';

let folder: string;
let database: TestDatabase;
const open: Gateway[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errata-index-snapshots-'));
  database = await gatewayDatabase();
});
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function start(dataDir: string): Promise<Gateway> {
  await mkdir(join(folder, dataDir), { recursive: true });
  const gateway = await startGateway({ database, dataDir: join(folder, dataDir) });
  open.push(gateway);
  return gateway;
}

/** What the start said of loading the words: how many cards there are, and how many were read. */
function loaded(gateway: Gateway): { readonly cards: number; readonly read: number } {
  const line = gateway
    .output()
    .split('\n')
    .find((one) => one.includes('lexical index loaded'));
  return JSON.parse(line ?? 'null');
}

/** Searches by words alone, with scores and reasons; without verdicts, which look at the vectors too. */
async function byWords(gateway: Gateway): Promise<readonly unknown[]> {
  const answers = [];
  for (const text of ['解一元二次方程', 'area of a circle', '计算错误 sign error', 'qwertz']) {
    const options = { lexicalShare: 1 };
    const weights = { question: 3, solution: 2, concept: 2, error: 1 };
    const { hits } = await search(gateway, 'hybridSearch', { text, topK: 50, weights, options });
    answers.push(
      hits.map(({ verdict: _, ...hit }) => ({ ...hit, lanes: hit.lanes.filter(({ kind }) => kind !== 'DENSE') })),
    );
  }
  return answers;
}

test('a gateway with snapshots reads only changed cards at its start, and gives the same hits as one that reads all', async () => {
  const first = await start('own');
  const [one, two, three, ...others] = await sampleNotebook();
  if (one === undefined || two === undefined || three === undefined) throw new Error('there is no sample');
  await createAll(first, [one, two, three, ...others]);
  const answers = await byWords(first);
  await first.close();
  expect(await readdir(join(folder, 'own', 'words'))).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.words$/)]);

  const again = await start('own');
  expect(loaded(again)).toMatchObject({ cards: others.length + 3, read: 0 });
  expect(await byWords(again)).toEqual(answers);
  // Killed, so that what follows is in no copy.
  await createCard(again, { id: 'killed', questionText: 'qwertz in a gateway that is killed' }, true);
  again.kill('SIGKILL');
  await again.exited;

  const other = await start('other');
  expect(loaded(other)).toMatchObject({ cards: others.length + 4, read: others.length + 4 });
  const change = 'mutation ($id: ID!) { updateCard(id: $id, input: { questionText: "qwertz instead" }) { revision } }';
  expect((await other.gql(change, { id: one.id })).errors).toBeUndefined();
  for (const { id } of [two, three]) {
    expect(
      (await other.gql('mutation ($id: ID!) { deleteCard(id: $id, waitForIndex: true) }', { id })).errors,
    ).toBeUndefined();
  }
  await indexed(other);
  // The index has forgotten the card, and its id goes on all the same.
  expect(await createCard(other, { id: two.id, questionText: 'qwertz again' }, true)).toMatchObject({ revision: 2 });
  const changed = await byWords(other);
  await other.close();

  const last = await start('own');
  expect(loaded(last)).toMatchObject({ cards: others.length + 3, read: 3 });
  expect(await byWords(last)).toEqual(changed);
  // Below .5 are cards that share a topic with these alone.
  const options = { lexicalShare: 1, thresholdSteps: [0.5] };
  expect(idsOf(await search(last, 'similarQuestions', { text: 'qwertz', options })).toSorted()).toEqual(
    ['killed', one.id, two.id].toSorted(),
  );
});

test('a gateway with a damaged snapshot reports it, reads all cards and gives the same hits', async () => {
  const first = await start('own');
  await createAll(first, (await sampleNotebook()).slice(0, 20));
  const answers = await byWords(first);
  await first.close();
  const [name = ''] = await readdir(join(folder, 'own', 'words'));
  await appendFile(join(folder, 'own', 'words', name), ' ');

  const again = await start('own');
  expect(again.output()).toContain('the snapshot of the lexical index cannot be used');
  expect(loaded(again)).toMatchObject({ cards: 20, read: 20 });
  expect(await byWords(again)).toEqual(answers);
});

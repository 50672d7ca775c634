import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { idOfKey, keyOf } from '../../support/api-keys.js';
import { type Probe, probesOf } from '../../support/api-probes.js';
import { type Callers, callersOf } from '../../support/callers.js';
import { type Answer, type Api, type Gateway, startGateway } from '../../support/gateway.js';
import { gatewayDatabase, type TestDatabase } from '../../support/gateway-database.js';
import { createCard, indexed } from '../../support/notebook.js';
import { TOKEN_SETTINGS } from '../../support/tokens.js';
import { FOR_STAFF, OF_NO_CARD, OF_ONES_OWN, refusalOf } from './probe-answers.js';

const schema = buildSchema(readFileSync(join(packageRoot(), 'schema.graphql'), 'utf8'));

/** No other card has any of these words: where one shows, something has leaked. */
const SECRETS = {
  subject: 'zsubjectz',
  grade: 'zgradez',
  questionText: 'zquestionz 17 + 4',
  choices: ['zchoicez 21', '22'],
  studentSolutionText: 'zwrongz 23',
  goldSolutionBrief: 'zrightz 21',
  topicTags: ['ztagz'],
  errorTypes: ['zerrorz'],
  source: 'zsourcez',
  notes: 'znotesz',
};
const LEAK = /z(?:subject|grade|question|choice|wrong|right|tag|error|source|notes)z/;
/** What is asked about: the secrets' own words, and a word that everybody's cards have. */
const TEXT = [
  SECRETS.questionText,
  SECRETS.studentSolutionText,
  ...SECRETS.topicTags,
  ...SECRETS.errorTypes,
  'fractions',
].join(' ');
const VICTIM = 'amys-card';
const ABSENT = 'nobodys-card';

/** After every card of this file was created. */
const at = new Date(Date.now() + 60 * 60_000).toISOString();

const probes = probesOf(schema, { cardId: VICTIM, owner: 'amy', text: TEXT, at });
const queries = probes.filter(({ kind }) => kind === 'query');
const mutations = probes.filter(({ kind }) => kind === 'mutation');

/** Who asks: ben is in amy's school, and the stranger has her very name in another one. */
const PEOPLE = {
  amy: { sub: 'amy' },
  ben: { sub: 'ben' },
  tess: { sub: 'tess', role: 'teacher' },
  ada: { sub: 'ada', role: 'admin' },
  stranger: { sub: 'amy', tenant: 'south' },
  strangeTeacher: { sub: 'tess', tenant: 'south', role: 'teacher' },
  strangeAdmin: { sub: 'ada', tenant: 'south', role: 'admin' },
  expired: { sub: 'amy', iat: 1_700_000_000, exp: 1_700_003_600 },
};
type Person = keyof typeof PEOPLE;
const OUTSIDERS = ['ben', 'stranger', 'strangeTeacher', 'strangeAdmin'] as const satisfies readonly Person[];

let database: TestDatabase;
let gateway: Gateway;
let as: Callers<Person>['as'];
/** What each outsider was answered before amy had a card: when the ids that are asked for were nobody's. */
const before = new Map<string, unknown>();

beforeAll(async () => {
  database = await gatewayDatabase();
  gateway = await startGateway({
    database,
    env: { ...TOKEN_SETTINGS, API_KEYS: 'true', LOG_LEVEL: 'trace', CLASS_MIN_STUDENTS: '1' },
  });
  ({ as } = await callersOf(gateway, PEOPLE));
  await makeBadKeys();
  for (const person of ['ben', 'stranger', 'strangeTeacher'] as const) {
    for (const n of [1, 2, 3]) {
      const labels = { topicTags: ['fractions'], errorTypes: ['sign error'] };
      await createCard(as[person], {
        id: `${person}-${n}`,
        questionText: `fractions ${n}: 1/2 + 1/${n + 2}`,
        ...labels,
      });
    }
  }
  await indexed(as.ada);
  await indexed(as.strangeAdmin);
  for (const person of OUTSIDERS) {
    for (const probe of queries) before.set(`${person} ${probe.name}`, await tell(person, probe));
  }
  // Two, because a card never finds itself.
  for (const id of [VICTIM, 'amys-twin']) await createCard(as.amy, { id, ...SECRETS }, true);
  const attempt = `{ key: "k", cardId: "${VICTIM}", correct: true, answer: "${SECRETS.studentSolutionText}" }`;
  await as.amy.gql(`mutation { recordAttempts(attempts: [${attempt}]) { outcome } }`);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

/** Keys of an admin of amy's school, none of which lets anybody in any more. */
const badKeys: Record<string, Api> = {};

async function makeBadKeys(): Promise<void> {
  const scopes = ['read', 'write', 'metrics'] as const;
  const expired = await keyOf(database.url, scopes, { expiresAt: new Date(0) });
  const revoked = await keyOf(database.url, scopes, { isRevoked: true });
  const good = await keyOf(database.url, scopes);
  badKeys['an expired key'] = gateway.as(expired);
  badKeys['a revoked key'] = gateway.as(revoked);
  badKeys["a key with another's secret"] = gateway.as(`ms_${idOfKey(good)}_${revoked.slice(-43)}`);
  expect((await gateway.as(good).gql('{ facets { total } }')).status).toBe(200);
}

/** The id of an import or an evaluation; cards of these tests have ids of their own. */
const MADE_UP_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Cursors of `changes` depend on the transactions of the server, those of `rows` and `rowProblems` on a made up id. */
const VARYING_CURSOR = /"(?:czJf|WyJyb3ci|WyJwcm9ibGVt)[\w-]+"/g;

const TIMES = ['tookMs', 'createdAt', 'updatedAt', 'indexedAt', 'finishedAt'];

const VOLATILE = ['errorId', 'searchMetrics', 'reconciliation', 'held', ...TIMES];
/** The rebuild that `rebuildIndex` has begun may end before it answers. */
const OF_A_REBUILD = ['building', 'next'];

/** What the answer says, without what differs from one moment to the next. */
function lasting({ data, errors, status }: Answer<unknown>, { name }: Probe): unknown {
  const volatile = new Set(name === 'rebuildIndex' ? [...VOLATILE, ...OF_A_REBUILD] : VOLATILE);
  const text = JSON.stringify({ data, errors, status }, (key, value) => (volatile.has(key) ? undefined : value));
  return JSON.parse(
    text.replace(VARYING_CURSOR, '""').replaceAll(VICTIM, ABSENT).replaceAll(MADE_UP_ID, 'an id made for the answer'),
  );
}

async function ask(person: Person, { name, query }: Probe): Promise<Answer<unknown>> {
  // Its answer counts the cards that earlier mutations have left to index.
  if (name === 'rebuildIndex') await indexed(as.strangeAdmin);
  return as[person].gql(query);
}

async function tell(person: Person, probe: Probe): Promise<unknown> {
  return lasting(await ask(person, probe), probe);
}

const misses = new Map(
  probesOf(schema, { cardId: ABSENT, owner: 'amy', text: TEXT, at }).map((probe) => [probe.name, probe]),
);

/** The probe, aimed at a card that does not exist. */
function missed({ name }: Probe): Probe {
  const probe = misses.get(name);
  if (probe === undefined) throw new Error(`no probe ${name}`);
  return probe;
}

describe('the probes', () => {
  test('cover every field of the schema', () => {
    const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    );
    expect(new Set(probes.map(({ name }) => name.replace(/\(.*/, '')))).toEqual(new Set(fields));
  });

  test('would find the secrets: the owner, a teacher and an admin of the school see all of them', async () => {
    for (const person of ['amy', 'tess', 'ada'] as const) {
      const seen: string[] = [];
      for (const probe of queries) {
        const answer = await as[person].gql(probe.query);
        expect({ person, probe: probe.name, codes: answer.errors?.map(({ extensions }) => extensions.code) }).toEqual({
          person,
          probe: probe.name,
          codes: refusalOf(person, probe.name),
        });
        if (LEAK.test(JSON.stringify(answer.data))) seen.push(probe.name);
      }
      expect({ person, seen: seen.sort() }).toEqual({
        person,
        seen: queries
          .map(({ name }) => name)
          .filter((name) => !OF_NO_CARD.includes(name))
          .filter((name) => !(person === 'amy' ? FOR_STAFF : OF_ONES_OWN).includes(name))
          .sort(),
      });
    }
  });
});

describe.each(OUTSIDERS)('%s', (person) => {
  test.each(queries.map((probe) => [probe.name, probe] as const))(
    'learns nothing of the card from %s',
    async (name, probe) => {
      const answer = await ask(person, probe);
      expect(JSON.stringify(answer).replaceAll(TEXT, '').replaceAll(JSON.stringify(TEXT).slice(1, -1), '')).not.toMatch(
        LEAK,
      );
      expect(lasting(answer, probe)).toEqual(before.get(`${person} ${name}`));
    },
  );
});

describe.each(['ben', 'stranger', 'tess', 'strangeAdmin'] as const)('%s', (person) => {
  test.each(mutations.map((probe) => [probe.name, probe] as const))(
    'changes nothing of the card by %s',
    async (_name, probe) => {
      const card = `{ card(id: "${VICTIM}") { revision questionText occurrences updatedAt topicTags } }`;
      const owned = await as.amy.gql(card);
      const answer = await ask(person, probe);
      if (person !== 'tess' && !/^(create(Card|ApiKey)|eraseStudent)/.test(probe.name)) {
        expect(lasting(answer, probe)).toEqual(await tell(person, missed(probe)));
      }
      expect(JSON.stringify(answer).replaceAll(TEXT, '')).not.toMatch(LEAK);
      expect(await as.amy.gql(card)).toEqual(owned);
    },
  );
});

describe('without a valid credential', () => {
  const nobody = { status: 401, data: null, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] };

  test.each(probes.map((probe) => [probe.name, probe] as const))('%s answers nobody', async (_name, { query }) => {
    const anonymous = await gateway.gql(query);
    expect(anonymous).toMatchObject(nobody);
    const expired = await as.expired.gql(query);
    expect(expired).toMatchObject(nobody);
    expect(JSON.stringify([anonymous, expired])).not.toMatch(LEAK);
    expect(Object.keys(badKeys)).toHaveLength(3);
    for (const [which, bad] of Object.entries(badKeys)) {
      const answer = await bad.gql(query);
      expect({ which, ...answer }).toMatchObject({ which, ...nobody });
      expect(answer.errors?.[0]?.message).toBe('the API key is not valid');
    }
  });

  test('supervisors read liveness and readiness, and nothing more', async () => {
    for (const [path, body] of [
      ['/livez', { status: 'alive' }],
      ['/healthz', { status: 'alive' }],
      ['/readyz', { ready: true }],
    ] as const) {
      const answer = await fetch(new URL(path, gateway.url));
      expect([answer.status, await answer.json()]).toEqual([200, body]);
    }
  });
});

test('no log line contains text of a card, a name of a person or a credential', () => {
  expect(gateway.output()).toContain('the index generation is live');
  expect(gateway.output()).not.toMatch(LEAK);
  expect(gateway.output()).not.toMatch(/Bearer (?!\$ERRATA_TOKEN)|eyJ/);
});

test('teachers and admins create cards for a student, who then owns them; students cannot create cards for others', async () => {
  const create = (person: Person, owner: string, onDuplicate: string) =>
    as[person].gql<{ createCard: { id: string; owner: string } }>(
      `mutation ($input: CreateCardInput!, $onDuplicate: OnDuplicate) {
        createCard(input: $input, onDuplicate: $onDuplicate) { id owner index { state } }
      }`,
      { input: { owner, subject: 'math', difficulty: 1, questionText: 'For amy: 3 + 5' }, onDuplicate },
    );
  const first = await create('tess', 'amy', 'REJECT');
  expect(first.data?.createCard.owner).toBe('amy');
  const again = await create('ada', 'amy', 'MERGE');
  expect(again.data?.createCard.id).toBe(first.data?.createCard.id);
  const { data } = await as.amy.gql(`mutation { deleteCard(id: "${first.data?.createCard.id}") }`);
  expect(data).toEqual({ deleteCard: true });
  const refused = [await create('ben', 'amy', 'KEEP'), await create('tess', 'amy', 'MERGE')];
  expect(refused.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  const elsewhere = await create('strangeTeacher', 'amy', 'KEEP');
  expect((await as.amy.gql(`{ card(id: "${elsewhere.data?.createCard.id}") { id } }`)).data).toEqual({ card: null });
});

/** What has an id or a name of its own, and what goes by other ways than GraphQL: the rest of `isolation.test.ts`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { createClient } from 'graphql-sse';
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresApiKeys } from '../../prisma/api-keys.js';
import { openDatabase } from '../../prisma/client.js';
import { PostgresLearnedProfileStore } from '../../prisma/evaluation/learned-profiles.js';
import { newApiKey } from '../../src/access/api-key.js';
import { packageRoot } from '../../src/config/package-root.js';
import { delay } from '../../src/domain/async.js';
import { EXPORT_FORMATS } from '../../src/domain/parse/export.js';
import type { Scope } from '../../src/domain/viewer.js';
import { BUILTIN_SETTINGS } from '../../src/search/profile.js';
import { type Answer, type Gateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase } from '../support/gateway-database.js';
import { imageOf } from '../support/images.js';
import { createCard, indexed } from '../support/notebook.js';
import { TOKEN_SETTINGS, tokenOf } from '../support/tokens.js';
import { until } from '../support/until.js';

/** What only the school of the things says; a search that finds nothing is told by its words. */
const LEAK = /z(?:question|wrong|case|reason|description|file|lost|profile|set)z/;
const LOST = 'zlostz qwzx plokij';
const CARD = 'amys-card';
const SET = 'zsetz';
const PROFILE = 'zprofilez';

/** Who asks: ben is in the school of the things, and the strangers have names of its people in another one. */
const PEOPLE = {
  amy: { sub: 'amy' },
  ben: { sub: 'ben' },
  tess: { sub: 'tess', role: 'teacher' },
  stranger: { sub: 'amy', tenant: 'south' },
  strangeTeacher: { sub: 'tess', tenant: 'south', role: 'teacher' },
  strangeAdmin: { sub: 'ada', tenant: 'south', role: 'admin' },
  expired: { sub: 'tess', role: 'teacher', iat: 1_700_000_000, exp: 1_700_003_600 },
};
type Person = keyof typeof PEOPLE;
const tokens = {} as Record<Person, string>;
const as = {} as Record<Person, Gateway>;

let database: TestDatabase;
let gateway: Gateway;
/** The ids of what was made. */
let ids: Readonly<Record<'file' | 'evaluation' | 'judgement', string>>;

async function must<T>(person: Person, query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<T> {
  const { data, errors } = await as[person].gql<T>(query, variables);
  if (data === null || errors !== undefined) throw new Error(`${query} answered ${JSON.stringify(errors)}`);
  return data;
}

function post(
  path: string,
  bearer: string | null,
  type: string,
  body: string | Buffer<ArrayBuffer>,
): Promise<Response> {
  const headers = { 'content-type': type, ...(bearer !== null && { authorization: `Bearer ${bearer}` }) };
  return fetch(new URL(path, gateway.url), { method: 'POST', headers, body });
}

const exported = (bearer: string | null, request: object): Promise<Response> =>
  post('/export', bearer, 'application/json', JSON.stringify(request));
const uploaded = (bearer: string | null, card: object): Promise<Response> =>
  post('/import?name=zfilez.jsonl&onDuplicate=KEEP', bearer, 'application/x-ndjson', `${JSON.stringify(card)}\n`);

beforeAll(async () => {
  database = await gatewayDatabase();
  const env = {
    ...TOKEN_SETTINGS,
    API_KEYS: 'true',
    SEARCH_LOG: 'texts',
    LOG_LEVEL: 'trace',
    LEARN_WEIGHTS: 'true',
  };
  gateway = await startGateway({ database, env });
  for (const [person, claims] of Object.entries(PEOPLE) as [Person, JWTPayload][]) {
    tokens[person] = await tokenOf(claims);
    as[person] = gateway.as(tokens[person]);
  }
  await learnNorth();
  const text = { questionText: 'zquestionz 17 + 4', studentSolutionText: 'zwrongz 23' };
  for (const id of [CARD, 'amys-twin']) await createCard(as.amy, { id, ...text }, true);
  await createCard(as.strangeAdmin, { id: 'a-card-of-the-south', questionText: '1/2 + 1/3' }, true);
  await indexed(as.tess);
  const one = { id: 'zcasez', operation: 'hybridSearch', text: 'zcasez 17', relevant: [{ cardId: CARD, grade: 2 }] };
  await must('tess', 'mutation ($input: SaveGoldenSetInput!) { saveGoldenSet(input: $input) { name } }', {
    input: { name: SET, description: 'zdescriptionz', cases: [one] },
  });
  await must('tess', 'mutation ($input: SearchProfileInput!) { saveSearchProfile(input: $input) { name } }', {
    input: { name: PROFILE, description: 'zdescriptionz', settings: {} },
  });
  const judged = await must<{ judgeHit: { judgementId: string } }>(
    'tess',
    `mutation { judgeHit(set: "${SET}", query: { operation: byError, text: "zcasez" }, cardId: "${CARD}", relevance: RELATED, reason: "zreasonz") { judgementId } }`,
  );
  const begun = await must<{ evaluate: { id: string } }>('tess', `mutation { evaluate(set: "${SET}") { id } }`);
  const file = (await (
    await uploaded(tokens.amy, { id: 'amys-file', subject: 'math', difficulty: 1, questionText: 'zquestionz 6' })
  ).json()) as { importJob: { id: string } };
  await must('amy', 'query ($text: String!) { hybridSearch(text: $text) { hits { rank } } }', { text: LOST });
  ids = {
    file: file.importJob.id,
    evaluation: begun.evaluate.id,
    judgement: judged.judgeHit.judgementId,
  };
  const state = async (): Promise<boolean> => {
    const { evaluation } = await must<{ evaluation: { state: string } }>(
      'tess',
      `{ evaluation(id: "${ids.evaluation}") { state } }`,
    );
    return evaluation.state === 'DONE';
  };
  await until(state, { deadlineMs: 60_000, what: 'the evaluation to be done' });
  const logged = async (): Promise<boolean> =>
    JSON.stringify(await must('tess', '{ zeroResultSearches { text } }')).includes(LOST);
  await until(logged, { deadlineMs: 30_000, what: 'the search to be logged' });
}, 120_000);
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

/** Stores what a gateway would have learned from the notebook of the school. */
async function learnNorth(): Promise<void> {
  const connection = await openDatabase(database.url);
  try {
    const store = new PostgresLearnedProfileStore(connection, BUILTIN_SETTINGS);
    const quality = { ndcgAt10: 0.5, mrr: 0.5 };
    const queries = { trainingQueries: 120, heldOutQueries: 120, byDefault: quality, learned: quality };
    const settings = { ...BUILTIN_SETTINGS, lexicalShare: 1 };
    const hybrid = { operation: 'hybridSearch', settings, used: true, ...queries } as const;
    await store.claim('north');
    await store.save('north', { model: 'builtin', labelledCards: 4321, operations: [hybrid] });
  } finally {
    await connection.close();
  }
}

/** Something that a school made: who of it may ask, by which name, and what that is called that nobody has made. */
interface Thing {
  readonly owner: 'amy' | 'tess';
  readonly name: () => string;
  readonly nothing: string;
  readonly ask: (name: string) => string;
}

const NOBODYS = '00000000-0000-4000-8000-000000000000';
const theSet = { owner: 'tess', name: () => SET, nothing: 'none' } as const;
const theProfile = { name: () => PROFILE, nothing: 'none' } as const;

const THINGS: Readonly<Record<string, Thing>> = {
  'the import of a file': {
    owner: 'amy',
    name: () => ids.file,
    nothing: NOBODYS,
    ask: (name) => `{ importJob(id: "${name}") { name problems { row reason } rowProblems { nodes { row reason } } } }`,
  },
  'an evaluation': {
    owner: 'tess',
    name: () => ids.evaluation,
    nothing: NOBODYS,
    ask: (name) =>
      `{ evaluation(id: "${name}") { set reportJson report { cases embeddingModel } caseReports { nodes { text } } } }`,
  },
  'a golden set': {
    ...theSet,
    ask: (name) =>
      `{ goldenSet(name: "${name}") { description cases { nodes { id text } } goldenCases { nodes { id text } } } }`,
  },
  'the evaluation of a golden set': {
    ...theSet,
    ask: (name) => `mutation { evaluate(set: "${name}", k: 10) { set } }`,
  },
  'a case of a golden set': {
    ...theSet,
    ask: (name) =>
      `mutation { addGoldenCase(set: "${name}", case: { id: "new", operation: byError, text: "new" }) { description } }`,
  },
  'a search by a profile': {
    ...theProfile,
    owner: 'amy',
    ask: (name) => `{ hybridSearch(text: "zquestionz", profile: "${name}") { hits { card { questionText } } } }`,
  },
  'an evaluation of a profile': {
    ...theProfile,
    owner: 'tess',
    ask: (name) => `mutation { evaluate(set: "${SET}", profile: "${name}", k: 10) { set } }`,
  },
};

/** An answer without the name that the question itself had. */
function told({ status, data, errors }: Answer<unknown>, name: string): unknown {
  const unnamed = (value: unknown): unknown =>
    typeof value !== 'string' ? value : value === name ? 'asked' : value.replaceAll(`"${name}"`, '"asked"');
  return JSON.parse(JSON.stringify({ status, data, errors }), (_key, value) => unnamed(value));
}

/** Who of the school may not ask either; a profile is for all of it. */
const OUTSIDERS = ['ben', 'stranger', 'strangeTeacher', 'strangeAdmin'] as const;
const mayNot = (thing: string): readonly Person[] =>
  OUTSIDERS.filter((person) => !(person === 'ben' && thing === 'a search by a profile'));

describe.each(Object.entries(THINGS))('%s', (thing, { owner, name, nothing, ask }) => {
  test('is answered for the viewers that may see it', async () => {
    // Evaluations run one at a time.
    const answered = async () => {
      const answer = await as[owner].gql(ask(name()));
      return answer.errors?.[0]?.extensions.code === 'CONFLICT' ? null : answer;
    };
    const { data, errors } = await until(answered, { deadlineMs: 30_000, what: 'the evaluation before to end' });
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).toMatch(LEAK);
  });

  test.each(mayNot(thing))('answers %s as if it were not there', async (person) => {
    const answer = told(await as[person].gql(ask(name())), name());
    expect(answer).toMatchObject({
      errors: [{ extensions: { code: expect.stringMatching(/^(NOT_FOUND|FORBIDDEN|BAD_USER_INPUT)$/) } }],
    });
    expect(answer).toEqual(told(await as[person].gql(ask(nothing)), nothing));
    // The set is named by the question about a profile.
    expect(JSON.stringify(answer).replaceAll(SET, '')).not.toMatch(LEAK);
  });
});

describe('data without ids', () => {
  const lists = [
    '{ goldenSets { name description } }',
    '{ evaluations { id set profile } }',
    '{ searchProfiles { name description } }',
    '{ zeroResultSearches { text } }',
  ];

  test.each(lists)('%s: is visible to a teacher of the school, but not of another school', async (query) => {
    expect(JSON.stringify(await must('tess', query))).toMatch(LEAK);
    for (const person of ['stranger', 'strangeTeacher', 'strangeAdmin'] as const) {
      expect(JSON.stringify(await as[person].gql(query))).not.toMatch(LEAK);
    }
  });

  test.each(['{ goldenSets { name } }', '{ evaluations { id } }', '{ zeroResultSearches { text } }'])(
    '%s: is visible to staff only',
    async (query) => {
      for (const person of ['amy', 'ben', 'stranger'] as const) {
        expect(await as[person].gql(query)).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
      }
    },
  );

  test('searches in a time window are counted by school', async () => {
    const query = '{ searchMetrics(after: "2020-01-01T00:00:00Z") { searches operations { operation } } }';
    const south = await must<{ searchMetrics: { searches: number } }>('strangeAdmin', query);
    expect(south.searchMetrics.searches).toBe(0);
    expect((await must<typeof south>('tess', query)).searchMetrics.searches).toBeGreaterThan(0);
  });
});

/** Known by its id once it is made. */
const JUDGEMENT = 'a judgement';

describe('changes by name or id', () => {
  const all = `{ goldenSet(name: "${SET}") { description caseCount cases { nodes { id text } } } searchProfiles { name description } }`;

  test.each<[string, readonly Person[], string, string]>([
    [
      'a judgement that is taken back',
      ['ben', 'stranger', 'strangeTeacher', 'strangeAdmin'],
      'mutation { undoJudgement(judgementId: "ID") { set } }',
      JUDGEMENT,
    ],
    [
      'a golden set that is deleted',
      ['ben', 'strangeTeacher', 'strangeAdmin'],
      'mutation { deleteGoldenSet(name: "ID") }',
      SET,
    ],
    [
      'a profile that is deleted',
      ['ben', 'strangeTeacher', 'strangeAdmin'],
      'mutation { deleteSearchProfile(name: "ID") }',
      PROFILE,
    ],
    [
      'a golden set that is saved under the same name',
      ['ben', 'strangeTeacher'],
      'mutation { saveGoldenSet(input: { name: "ID", description: "mine", cases: [] }) { description caseCount } }',
      SET,
    ],
    [
      'a profile that is saved under the same name',
      ['ben', 'strangeTeacher'],
      'mutation { saveSearchProfile(input: { name: "ID", description: "mine", settings: {} }) { description } }',
      PROFILE,
    ],
    [
      'a hit that is judged into the same set',
      ['ben', 'strangeTeacher'],
      `mutation { judgeHit(set: "ID", query: { operation: byError, text: "x" }, cardId: "${CARD}", relevance: RELATED) { judgementId } }`,
      SET,
    ],
  ])("%s is nobody else's", async (_what, people, mutation, name) => {
    const before = await must('tess', all);
    const [there, nothing] = name === JUDGEMENT ? [ids.judgement, '987654321'] : [name, 'none'];
    for (const person of people) {
      const answer = told(await as[person].gql(mutation.replace('ID', there)), there);
      expect(JSON.stringify(answer)).not.toMatch(LEAK);
      if (person === 'ben') expect(answer).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
      else if (!mutation.includes('judgeHit'))
        expect(answer).toEqual(told(await as[person].gql(mutation.replace('ID', nothing)), nothing));
    }
    expect(await must('tess', all)).toEqual(before);
  });

  test.each([
    [
      'as the card of a case',
      (id: string) =>
        `addGoldenCase(set: "south", case: { id: "c", operation: byError, cardId: "${id}" }) { caseCount }`,
    ],
    [
      'as a hit that is judged',
      (id: string) =>
        `judgeHit(set: "south", query: { operation: byError, text: "x" }, cardId: "${id}", relevance: RELATED) { judgementId }`,
    ],
    [
      'as the card of a judged search',
      (id: string) =>
        `judgeHit(set: "south", query: { operation: byError, cardId: "${id}" }, cardId: "a-card-of-the-south", relevance: RELATED) { judgementId }`,
    ],
    ['as the one to merge', (id: string) => `mergeCards(from: "${id}", into: "a-card-of-the-south") { id }`],
    ['as the one to merge into', (id: string) => `mergeCards(from: "a-card-of-the-south", into: "${id}") { id }`],
  ])("another school's card is answered %s like one that is not there", async (_how, mutation) => {
    await must('strangeAdmin', 'mutation { saveGoldenSet(input: { name: "south" }) { name } }');
    const outcome = async (id: string): Promise<unknown> => {
      const { status, data, errors = [] } = await as.strangeAdmin.gql(`mutation { ${mutation(id)} }`);
      const said = errors.map(({ message, extensions }) => ({ message, extensions }));
      const text = JSON.stringify({ status, data, said }).replaceAll(id, 'asked');
      return JSON.parse(text.replace(/"judgementId":"\d+"/, '"judgementId":"of its own"'));
    };
    const foreign = await outcome(CARD);
    expect(foreign).toEqual(await outcome('nobodys-card'));
    expect(JSON.stringify(foreign)).not.toMatch(LEAK);
  });
});

describe('an uploaded file', () => {
  const content = Buffer.from(imageOf('image/png', { pixels: Buffer.from('of amy') }));
  const send = (bearer: string | null, query = ''): Promise<Response> =>
    post(`/attachments${query}`, bearer, 'image/png', content);
  const read = (person: Person, sha256: string): Promise<Response> =>
    fetch(new URL(`/attachments/${sha256}`, gateway.url), { headers: { authorization: `Bearer ${tokens[person]}` } });
  const attach = (person: Person, sha256: string) =>
    as[person].gql(
      `mutation { createCard(input: { subject: "math", difficulty: 1, questionText: "4 + 4", attachments: [{ sha256: "${sha256}" }] }) { attachments { url } } }`,
    );
  let sha256: string;
  beforeAll(async () => {
    const sent = await send(tokens.amy);
    ({ sha256 } = ((await sent.json()) as { attachment: { sha256: string } }).attachment);
    expect((await attach('amy', sha256)).errors).toBeUndefined();
  });

  test('is shown to its owner and the staff, and is not there for anybody else', async () => {
    for (const person of ['amy', 'tess'] as const) {
      const response = await read(person, sha256);
      expect([response.status, Buffer.from(await response.arrayBuffer()).equals(content)]).toEqual([200, true]);
    }
    const absent = '0'.repeat(64);
    for (const person of OUTSIDERS) {
      const [there, nothing] = [await read(person, sha256), await read(person, absent)];
      expect(there.status).toBe(404);
      expect((await there.text()).replaceAll(sha256, absent)).toBe(await nothing.text());
    }
    expect((await read('expired', sha256)).status).toBe(401);
  });

  test.each(OUTSIDERS)('is attached by its digest by nobody who has not uploaded it: %s', async (person) => {
    const absent = '0'.repeat(64);
    const answer = told(await attach(person, sha256), sha256);
    expect(answer).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', field: 'input.attachments[0].sha256' } }],
    });
    const text = JSON.stringify(answer).replaceAll(sha256, absent);
    expect(JSON.parse(text)).toEqual(told(await attach(person, absent), absent));
  });

  test('that somebody else has too is uploaded as any other one, and is for students of their own alone', async () => {
    const [first, again] = [await send(tokens.ben), await send(tokens.stranger)];
    expect([first.status, await first.json()]).toEqual([again.status, await again.json()]);
    expect((await send(tokens.ben, '?owner=amy')).status).toBe(403);
    expect((await send(tokens.tess, '?owner=amy')).status).toBe(201);
    expect((await send(null)).status).toBe(401);
  });
});

/** Credentials of the school that let nobody in any more, or to the figures alone. */
async function keyOf(scopes: readonly Scope[], expiresAt: Date | null, revoked = false): Promise<string> {
  const connection = await openDatabase(database.url);
  try {
    const keys = new PostgresApiKeys(connection);
    const { text, id, secretSha256 } = newApiKey();
    const owner = { tenantId: 'north', ownerId: 'ada', role: 'admin' } as const;
    await keys.create({ ...owner, id, scopes, name: '', secretSha256, expiresAt });
    if (revoked) await keys.revoke(id);
    return text;
  } finally {
    await connection.close();
  }
}

describe('an API key', () => {
  const CREATE =
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { text key { id ownerId scopes } } }';
  const idsSeenBy = async (person: Person): Promise<readonly string[]> =>
    (await must<{ apiKeys: readonly { id: string }[] }>(person, '{ apiKeys { id } }')).apiKeys.map(({ id }) => id);

  test('created by an admin authenticates its owner, is listed without its secret, and is refused once revoked', async () => {
    const input = { ownerId: 'zoe', role: 'STUDENT' };
    const { createApiKey: made } = await must<{ createApiKey: { text: string; key: { id: string } } }>(
      'strangeAdmin',
      CREATE,
      { input },
    );
    const zoe = gateway.as(made.text);
    expect((await zoe.gql('{ viewer { ownerId role tenantId scopes } }')).data).toEqual({
      viewer: { ownerId: 'zoe', role: 'STUDENT', tenantId: 'south', scopes: ['READ', 'WRITE'] },
    });
    const listed = await must(
      'strangeAdmin',
      '{ apiKeys { id name ownerId role scopes createdAt lastUsedAt expiresAt revokedAt } }',
    );
    expect(JSON.stringify(listed)).not.toContain(made.text.slice(-20));
    expect(await must('strangeAdmin', `mutation { revokeApiKey(id: "${made.key.id}") }`)).toEqual({
      revokeApiKey: true,
    });
    const refused = async (): Promise<boolean> => (await zoe.gql('{ viewer { role } }')).status === 401;
    await until(refused, { deadlineMs: 30_000, what: 'the key to be refused' });
  });

  test('of another school is not listed, and cannot be distinguished from a missing one by revoking it', async () => {
    const text = await keyOf(['read'], null);
    const [, id = ''] = /_([0-9a-f]{16})_/.exec(text) ?? [];
    expect(await idsSeenBy('strangeAdmin')).not.toContain(id);
    for (const one of [id, '0123456789abcdef']) {
      expect(await must('strangeAdmin', `mutation { revokeApiKey(id: "${one}") }`)).toEqual({ revokeApiKey: false });
    }
    expect((await gateway.as(text).gql('{ viewer { role } }')).status).toBe(200);
  });

  test.each(['amy', 'tess'] as const)('may not be listed, created or revoked by %s', async (person) => {
    for (const query of [
      '{ apiKeys { id } }',
      'mutation { createApiKey(input: { ownerId: "amy", role: ADMIN }) { text } }',
      'mutation { revokeApiKey(id: "0123456789abcdef") }',
    ]) {
      expect(await as[person].gql(query)).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    }
  });

  test('has no more rights than the credential that created it, and invalid fields are named', async () => {
    const maker = gateway.as(await keyOf(['read', 'write'], null));
    for (const [input, field] of [
      [{ ownerId: 'zoe', role: 'ADMIN', scopes: ['METRICS'] }, 'input.scopes'],
      [{ ownerId: 'zoe', role: 'STUDENT', days: 4_000 }, 'input.days'],
      [{ ownerId: '', role: 'STUDENT' }, 'input.ownerId'],
    ] as const) {
      const before = await idsOf(maker);
      expect(await maker.gql(CREATE, { input })).toMatchObject({
        errors: [{ extensions: { code: 'BAD_USER_INPUT', field } }],
      });
      expect(await idsOf(maker)).toEqual(before);
    }
  });

  async function idsOf(who: Gateway): Promise<unknown> {
    return (await who.gql('{ apiKeys { id } }')).data;
  }
});

describe('a file', () => {
  test.each(EXPORT_FORMATS)("of cards as %s contains the caller's cards", async (format) => {
    const everything = await exported(tokens.amy, { format });
    expect(everything.status).toBe(200);
    const text = await everything.text();
    // A workbook is packed: that it holds the cards is seen where it is not.
    if (format !== 'xlsx') expect(text).toMatch(/zquestionz/);
    for (const person of ['ben', 'stranger', 'strangeTeacher', 'strangeAdmin'] as const) {
      const theirs = await exported(tokens[person], { format });
      expect([person, theirs.status]).toEqual([person, 200]);
      expect(await theirs.text()).not.toMatch(LEAK);
      const named = async (id: string): Promise<unknown> => {
        const answer = await exported(tokens[person], { format, cardIds: [id] });
        return [answer.status, (await answer.text()).replaceAll(id, 'asked')];
      };
      expect(await named(CARD)).toEqual(await named('nobodys-card'));
    }
  });

  test("with the id of somebody else's card does not change it, and reveals nothing of it", async () => {
    const query = `{ card(id: "${CARD}") { revision questionText difficulty occurrences updatedAt } }`;
    const owned = await must('amy', query);
    for (const person of ['ben', 'stranger', 'strangeAdmin'] as const) {
      const answer = await uploaded(tokens[person], {
        id: CARD,
        subject: 'math',
        difficulty: 5,
        questionText: 'mine now',
      });
      const { importJob } = (await answer.json()) as { importJob: { id: string } };
      const report = await as[person].gql(
        `{ importJob(id: "${importJob.id}") { state created merged updated problems { row reason } } }`,
      );
      expect(JSON.stringify(report)).not.toMatch(LEAK);
      expect(await must('amy', query)).toEqual(owned);
    }
  });

  test('is neither accepted from nor sent to callers without a valid credential', async () => {
    const bad = {
      nobody: null,
      'an expired token': tokens.expired,
      'an expired key': await keyOf(['read', 'write', 'metrics'], new Date(0)),
      'a revoked key': await keyOf(['read', 'write', 'metrics'], null, true),
    };
    const card = { id: 'intruder', subject: 'math', difficulty: 1, questionText: 'x' };
    for (const [who, bearer] of Object.entries(bad)) {
      const metrics = fetch(new URL('/metrics', gateway.url), {
        headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` },
      });
      for (const answer of [await exported(bearer, { format: 'csv' }), await uploaded(bearer, card), await metrics]) {
        expect([who, answer.status, await answer.json()]).toMatchObject([
          who,
          401,
          { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
        ]);
      }
    }
    expect(await must('tess', '{ card(id: "intruder") { id } }')).toEqual({ card: null });
  });
});

test('a key for metrics reads metrics but no cards or names; a credential for cards reads no metrics', async () => {
  const figures = await keyOf(['metrics'], null);
  for (const answer of [
    await exported(figures, { format: 'csv' }),
    await uploaded(figures, { id: 'intruder', subject: 'math', difficulty: 1, questionText: 'x' }),
  ]) {
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    ]);
  }
  const get = (path: string, bearer: string): Promise<Response> =>
    fetch(new URL(path, gateway.url), { headers: { authorization: `Bearer ${bearer}` } });
  const page = await (await get('/metrics', figures)).text();
  expect(page).toContain('errata_operations_total');
  expect(page).not.toMatch(LEAK);
  expect(page).not.toMatch(/amy|tess|north|south/);
  expect(await (await get('/readyz', figures)).json()).toMatchObject({ ready: true, detail: expect.anything() });
  for (const person of ['amy', 'tess', 'strangeAdmin'] as const) {
    expect((await get('/metrics', tokens[person])).status).toBe(403);
    expect(await (await get('/readyz', tokens[person])).json()).toEqual({ ready: true });
  }
});

test('no log line contains stored, searched or uploaded text, or a credential', () => {
  expect(gateway.output()).toContain('"route":"/import"');
  expect(gateway.output()).not.toMatch(LEAK);
  expect(gateway.output()).not.toMatch(/Bearer|eyJ|(?:errata|ms)_[0-9a-f]{16}_/);
});

/** Every event stream, by who may open it; what a subscription tells comes from the same stores as a query. */
describe('subscriptions', () => {
  const STREAMS: Readonly<Record<string, { readonly query: string; readonly refused: readonly Person[] }>> = {
    importProgress: {
      query: `subscription { importProgress(id: "FILE") { name problems { row reason } rowProblems { nodes { row reason } } } }`,
      refused: OUTSIDERS,
    },
    evaluationProgress: {
      query: `subscription { evaluationProgress(id: "EVALUATION") { set reportJson report { cases } caseReports { nodes { text } } } }`,
      refused: ['amy', ...OUTSIDERS],
    },
    indexStatus: {
      query: 'subscription { indexStatus { cards next { model } collections { records } } }',
      refused: [],
    },
    cardChanged: { query: 'subscription { cardChanged { cardId card { id questionText } } }', refused: [] },
    // It searches with the viewer as every search does: tutor.test.ts.
    tutor: { query: 'subscription { tutor(input: { text: "17 + 4" }) { __typename } }', refused: [] },
  };

  const opened = (person: Person, name: keyof typeof STREAMS): AsyncIterable<{ data?: unknown; errors?: unknown }> => {
    const client = createClient({
      url: `${gateway.url}/stream`,
      headers: { authorization: `Bearer ${tokens[person]}` },
      retryAttempts: 0,
    });
    const query = STREAMS[name]?.query.replace('FILE', ids.file).replace('EVALUATION', ids.evaluation) ?? '';
    return client.iterate({ query });
  };
  const first = async (person: Person, name: string): Promise<string> => {
    for await (const result of opened(person, name)) return JSON.stringify(result);
    return '';
  };

  test('include every subscription of the schema', () => {
    const schema = buildSchema(readFileSync(join(packageRoot(), 'schema.graphql'), 'utf8'));
    expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {}).sort()).toEqual(Object.keys(STREAMS).sort());
  });

  test.each(['importProgress', 'evaluationProgress'])('%s is refused to everybody but its owner', async (name) => {
    for (const person of STREAMS[name]?.refused ?? []) {
      const told = await first(person, name);
      expect(told).toMatch(/"code":"(NOT_FOUND|FORBIDDEN)"/);
      expect(told).not.toMatch(LEAK);
    }
    expect(await first('tess', name)).toMatch(LEAK);
  });

  test('indexStatus is that of the query, for each viewer', async () => {
    const { query = '' } = STREAMS.indexStatus ?? {};
    for (const person of ['ben', 'tess', 'stranger'] as const) {
      const { data } = await as[person].gql(query.replace('subscription', ''));
      expect(JSON.parse(await first(person, 'indexStatus'))).toEqual({ data });
    }
  });

  test('cardChanged notifies each viewer of visible cards only, deletions included', async () => {
    const told: Record<string, string[]> = {};
    const streams = (['amy', 'ben', 'tess', 'strangeAdmin'] as const).map(async (person) => {
      const changes: string[] = [];
      told[person] = changes;
      for await (const { data } of opened(person, 'cardChanged')) {
        changes.push((data as { cardChanged: { cardId: string } }).cardChanged.cardId);
        // The last change that each of them sees is of a card with this name.
        if (changes.at(-1)?.startsWith('last')) break;
      }
    });
    // A stream is open when it has told of a card. A teacher is told of amy's.
    const opening = async (): Promise<boolean> => {
      const silent = Object.keys(told).filter((person) => told[person]?.length === 0);
      for (const person of ['strangeAdmin', 'ben', 'amy'] as const) {
        const isLacking = silent.includes(person) || (person === 'amy' && silent.includes('tess'));
        if (isLacking) await createCard(as[person], { questionText: 'zquestionz opening' });
      }
      await delay(300);
      return silent.length === 0;
    };
    await until(opening, { deadlineMs: 30_000, what: 'all streams to be open' });
    await createCard(as.amy, { id: 'amys-new', questionText: 'zquestionz new' });
    await must('amy', 'mutation { deleteCard(id: "amys-new") }');
    await createCard(as.ben, { id: 'bens-new', questionText: '2 + 2' });
    await createCard(as.amy, { id: 'last-of-amy', questionText: 'zquestionz last' });
    await createCard(as.ben, { id: 'last-of-ben', questionText: '2 + 3' });
    await createCard(as.strangeAdmin, { id: 'last-of-south', questionText: '2 + 4' });
    await Promise.all(streams);
    const named = (person: string): readonly string[] => [...new Set(told[person])].filter((id) => /new|last/.test(id));
    expect(named('amy')).toEqual(['amys-new', 'last-of-amy']);
    expect(named('ben')).toEqual(['bens-new', 'last-of-ben']);
    expect(named('strangeAdmin')).toEqual(['last-of-south']);
    expect(named('tess')).toEqual(['amys-new', 'bens-new', 'last-of-amy']);
  });
});

describe('what was learned from the notebook of a school', () => {
  const profiles =
    '{ searchProfiles { name learned { labelledCards operations { operation used settings { lexicalShare } } } } }';
  const usedBy = async (person: Person, args = ''): Promise<string> => {
    const query = `{ hybridSearch(text: "zquestionz 17"${args}) { receipt { profile } } }`;
    return (await must<{ hybridSearch: { receipt: { profile: string } } }>(person, query)).hybridSearch.receipt.profile;
  };

  test('ranks the searches of its teachers, unless they say weights or a profile', async () => {
    const { searchProfiles } = await must<{ searchProfiles: readonly { name: string; learned: object | null }[] }>(
      'tess',
      profiles,
    );
    expect(searchProfiles.find(({ name }) => name === 'learned')?.learned).toEqual({
      labelledCards: 4321,
      operations: [{ operation: 'hybridSearch', used: true, settings: { lexicalShare: 1 } }],
    });
    expect(await usedBy('tess')).toBe('learned');
    expect(await usedBy('tess', ', profile: "learned"')).toBe('learned');
    expect(await usedBy('tess', ', profile: "default"')).toBe('default');
    expect(await usedBy('tess', ', weights: { question: 1 }')).toBe('default');
  });

  test.each(['ben', 'stranger', 'strangeTeacher', 'strangeAdmin'] as const)('is nothing to %s', async (person) => {
    expect(JSON.stringify(await must(person, profiles))).not.toMatch(/learned"?:"|4321|"learned"[^:]/);
    expect(await usedBy(person)).toBe('default');
    const { errors } = await as[person].gql('{ hybridSearch(text: "x", profile: "learned") { hits { rank } } }');
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

/** A school with things that have ids or names of their own, and the people who may not see them. */
import { expect } from 'vitest';
import { openDatabase } from '../../../prisma/client.js';
import { PostgresLearnedProfileStore } from '../../../prisma/evaluation/learned-profiles.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { type Callers, callersOf } from '../../support/callers.js';
import { type Answer, type Gateway, startGateway } from '../../support/gateway.js';
import { gatewayDatabase, type TestDatabase } from '../../support/gateway-database.js';
import { createCard, indexed } from '../../support/notebook.js';
import { TOKEN_SETTINGS } from '../../support/tokens.js';
import { until } from '../../support/until.js';

/** What only the school of the things says; a search that finds nothing is told by its words. */
export const LEAK = /z(?:question|wrong|case|reason|description|file|lost|profile|set)z/;
export const LOST = 'zlostz qwzx plokij';
export const CARD = 'amys-card';
export const SET = 'zsetz';
export const PROFILE = 'zprofilez';

/** Who asks: ben is in the school of the things, and the strangers have names of its people in another one. */
export const PEOPLE = {
  amy: { sub: 'amy' },
  ben: { sub: 'ben' },
  tess: { sub: 'tess', role: 'teacher' },
  stranger: { sub: 'amy', tenant: 'south' },
  strangeTeacher: { sub: 'tess', tenant: 'south', role: 'teacher' },
  strangeAdmin: { sub: 'ada', tenant: 'south', role: 'admin' },
  expired: { sub: 'tess', role: 'teacher', iat: 1_700_000_000, exp: 1_700_003_600 },
};

export type Person = keyof typeof PEOPLE;

/** Those of other schools, and the student of this one who has made nothing. */
export const OUTSIDERS = ['ben', 'stranger', 'strangeTeacher', 'strangeAdmin'] as const;

export interface School extends Callers<Person> {
  readonly database: TestDatabase;
  readonly gateway: Gateway;
  /** Of what was made. */
  readonly ids: Readonly<Record<'file' | 'evaluation' | 'judgement', string>>;
  post(path: string, bearer: string | null, type: string, body: string | Buffer<ArrayBuffer>): Promise<Response>;
  exported(bearer: string | null, request: object): Promise<Response>;
  uploaded(bearer: string | null, card: object): Promise<Response>;
  expectCleanLog(): void;
  close(): Promise<void>;
}

/** The school of the tests of `things.test.ts`, which opens it; until then it has no fields. */
export const school = {} as School;

export async function openSchool(): Promise<School> {
  const database = await gatewayDatabase();
  const env = {
    ...TOKEN_SETTINGS,
    API_KEYS: 'true',
    SEARCH_LOG: 'texts',
    LOG_LEVEL: 'trace',
    LEARN_WEIGHTS: 'true',
  };
  const gateway = await startGateway({ database, env });
  const { tokens, as } = await callersOf(gateway, PEOPLE);
  const post: School['post'] = (path, bearer, type, body) => {
    const headers = { 'content-type': type, ...(bearer !== null && { authorization: `Bearer ${bearer}` }) };
    return fetch(new URL(path, gateway.url), { method: 'POST', headers, body });
  };
  const exported: School['exported'] = (bearer, request) =>
    post('/export', bearer, 'application/json', JSON.stringify(request));
  const uploaded: School['uploaded'] = (bearer, card) =>
    post('/import?name=zfilez.jsonl&onDuplicate=KEEP', bearer, 'application/x-ndjson', `${JSON.stringify(card)}\n`);
  await learnNorth(database.url);
  const text = { questionText: 'zquestionz 17 + 4', studentSolutionText: 'zwrongz 23' };
  for (const id of [CARD, 'amys-twin']) await createCard(as.amy, { id, ...text }, true);
  await createCard(as.strangeAdmin, { id: 'a-card-of-the-south', questionText: '1/2 + 1/3' }, true);
  await indexed(as.tess);
  const one = { id: 'zcasez', operation: 'hybridSearch', text: 'zcasez 17', relevant: [{ cardId: CARD, grade: 2 }] };
  await as.tess.must('mutation ($input: SaveGoldenSetInput!) { saveGoldenSet(input: $input) { name } }', {
    input: { name: SET, description: 'zdescriptionz', cases: [one] },
  });
  await as.tess.must('mutation ($input: SearchProfileInput!) { saveSearchProfile(input: $input) { name } }', {
    input: { name: PROFILE, description: 'zdescriptionz', settings: {} },
  });
  const judged = await as.tess.must<{ judgeHit: { judgementId: string } }>(
    `mutation { judgeHit(set: "${SET}", query: { operation: byError, text: "zcasez" }, cardId: "${CARD}", relevance: RELATED, reason: "zreasonz") { judgementId } }`,
  );
  const begun = await as.tess.must<{ evaluate: { id: string } }>(`mutation { evaluate(set: "${SET}") { id } }`);
  const file = (await (
    await uploaded(tokens.amy, { id: 'amys-file', subject: 'math', difficulty: 1, questionText: 'zquestionz 6' })
  ).json()) as { importJob: { id: string } };
  await as.amy.must('query ($text: String!) { hybridSearch(text: $text) { hits { rank } } }', { text: LOST });
  const ids = { file: file.importJob.id, evaluation: begun.evaluate.id, judgement: judged.judgeHit.judgementId };
  const state = async (): Promise<boolean> => {
    const { evaluation } = await as.tess.must<{ evaluation: { state: string } }>(
      `{ evaluation(id: "${ids.evaluation}") { state } }`,
    );
    return evaluation.state === 'DONE';
  };
  await until(state, { deadlineMs: 60_000, what: 'the evaluation to be done' });
  const logged = async (): Promise<boolean> =>
    JSON.stringify(await as.tess.must('{ zeroResultSearches { text } }')).includes(LOST);
  await until(logged, { deadlineMs: 30_000, what: 'the search to be logged' });
  return {
    database,
    gateway,
    tokens,
    as,
    ids,
    post,
    exported,
    uploaded,
    expectCleanLog() {
      expect(gateway.output()).toContain('"route":"/import"');
      expect(gateway.output()).not.toMatch(LEAK);
      expect(gateway.output()).not.toMatch(/Bearer (?!\$ERRATA_TOKEN)|eyJ|(?:errata|ms)_[0-9a-f]{16}_/);
    },
    async close() {
      await gateway.close();
      await database.drop();
    },
  };
}

/** Stores what a gateway would have learned from the notebook of the school. */
async function learnNorth(url: string): Promise<void> {
  const connection = await openDatabase(url);
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

/** An answer without the name that the question itself had. */
export function told({ status, data, errors }: Answer<unknown>, name: string): unknown {
  const unnamed = (value: unknown): unknown =>
    typeof value !== 'string' ? value : value === name ? 'asked' : value.replaceAll(`"${name}"`, '"asked"');
  return JSON.parse(JSON.stringify({ status, data, errors }), (_key, value) => unnamed(value));
}

import { describe, expect, test } from 'vitest';
import { until } from '../../support/until.js';
import { CARD, LEAK, OUTSIDERS, type Person, PROFILE, SET, school, told } from './school.js';

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
    name: () => school.ids.file,
    nothing: NOBODYS,
    ask: (name) => `{ importJob(id: "${name}") { name problems { row reason } rowProblems { nodes { row reason } } } }`,
  },
  'an evaluation': {
    owner: 'tess',
    name: () => school.ids.evaluation,
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

/** A profile is for all of the school. */
const mayNot = (thing: string): readonly Person[] =>
  OUTSIDERS.filter((person) => !(person === 'ben' && thing === 'a search by a profile'));

describe.each(Object.entries(THINGS))('%s', (thing, { owner, name, nothing, ask }) => {
  test('is answered for the viewers that may see it', async () => {
    // Evaluations run one at a time.
    const answered = async () => {
      const answer = await school.as[owner].gql(ask(name()));
      return answer.errors?.[0]?.extensions.code === 'CONFLICT' ? null : answer;
    };
    const { data, errors } = await until(answered, { deadlineMs: 30_000, what: 'the evaluation before to end' });
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).toMatch(LEAK);
  });

  test.each(mayNot(thing))('answers %s as if it were not there', async (person) => {
    const answer = told(await school.as[person].gql(ask(name())), name());
    expect(answer).toMatchObject({
      errors: [{ extensions: { code: expect.stringMatching(/^(NOT_FOUND|FORBIDDEN|BAD_USER_INPUT)$/) } }],
    });
    expect(answer).toEqual(told(await school.as[person].gql(ask(nothing)), nothing));
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
    expect(JSON.stringify(await school.as.tess.must(query))).toMatch(LEAK);
    for (const person of ['stranger', 'strangeTeacher', 'strangeAdmin'] as const) {
      expect(JSON.stringify(await school.as[person].gql(query))).not.toMatch(LEAK);
    }
  });

  test.each(['{ goldenSets { name } }', '{ evaluations { id } }', '{ zeroResultSearches { text } }'])(
    '%s: is visible to staff only',
    async (query) => {
      for (const person of ['amy', 'ben', 'stranger'] as const) {
        expect(await school.as[person].gql(query)).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
      }
    },
  );

  test('search profiles are visible to students of the school too, who can search by them', async () => {
    for (const person of ['amy', 'ben'] as const) {
      expect(JSON.stringify(await school.as[person].must('{ searchProfiles { name description } }'))).toMatch(LEAK);
    }
  });

  test('searches in a time window are counted by school', async () => {
    const query = '{ searchMetrics(after: "2020-01-01T00:00:00Z") { searches operations { operation } } }';
    const south = await school.as.strangeAdmin.must<{ searchMetrics: { searches: number } }>(query);
    expect(south.searchMetrics.searches).toBe(0);
    expect((await school.as.tess.must<typeof south>(query)).searchMetrics.searches).toBeGreaterThan(0);
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
    const before = await school.as.tess.must(all);
    const [there, nothing] = name === JUDGEMENT ? [school.ids.judgement, '987654321'] : [name, 'none'];
    for (const person of people) {
      const answer = told(await school.as[person].gql(mutation.replace('ID', there)), there);
      expect(JSON.stringify(answer)).not.toMatch(LEAK);
      if (person === 'ben') expect(answer).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
      else if (!mutation.includes('judgeHit'))
        expect(answer).toEqual(told(await school.as[person].gql(mutation.replace('ID', nothing)), nothing));
    }
    expect(await school.as.tess.must(all)).toEqual(before);
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
    await school.as.strangeAdmin.must('mutation { saveGoldenSet(input: { name: "south" }) { name } }');
    const outcome = async (id: string): Promise<unknown> => {
      const { status, data, errors = [] } = await school.as.strangeAdmin.gql(`mutation { ${mutation(id)} }`);
      const said = errors.map(({ message, extensions }) => ({ message, extensions }));
      const text = JSON.stringify({ status, data, said }).replaceAll(id, 'asked');
      return JSON.parse(text.replace(/"judgementId":"\d+"/, '"judgementId":"of its own"'));
    };
    const foreign = await outcome(CARD);
    expect(foreign).toEqual(await outcome('nobodys-card'));
    expect(JSON.stringify(foreign)).not.toMatch(LEAK);
  });
});

describe('what was learned from the notebook of a school', () => {
  const profiles =
    '{ searchProfiles { name learned { labelledCards operations { operation used settings { lexicalShare } } } } }';
  const usedBy = async (person: Person, args = ''): Promise<string> => {
    const query = `{ hybridSearch(text: "zquestionz 17"${args}) { receipt { profile } } }`;
    return (await school.as[person].must<{ hybridSearch: { receipt: { profile: string } } }>(query)).hybridSearch
      .receipt.profile;
  };

  test('ranks the searches of its teachers, unless they say weights or a profile', async () => {
    const { searchProfiles } = await school.as.tess.must<{
      searchProfiles: readonly { name: string; learned: object | null }[];
    }>(profiles);
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
    expect(JSON.stringify(await school.as[person].must(profiles))).not.toMatch(/learned"?:"|4321|"learned"[^:]/);
    expect(await usedBy(person)).toBe('default');
    const { errors } = await school.as[person].gql('{ hybridSearch(text: "x", profile: "learned") { hits { rank } } }');
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusedField, startApi, type TestApi } from './gateway.js';

// No port has a method: an input that got past the parser would be INTERNAL.
let gateway: TestApi;
beforeAll(async () => {
  gateway = await startApi({});
});
afterAll(() => gateway.close());

const CREATE = 'mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }';
const UPDATE =
  'mutation ($id: ID!, $input: UpdateCardInput!, $expectedRevision: Int) { updateCard(id: $id, input: $input, expectedRevision: $expectedRevision) { id } }';
const CARDS =
  'query ($filter: CardFilter, $first: Int, $after: String) { cards(filter: $filter, first: $first, after: $after) { totalCount } }';

const sound = { subject: 'math', difficulty: 2, questionText: '1 + 1 = ?' };

test.each(['2026-03-01T18:30:00', '2026-03-01 18:30', '2026-03-01'])(
  'the error for the time %s asks for a zone',
  async (occurredAt) => {
    const inVariable = await gateway.post(CREATE, { input: { ...sound, occurredAt } });
    const literal = await gateway.post(`{ cards(filter: { occurredAfter: "${occurredAt}" }) { totalCount } }`);
    for (const { errors } of [inVariable, literal])
      expect(errors?.[0]?.message).toContain('with its zone, such as 2026-03-01T08:30:00Z');
  },
);

const fieldRefused = (query: string, variables?: object): Promise<string | undefined> =>
  refusedField(gateway, query, variables);

describe('createCard refuses, by name of the field,', () => {
  test.each([
    ['an empty question', { questionText: '' }, 'input.questionText'],
    ['a question of spaces', { questionText: ' \n\t' }, 'input.questionText'],
    ['an empty optional text', { notes: '' }, 'input.notes'],
    ['a text over 16384 bytes', { goldSolutionBrief: '题'.repeat(5_462) }, 'input.goldSolutionBrief'],
    ['difficulty 0', { difficulty: 0 }, 'input.difficulty'],
    ['difficulty 6', { difficulty: 6 }, 'input.difficulty'],
    ['difficulty 2.5', { difficulty: 2.5 }, 'input.difficulty'],
    ['difficulty as text', { difficulty: '2' }, 'input.difficulty'],
    ['difficulty over 32 bits', { difficulty: 2 ** 31 }, 'input.difficulty'],
    ['difficulty null', { difficulty: null }, 'input.difficulty'],
    ['a missing subject', { subject: undefined }, 'input.subject'],
    ['a subject over 100 characters', { subject: 'x'.repeat(101) }, 'input.subject'],
    ['an unknown field', { tenantId: 'other' }, 'input.tenantId'],
    ['an object for a text', { grade: { $ne: '' } }, 'input.grade'],
    ['an empty tag', { topicTags: ['fractions', ' '] }, 'input.topicTags[1]'],
    ['a null tag', { topicTags: ['fractions', null] }, 'input.topicTags[1]'],
    ['a tag over 400 characters', { errorTypes: ['x'.repeat(401)] }, 'input.errorTypes[0]'],
    ['more than 50 tags', { topicTags: Array.from({ length: 51 }, (_, n) => `tag ${n}`) }, 'input.topicTags'],
    ['an unknown enum value', { qualityGrade: 'SUPERB' }, 'input.qualityGrade'],
    ['an id with a space', { id: 'a b' }, 'input.id'],
    ['an id with a #', { id: 'a#0' }, 'input.id'],
    ['an id of 101 characters', { id: 'x'.repeat(101) }, 'input.id'],
    ['30 February', { occurredAt: '2026-02-30T00:00:00Z' }, 'input.occurredAt'],
    ['a date without a time', { occurredAt: '2026-02-28' }, 'input.occurredAt'],
    ['the year 0', { occurredAt: '0000-01-01T00:00:00Z' }, 'input.occurredAt'],
    ['the year 1899', { occurredAt: '1899-12-31T23:59:59Z' }, 'input.occurredAt'],
    ['the year 275761', { occurredAt: '+275761-01-01T00:00:00Z' }, 'input.occurredAt'],
    ['a text that looks like a path', { occurredAt: 'x at "input.id"; y' }, 'input.occurredAt'],
  ])('%s', async (_what, changes, field) => {
    expect(await fieldRefused(CREATE, { input: { ...sound, ...changes } })).toBe(field);
  });
});

describe('updateCard refuses, by name of the field,', () => {
  test.each([
    ['a change of nothing', { input: {} }, 'input'],
    ['null for the question', { input: { questionText: null } }, 'input.questionText'],
    ['null for the subject', { input: { subject: null } }, 'input.subject'],
    ['null for the difficulty', { input: { difficulty: null } }, 'input.difficulty'],
    ['null for the moment', { input: { occurredAt: null } }, 'input.occurredAt'],
    ['an empty text', { input: { grade: '' } }, 'input.grade'],
    ['an expected revision of 0', { input: { grade: 'G5' }, expectedRevision: 0 }, 'expectedRevision'],
    ['a malformed id', { id: '../etc', input: { grade: 'G5' } }, 'id'],
  ])('%s', async (_what, variables, field) => {
    expect(await fieldRefused(UPDATE, { id: 'card-1', ...variables })).toBe(field);
  });
});

describe('a list refuses, by name of the field,', () => {
  test.each([['a bad filter', { filter: { errorTypes: [' '] } }, 'filter.errorTypes[0]']])(
    '%s',
    async (_what, variables, field) => {
      expect(await fieldRefused(CARDS, variables)).toBe(field);
    },
  );

  test.each(['card', 'deleteCard'])('a malformed id of %s', async (operation) => {
    const query = operation === 'card' ? '{ card(id: "a b") { id } }' : 'mutation { deleteCard(id: "a b") }';
    const { errors } = await gateway.post(query);
    expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'id' });
  });
});

describe('literals in the query', () => {
  test.each([
    ['a number for a text', '{ hybridSearch(text: 5) { hits { rank } } }', 'text'],
    ['a text for a number', '{ hybridSearch(text: "x", topK: "5") { hits { rank } } }', 'topK'],
    ['a number over 32 bits', '{ cards(first: 2147483648) { totalCount } }', 'first'],
    ['an unknown fusion', '{ byError(text: "x", options: {fusion: BORDA}) { hits { rank } } }', 'options.fusion'],
    [
      'a text among steps',
      '{ byError(text: "x", options: {thresholdSteps: [0.7, "0.6"]}) { hits { rank } } }',
      'options.thresholdSteps[1]',
    ],
    ['a value deep in a list', '{ cards(filter: {grade: ["G5", 6]}) { totalCount } }', 'filter.grade[1]'],
    [
      'an unknown enum value',
      '{ cards(filter: {qualityGrade: [GOOD, BEST]}) { totalCount } }',
      'filter.qualityGrade[1]',
    ],
  ])('fails validation, with its field: %s', async (_what, query, field) => {
    const { status, errors } = await gateway.post(query);
    expect(status).toBe(400);
    expect(errors[0]?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED', field });
  });

  test('an invalid date is BAD_USER_INPUT', async () => {
    expect(await fieldRefused('{ cards(filter: {occurredAfter: "2026-02-30T00:00:00Z"}) { totalCount } }')).toBe(
      'filter.occurredAfter',
    );
  });
});

test('a missing variable, and an argument without a value, are named', async () => {
  expect(await fieldRefused(CREATE, {})).toBe('input');
  expect(await fieldRefused(CREATE, { input: null })).toBe('input');
  const query = 'mutation ($id: ID = "card-1") { deleteCard(id: $id) }';
  const { errors } = await gateway.post(query, { id: null });
  expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'id' });
});

test('a thousand bad values give five errors and one that says that there are more', async () => {
  const { errors } = await gateway.post(CARDS, { filter: { grade: Array.from({ length: 1_000 }, () => 5) } });
  expect(errors).toHaveLength(6);
  expect(errors[5]?.message).toMatch(/too many/i);
  expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['BAD_USER_INPUT']));
});

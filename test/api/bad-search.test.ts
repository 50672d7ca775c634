import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf, refusedField, send, startApi, type TestApi } from './gateway.js';

// No port has a method: an input that got past the parser would be INTERNAL.
let gateway: TestApi;
beforeAll(async () => {
  gateway = await startApi({});
});
afterAll(() => gateway.close());

const SEARCH = `query ($text: String, $cardId: ID, $weights: PerspectiveWeights, $topK: Int, $filter: CardFilter, $options: SearchOptions) {
  hybridSearch(text: $text, cardId: $cardId, weights: $weights, topK: $topK, filter: $filter, options: $options) { hits { rank } }
}`;

const fieldRefused = (query: string, variables?: object): Promise<string | undefined> =>
  refusedField(gateway, query, variables);

describe('a search refuses, by name of the field,', () => {
  test.each([
    ['neither text nor card', { text: undefined }, 'text'],
    ['neither, said by null', { text: null, cardId: null }, 'text'],
    ['both text and card', { cardId: 'card-1' }, 'cardId'],
    ['an empty text', { text: '' }, 'text'],
    ['a text of spaces', { text: ' \u3000' }, 'text'],
    ['a text over 16384 bytes', { text: '题'.repeat(5_462) }, 'text'],
    ['a malformed card id', { text: undefined, cardId: ' ' }, 'cardId'],
    ['topK 0', { topK: 0 }, 'topK'],
    ['topK -1', { topK: -1 }, 'topK'],
    ['topK 201', { topK: 201 }, 'topK'],
    ['topK 1.5', { topK: 1.5 }, 'topK'],
    ['topK 1e9', { topK: 1e9 }, 'topK'],
    ['topK 2^31', { topK: 2 ** 31 }, 'topK'],
    ['topK as text', { topK: '5' }, 'topK'],
    ['a negative weight', { weights: { question: -0.1 } }, 'weights.question'],
    ['weights that are all zero', { weights: { question: 0, error: 0 } }, 'weights'],
    ['no weights at all', { weights: {} }, 'weights'],
    ['a weight that is no number', { weights: { concept: 'NaN' } }, 'weights.concept'],
    ['a weight over 1000', { weights: { concept: 1e300 } }, 'weights.concept'],
    ['a score over 1', { options: { minScore: 1.01 } }, 'options.minScore'],
    ['a negative score', { options: { minScore: -0.01 } }, 'options.minScore'],
    ['a share of the words over 1', { options: { lexicalShare: 1.01 } }, 'options.lexicalShare'],
    ['a negative share of the words', { options: { lexicalShare: -0.01 } }, 'options.lexicalShare'],
    ['an unknown option', { options: { boost: 2 } }, 'options.boost'],
    ['a share as text', { options: { lexicalShare: '0.5' } }, 'options.lexicalShare'],
    ['a share that is no number', { options: { lexicalShare: 'NaN' } }, 'options.lexicalShare'],
    ['an unknown fusion', { options: { fusion: 'BORDA' } }, 'options.fusion'],
    ['a fusion in lower case', { options: { fusion: 'rrf' } }, 'options.fusion'],
    ['a fusion that is no name', { options: { fusion: 1 } }, 'options.fusion'],
    ['an unknown strategy', { options: { strategy: 'CASCADE' } }, 'options.strategy'],
    ['a diversity over 1', { options: { diversity: 1.01 } }, 'options.diversity'],
    ['a negative diversity', { options: { diversity: -0.01 } }, 'options.diversity'],
    ['a diversity that is no number', { options: { diversity: 'NaN' } }, 'options.diversity'],
    ['steps that ascend', { options: { thresholdSteps: [0.5, 0.6] } }, 'options.thresholdSteps'],
    ['a step twice', { options: { thresholdSteps: [0.5, 0.5] } }, 'options.thresholdSteps'],
    ['no step at all', { options: { thresholdSteps: [] } }, 'options.thresholdSteps'],
    ['a step over 1', { options: { thresholdSteps: [1.5, 0.5] } }, 'options.thresholdSteps[0]'],
    ['a negative step', { options: { thresholdSteps: [0.5, -0.5] } }, 'options.thresholdSteps[1]'],
    ['a step of null', { options: { thresholdSteps: [0.5, null] } }, 'options.thresholdSteps[1]'],
    [
      'eleven steps',
      { options: { thresholdSteps: Array.from({ length: 11 }, (_, n) => 1 - n / 20) } },
      'options.thresholdSteps',
    ],
    ['a negative number of results', { options: { minResults: -1 } }, 'options.minResults'],
    ['51 results', { options: { minResults: 51 } }, 'options.minResults'],
    ['half a result', { options: { minResults: 0.5 } }, 'options.minResults'],
    ['a quota of 0', { options: { perLane: 0 } }, 'options.perLane'],
    ['a quota of 1001', { options: { perLane: 1_001 } }, 'options.perLane'],
    ['a quota of 2^31', { options: { perLane: 2 ** 31 } }, 'options.perLane'],
    ['a flag as text', { options: { preferQuality: 'yes' } }, 'options.preferQuality'],
    ['a flag as number', { options: { rerank: 1 } }, 'options.rerank'],
    [
      'keywords by the thousand',
      { options: { keywords: Array.from({ length: 1_000 }, (_, n) => `word ${n}`) } },
      'options.keywords',
    ],
    ['21 keywords', { options: { keywords: Array.from({ length: 21 }, (_, n) => `word ${n}`) } }, 'options.keywords'],
    ['an empty keyword', { options: { keywords: ['circle', ''] } }, 'options.keywords[1]'],
    ['a keyword of spaces', { options: { keywords: [' \u3000'] } }, 'options.keywords[0]'],
    ['a keyword over 100 characters', { options: { keywords: ['圆'.repeat(101)] } }, 'options.keywords[0]'],
    ['null for a keyword', { options: { keywords: [null] } }, 'options.keywords[0]'],
    ['a negative weight to avoid', { options: { avoid: { error: -1 } } }, 'options.avoid.error'],
    ['a weight to avoid over 1000', { options: { avoid: { error: 1_001 } } }, 'options.avoid.error'],
    ['an unknown perspective to avoid', { options: { avoid: { notes: 1 } } }, 'options.avoid.notes'],
    [
      'a perspective that is searched for and avoided',
      { weights: { question: 1, error: 1 }, options: { avoid: { solution: 1, error: 0.5 } } },
      'options.avoid.error',
    ],
    [
      'the avoidance of what is searched for by default',
      { options: { avoid: { question: 0.1 } } },
      'options.avoid.question',
    ],
    ['an empty list', { filter: { grade: [] } }, 'filter.grade'],
    ['an empty value', { filter: { grade: ['G5', ''] } }, 'filter.grade[1]'],
    ['null for a filter', { filter: { grade: null } }, 'filter.grade'],
    ['null in a filter', { filter: { grade: [null] } }, 'filter.grade[0]'],
    ['an operator for a value', { filter: { subject: { $ne: '' } } }, 'filter.subject'],
    ['an operator for a field', { filter: { $and: [] } }, 'filter.$and'],
    ['the tenant as a field', { filter: { tenant: 'other' } }, 'filter.tenant'],
    ["Chroma's own field of the text", { filter: { '#document': 'x' } }, 'filter.#document'],
    ["another of Chroma's own fields", { filter: { 'chroma:document': 'x' } }, 'filter.chroma:document'],
    ['a field of 300 characters', { filter: { ['x'.repeat(300)]: 'x' } }, `filter.${'x'.repeat(300)}`],
    ['a regular expression', { filter: { regex: '(x{1,1000}){1,1000}' } }, 'filter.regex'],
    ['an option for one', { options: { regex: 'x' } }, 'options.regex'],
    [
      '40,000 values',
      { filter: { excludeCardIds: Array.from({ length: 40_000 }, () => 'x') } },
      'filter.excludeCardIds',
    ],
    ['a number that is none, for a difficulty', { filter: { difficultyMin: 'NaN' } }, 'filter.difficultyMin'],
    ['101 values', { filter: { topicTags: Array.from({ length: 101 }, (_, n) => `tag ${n}`) } }, 'filter.topicTags'],
    ['difficultyMin over difficultyMax', { filter: { difficultyMin: 4, difficultyMax: 3 } }, 'filter.difficultyMin'],
    ['a difficulty of 6', { filter: { difficultyMax: 6 } }, 'filter.difficultyMax'],
    [
      'an empty stretch of time',
      { filter: { occurredAfter: '2026-01-01T00:00:00Z', occurredBefore: '2026-01-01T00:00:00Z' } },
      'filter.occurredAfter',
    ],
    ['a malformed id to exclude', { filter: { excludeCardIds: ['card-1', '$'] } }, 'filter.excludeCardIds[1]'],
  ])('%s', async (_what, variables, field) => {
    expect(await fieldRefused(SEARCH, { text: 'fractions', topK: 5, ...variables })).toBe(field);
  });

  test.each([
    ['similarQuestions', 'question'],
    ['bySolution', 'solution'],
    ['byConcept', 'concept'],
    ['byError', 'error'],
  ])('%s that avoids the perspective it searches for', async (operation, perspective) => {
    const query = `{ ${operation}(text: "x", options: {avoid: {${perspective}: 1}}) { hits { rank } } }`;
    expect(await fieldRefused(query)).toBe(`options.avoid.${perspective}`);
  });

  test.each(['minScore', 'lexicalShare', 'diversity'])(
    'an infinite %s, which JSON can carry as 1e999',
    async (option) => {
      const payload = JSON.stringify({ query: SEARCH, variables: { text: 'x', options: { [option]: 0 } } });
      const reply = await send(gateway.url, { body: payload.replace(`"${option}":0`, `"${option}":1e999`) });
      const { errors } = await answerOf(reply);
      expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: `options.${option}` });
    },
  );

  test.each([200, 5_000, 20_000])('a filter in a filter, %i deep', async (levels) => {
    // Written by hand: JSON.stringify has no stack for so many.
    const filter = `${'{"filter":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    const payload = JSON.stringify({ query: SEARCH, variables: { text: 'x', filter: {} } });
    const reply = await send(gateway.url, { body: payload.replace('"filter":{}', `"filter":${filter}`) });
    const { errors } = await answerOf(reply);
    expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'filter.filter' });
  });

  test('a list in a list, 120,000 deep', async () => {
    const payload = JSON.stringify({ query: SEARCH, variables: { text: 'x', filter: { grade: 0 } } });
    const list = `${'['.repeat(120_000)}${']'.repeat(120_000)}`;
    const reply = await send(gateway.url, { body: payload.replace('"grade":0', `"grade":${list}`) });
    const { errors } = await answerOf(reply);
    expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'filter.grade[0]' });
  });

  test('a whole number over 2^53, which JSON can carry and JavaScript cannot', async () => {
    const payload = JSON.stringify({ query: SEARCH, variables: { text: 'x', topK: 5 } });
    const reply = await send(gateway.url, { body: payload.replace('"topK":5', '"topK":9007199254740993') });
    const { errors } = await answerOf(reply);
    expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'topK' });
  });

  test('an infinite weight, which JSON can carry as 1e999', async () => {
    const payload = JSON.stringify({ query: SEARCH, variables: { text: 'x', weights: { error: 0 } } });
    const reply = await send(gateway.url, { body: payload.replace('"error":0', '"error":1e999') });
    const { errors } = await answerOf(reply);
    expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'weights.error' });
  });
});

describe('suggestTags refuses, by name of the field,', () => {
  test.each([
    ['a text of spaces', { text: ' ' }, 'text'],
    ['a text over 16384 bytes', { text: '题'.repeat(5_462) }, 'text'],
    ['no suggestion', { first: 0 }, 'first'],
    ['51 suggestions', { first: 51 }, 'first'],
  ])('%s', async (_what, variables, field) => {
    const query = 'query ($text: String!, $first: Int) { suggestTags(text: $text, first: $first) { tag } }';
    expect(await fieldRefused(query, { text: 'fractions', first: 5, ...variables })).toBe(field);
  });
});

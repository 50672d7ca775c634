import { beforeAll, describe, expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { memoryEngine } from '../../../bench/memory-engine.js';
import type { NewCard } from '../../../src/domain/card.js';
import { parseSearch } from '../../../src/domain/parse/search.js';
import type { SearchOperation } from '../../../src/domain/search.js';
import type { SearchResult } from '../../../src/domain/search-result.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import type { Engine } from '../../../src/search/engine.js';
import { BUILTIN_SETTINGS, settingsOf } from '../../../src/search/profile.js';
import { sampleEngine } from '../../support/sample-engine.js';

let cards: readonly NewCard[];
let engine: Engine;
beforeAll(async () => {
  cards = await sampleNotebook();
  engine = await sampleEngine();
});

function search(operation: SearchOperation, text: string, options: object = {}, topK = 50): Promise<SearchResult> {
  const request = parseSearch(operation, { text, topK, options }, settingsOf(operation, BUILTIN_SETTINGS));
  return engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
}

function idsOf({ hits }: SearchResult): readonly (string | null)[] {
  return hits.map(({ card }) => card.id);
}

function labelled(...labels: readonly string[]): readonly (string | null)[] {
  const carries = ({ topicTags, errorTypes }: NewCard): boolean =>
    [...topicTags, ...errorTypes].some((label) => labels.includes(label));
  return cards.filter(carries).map(({ id }) => id);
}

describe('a search in the words of students', () => {
  test.each([
    ['byConcept', '勾股', ['勾股定理']],
    ['byConcept', '种树问题', ['植树问题']],
    ['byError', '没变号', ['符号错误', 'sign error']],
    ['byError', '单位没换算', ['单位错误', 'unit error']],
    ['byError', 'forgot to convert units', ['单位错误', 'unit error']],
    ['byError', '没有看清题目', ['审题不清', 'misread question']],
  ] as const)('%s(%s) begins with a card that carries one of %j', async (operation, text, labels) => {
    expect(labelled(...labels)).toContain(idsOf(await search(operation, text))[0]);
  });
});

describe('a search for the name of a label', () => {
  test.each([
    ['byError', 'sign error', ['sign error']],
    ['byError', '符号错误', ['符号错误']],
    ['byError', 'Sign Errors', ['sign error']],
    ['byError', 'wrong sign', ['sign error', '符号错误']],
    ['byError', '移项没有变号', ['sign error', '符号错误']],
    ['byConcept', '等腰三角形', ['等腰三角形']],
    ['byConcept', 'isosceles triangle', ['等腰三角形']],
    ['hybridSearch', 'discriminant of a quadratic', ['discriminant of a quadratic']],
  ] as const)('%s(%s) finds every card that carries %j', async (operation, text, labels) => {
    expect(idsOf(await search(operation, text))).toEqual(expect.arrayContaining([...labelled(...labels)]));
  });

  test.each(['sign error', '符号错误'])(
    '%s: the cards of the error are the same trap, the first of them too',
    async (text) => {
      const [first] = (await search('byError', text)).hits;
      expect(first?.verdict).toBe('SAME_TRAP');
    },
  );

  test('finds its cards though the words of the name are in no other text', async () => {
    const named = [...cards, { ...(cards[0] as NewCard), id: 'own', topicTags: ['Xyzzy'], errorTypes: ['Plugh'] }];
    const others = await memoryEngine(named);
    for (const [operation, text] of [
      ['byConcept', 'xyzzy'],
      ['byError', 'plugh'],
    ] as const) {
      const request = parseSearch(operation, { text, topK: 10 }, settingsOf(operation, BUILTIN_SETTINGS));
      expect(idsOf(await others.search(DEFAULT_VIEWER, request, new AbortController().signal))).toContain('own');
    }
  });

  test.each([
    ['present simple', 'present perfect or past simple'],
    ['一元二次方程', '一元二次方程的根的判别式'],
    ['linear equation', 'systems of linear equations'],
  ])('%s: its cards come before those of %s, whose name has all of its words', async (text, wider) => {
    const named = labelled(text.replace(/n$/, 'ns'));
    expect(named.length).toBeGreaterThan(1);
    const { hits, receipt } = await search('byConcept', text, {}, named.length);
    expect(hits.map(({ card }) => card.id).sort()).toEqual([...named].sort());
    expect(receipt.inferredConcepts[0]).not.toBe(wider);
  });

  test('finds them by a name with a slip, too', async () => {
    const { hits } = await search('byConcept', 'discriminnat of a quadratic', {}, 3);
    for (const { card } of hits) expect(card.topicTags).toContain('discriminant of a quadratic');
  });

  test("honours the client's thresholdSteps and minScore", async () => {
    for (const options of [{ thresholdSteps: [0.8] }, { minScore: 0.8 }]) {
      const { hits } = await search('byError', 'sign error', options);
      expect(hits.length).toBeGreaterThan(0);
      for (const { score } of hits) expect(score).toBeGreaterThanOrEqual(0.8);
    }
  });
});

describe('the length of a list', () => {
  test('is what was asked for where as many cards reach the last step of the model', async () => {
    const { hits, receipt } = await search('byError', 'sign error', {}, 20);
    expect(hits).toHaveLength(20);
    expect(receipt.thresholdsTried).toHaveLength(3);
  });

  test.each([
    ['', {}],
    [' by diversity', { diversity: 0.3 }],
    [' by quality', { preferQuality: true }],
  ])('may be over 50: of the 221 cards of the sample%s', async (_how, options) => {
    const asked = { cardId: 'sample-en-020', topK: 200, options: { ...options, minScore: 0 } };
    const request = parseSearch('hybridSearch', asked, settingsOf('hybridSearch', BUILTIN_SETTINGS));
    const ids = idsOf(await engine.search(DEFAULT_VIEWER, request, new AbortController().signal));
    // A card that has nothing in common with the query is no hit.
    expect(ids.length).toBeGreaterThan(150);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('ends with the step that five hits reach where the client names the steps, unless it names another number', async () => {
    const scores = (await search('byError', 'sign error')).hits.map(({ score }) => score);
    const [first = 0, second = 0] = [scores[5], scores[9]];
    const steps = { thresholdSteps: [first, second, 0] };
    const { hits, receipt } = await search('byError', 'sign error', steps);
    expect(receipt.thresholdsTried).toEqual([first]);
    for (const { score } of hits) expect(score).toBeGreaterThanOrEqual(first);
    const more = await search('byError', 'sign error', { ...steps, minResults: 8 });
    expect(more.receipt.thresholdsTried).toEqual([first, second]);
  });

  test('has every card of the label that was asked for, also those below the step that enough hits reach', async () => {
    const named = labelled('审题不清');
    const result = await search('byError', '审题不清', { minResults: 1 });
    const [step = 0, ...others] = result.receipt.thresholdsTried;
    expect(others).toEqual([]);
    expect(result.hits.filter(({ score }) => score >= step).length).toBeLessThan(named.length);
    expect(idsOf(result)).toEqual(expect.arrayContaining([...named]));
  });

  test('ends at a step of the model where the client names how many hits are enough', async () => {
    const { receipt } = await search('byConcept', 'discriminant of a quadratic', { minResults: 1 });
    expect(receipt.thresholdsTried).toHaveLength(1);
  });
});

test('a text that has nothing in common with the cards infers nothing', async () => {
  const { hits, receipt } = await search('hybridSearch', '🙂');
  expect(hits).toEqual([]);
  expect(receipt.inferredConcepts).toEqual([]);
});

test('a query is corrected to the words of the labels, which the receipt tells, unless it may not be expanded', async () => {
  const corrected = await search('byConcept', 'quadratc equaton', {}, 3);
  expect(corrected.receipt.expandedQuery).toMatch(/^quadratic equation /);
  expect(corrected.hits[0]?.card.topicTags).toContain('quadratic equations');
  const longer = await search('byConcept', 'additio', { keywords: ['sum'] }, 3);
  expect(longer.receipt.expandedQuery).toMatch(/^addition sum/);
  const { receipt } = await search('byConcept', 'quadratc equaton', { expand: false });
  expect(receipt.expandedQuery).toBeNull();
});

test.each([{ thresholdSteps: [0] }, { minScore: 0 }])('%j bypasses the no-answer gate', async (options) => {
  const { hits, receipt } = await search('hybridSearch', 'feminism', options, 3);
  expect([hits.length, receipt.nothingClose]).toEqual([3, false]);
});

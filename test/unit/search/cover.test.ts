import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { SearchPages } from '../../../resolvers/search/search-page.js';
import { parseSearch } from '../../../src/domain/parse/search.js';
import type { SearchOperation, SearchRequest } from '../../../src/domain/search.js';
import type { SearchResult } from '../../../src/domain/search-result.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { coverLabels, type LabelChances } from '../../../src/search/cover.js';
import type { Engine } from '../../../src/search/engine.js';
import { BUILTIN_SETTINGS, settingsOf } from '../../../src/search/profile.js';
import { sampleEngine } from '../../support/sample-engine.js';

/** Cards by their labels, best first, as rows 0, 1, ... */
function coveredBy(
  cards: readonly (readonly string[])[],
  chances: Readonly<Record<string, number>>,
): readonly number[] {
  const chancesIn: LabelChances = (row) => new Map((cards[row] ?? []).map((label) => [label, chances[label] ?? 0]));
  return coverLabels([...cards.keys()], chancesIn);
}

describe('coverLabels', () => {
  const byScore = [['a'], ['a'], ['a'], ['a'], ['b'], ['b'], ['c']];

  test('puts the best card of a label that is nearly as likely second, and one of the third label third', () => {
    expect(coveredBy(byScore, { a: 0.3, b: 0.28, c: 0.27 })).toEqual([0, 4, 6, 1, 2, 3, 5]);
  });

  test('keeps the order where one label is much the likeliest, or none is likely', () => {
    expect(coveredBy(byScore, { a: 0.9, b: 0.02, c: 0.01 })).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(coveredBy(byScore, {})).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('moves no card for a label that a card before it has', () => {
    expect(coveredBy([['a', 'b'], ['a'], ['a'], ['b']], { a: 0.4, b: 0.4 })).toEqual([0, 1, 2, 3]);
  });

  test('takes a card without labels to be as likely right as the next one with labels', () => {
    const cards = [['a'], [], ['b'], ['a'], ['c']];
    expect(coveredBy(cards, { a: 0.3, b: 0.2, c: 0.19 })).toEqual([0, 1, 2, 3, 4]);
    expect(coveredBy(cards, { a: 0.3, b: 0.01, c: 0.29 })).toEqual([0, 4, 1, 2, 3]);
  });

  test('keeps the first card, every card, and the order of all but two, and is never worse in expectation', () => {
    const labelsArb = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 2 });
    const cardsArb = fc.array(labelsArb, { maxLength: 120 });
    const chanceArb = fc.double({ min: 0, max: 0.25, noNaN: true });
    fc.assert(
      fc.property(cardsArb, fc.record({ a: chanceArb, b: chanceArb, c: chanceArb, d: chanceArb }), (cards, chances) => {
        const rows = coveredBy(cards, chances);
        expect(rows.toSorted((one, other) => one - other)).toEqual([...cards.keys()]);
        expect(rows[0]).toBe(cards.length > 0 ? 0 : undefined);
        const others = rows.filter((_, place) => place !== 1 && place !== 2);
        expect(others).toEqual(others.toSorted((one, other) => one - other));
        expect(worthOf(rows, cards, chances)).toBeGreaterThanOrEqual(worthOf([...cards.keys()], cards, chances) - 1e-9);
      }),
    );
  });
});

/** Expected DCG@10 and reciprocal rank of the first right card, label by label. */
function worthOf(
  rows: readonly number[],
  cards: readonly (readonly string[])[],
  chances: Readonly<Record<string, number>>,
): number {
  return Object.entries(chances).reduce((sum, [label, chance]) => {
    const places = rows.flatMap((row, place) => (cards[row]?.includes(label) ? [place] : []));
    const dcg = places.filter((place) => place < 10).reduce((gain, place) => gain + 1 / Math.log2(place + 2), 0);
    return sum + chance * (dcg + (places.length === 0 ? 0 : 1 / ((places[0] as number) + 1)));
  }, 0);
}

describe('a search of the sample notebook', () => {
  /** The notebook has copying errors under two names. */
  const TEXT = '把字抄错了';
  let engine: Engine;
  beforeAll(async () => {
    engine = await sampleEngine();
  });

  function requestOf(operation: SearchOperation, args: object): SearchRequest {
    return parseSearch(operation, { topK: 10, ...args }, settingsOf(operation, BUILTIN_SETTINGS));
  }

  function search(operation: SearchOperation, args: object): Promise<SearchResult> {
    return engine.search(DEFAULT_VIEWER, requestOf(operation, args), new AbortController().signal);
  }

  const isByScore = ({ hits }: SearchResult): boolean =>
    hits.every(({ score }, place) => score <= (hits[place - 1]?.score ?? 1));

  test('covers the labels that a text may be about, and says so', async () => {
    const result = await search('byError', { text: TEXT });
    expect(result.receipt.coversLabels).toBe(true);
    expect(isByScore(result)).toBe(false);
    expect(result.hits.slice(0, 2).map(({ card }) => card.errorTypes)).toEqual([['抄写错误'], ['copying error']]);
    const others = await search('byError', { text: TEXT, options: { coverLabels: false } });
    expect(others.receipt.coversLabels).toBe(false);
    expect(isByScore(others)).toBe(true);
    const scores = new Map(others.hits.map(({ card, score }) => [card.id, score]));
    for (const { card, score } of result.hits) expect(score).toBe(scores.get(card.id) ?? score);
  });

  test.each<[string, SearchOperation, object]>([
    ['the name of a label', 'byError', { text: 'sign error' }],
    ['a card', 'byError', { cardId: 'sample-en-020' }],
    ['a question, which no label is asked for', 'similarQuestions', { text: TEXT }],
    ['steps that the client names', 'byError', { text: TEXT, options: { thresholdSteps: [0.1] } }],
    ['diversity', 'byError', { text: TEXT, options: { diversity: 0.001 } }],
  ])('leaves the order to the scores for %s', async (_what, operation, args) => {
    const result = await search(operation, args);
    expect(result.receipt.coversLabels).toBe(false);
    expect(result.hits.length).toBeGreaterThan(2);
  });

  test('has the same order on pages of one hit as in one list', async () => {
    const whole = await search('byError', { text: TEXT });
    const seen: string[] = [];
    for (let after: string | null = null; seen.length < whole.hits.length; ) {
      const request = requestOf('byError', { text: TEXT, topK: 1 });
      const pages: SearchPages = new SearchPages({ viewer: DEFAULT_VIEWER, asked: {}, request, after });
      const page = pages.pageOf(await engine.search(DEFAULT_VIEWER, pages.request, new AbortController().signal));
      seen.push(...page.hits.map(({ card }) => card.id));
      after = page.pageInfo.endCursor;
    }
    expect(seen).toEqual(whole.hits.map(({ card }) => card.id));
  });
});

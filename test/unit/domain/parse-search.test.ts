import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePage } from '../../../src/domain/parse/page.js';
import { parseSearch, parseSuggest } from '../../../src/domain/parse/search.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import { FUSION_NAMES, RECALL_STRATEGIES, type SearchRequest } from '../../../src/domain/search.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { DEFAULT_SEARCH } from '../../support/default-search.js';
import { outcome, refusedField } from '../../support/outcome.js';
import { runs } from '../../support/runs.js';

const EVEN = {
  ...BUILTIN_SETTINGS,
  weights: { question: 0.25, solution: 0.25, concept: 0.25, error: 0.25 },
};

const OPTIONS = [
  'fusion',
  'strategy',
  'lexicalShare',
  'minScore',
  'thresholdSteps',
  'minResults',
  'diversity',
  'rerank',
  'keywords',
  'expand',
  'perLane',
  'preferQuality',
  'coverLabels',
  'avoid',
];

/** What the parser makes of the arguments of `hybridSearch`. */
function search(args: object): SearchRequest {
  return parseSearch('hybridSearch', args, EVEN);
}

describe('the parser of searches', () => {
  test('accepts weights from 0 to 1000 with one above 0, and treats absent ones as 0', () => {
    const weight = fc.oneof(
      fc.constantFrom(0, -0, -1, 1_000, 1_000.1, Number.NaN, Number.POSITIVE_INFINITY, 5e-324, null, undefined),
      fc.double({ min: 0, max: 1_000, noNaN: true }),
    );
    const weights = fc.record(
      { question: weight, solution: weight, concept: weight, error: weight },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(weights, (given) => {
        const result = outcome(() => search({ text: 'x', topK: 5, weights: given }).weights);
        const values = Object.values(given).map((value) => value ?? 0);
        const inRange = values.every((value) => value >= 0 && value <= 1_000);
        if (inRange && values.some((value) => value > 0)) {
          expect(result).toEqual({ value: { question: 0, solution: 0, concept: 0, error: 0, ...nonNull(given) } });
        } else {
          expect(result).toEqual({ refused: expect.stringMatching(inRange ? /^weights$/ : /^weights\.\w+$/) });
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('uses the default weights if there are none', () => {
    expect(search({ text: 'x', topK: 5 }).weights).toBe(EVEN.weights);
    expect(search({ text: 'x', topK: 5, weights: null }).weights).toBe(EVEN.weights);
  });

  test('accepts a lexicalShare from 0 to 1, with a default', () => {
    const share = fc.oneof(fc.double(), fc.constantFrom(0, -0, 1, 0.5, -0.01, 1.01, null, undefined));
    fc.assert(
      fc.property(share, (lexicalShare) => {
        const result = outcome(() => search({ text: 'x', topK: 5, options: { lexicalShare } }).lexicalShare);
        const value = lexicalShare ?? EVEN.lexicalShare;
        expect(result).toEqual(value >= 0 && value <= 1 ? { value } : { refused: 'options.lexicalShare' });
      }),
    );
  });

  test('completes a search: every option has a default, and null means absent', () => {
    const complete: SearchRequest = {
      ...DEFAULT_SEARCH,
      operation: 'hybridSearch',
      subject: { kind: 'text', text: 'x' },
      weights: EVEN.weights,
    };
    const nulls = Object.fromEntries(OPTIONS.map((name) => [name, null]));
    for (const options of [undefined, null, {}, nulls]) {
      expect(search({ text: 'x', topK: 5, options })).toStrictEqual(complete);
    }
  });

  test('keeps every given option', () => {
    const options = {
      fusion: 'RRF',
      strategy: 'LAYERED',
      minScore: 0,
      thresholdSteps: [1, 0.5, 0],
      minResults: 0,
      diversity: 1,
      rerank: true,
      keywords: ['circle', 'circle'],
      expand: false,
      perLane: 1_000,
      preferQuality: true,
      coverLabels: false,
      lexicalShare: 0,
    };
    const weights = { question: 0, solution: 0, concept: 0, error: 1 };
    const avoid = { question: 0.5, error: 0 };
    expect(search({ text: 'x', topK: 5, weights, options: { ...options, avoid } })).toMatchObject({
      ...options,
      avoid: { question: 0.5, solution: 0, concept: 0, error: 0 },
    });
  });

  test('accepts 0 to 1 for diversity and minScore', () => {
    const share = fc.oneof(fc.double(), fc.constantFrom(0, 1, 0.5, -0.01, 1.01, '0.5', null));
    fc.assert(
      fc.property(share, fc.constantFrom('diversity' as const, 'minScore' as const), (value, name) => {
        const result = outcome(() => search({ text: 'x', topK: 5, options: { [name]: value } })[name]);
        const absent = name === 'diversity' ? 0 : null;
        const sound = typeof value === 'number' && value >= 0 && value <= 1;
        expect(result).toEqual(value === null ? { value: absent } : sound ? { value } : { refused: `options.${name}` });
      }),
    );
  });

  test('accepts 1 to 10 descending thresholds from 0 to 1', () => {
    const step = fc.oneof(fc.constantFrom(0, 0.25, 0.5, 1), fc.double({ min: -0.5, max: 1.5 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.boolean(), (given, sorted) => {
        const thresholdSteps = sorted ? [...new Set(given)].sort((a, b) => b - a) : given;
        const result = outcome(() => search({ text: 'x', topK: 5, options: { thresholdSteps } }).thresholdSteps);
        const outside = thresholdSteps.findIndex((value) => !(value >= 0 && value <= 1));
        const descending = thresholdSteps.every(
          (value, place) => place === 0 || value < (thresholdSteps[place - 1] ?? 0),
        );
        if (outside >= 0) expect(result).toEqual({ refused: `options.thresholdSteps[${outside}]` });
        else if (thresholdSteps.length === 0 || thresholdSteps.length > 10 || !descending)
          expect(result).toEqual({ refused: 'options.thresholdSteps' });
        else expect(result).toEqual({ value: thresholdSteps });
      }),
      { numRuns: runs(500) },
    );
  });

  test('accepts up to 20 keywords of 1 to 100 characters, trimmed', () => {
    const keyword = fc.constantFrom('a', ' 圆 ', '😀'.repeat(100), '😀'.repeat(101), ' ', '', '\0');
    fc.assert(
      fc.property(fc.array(keyword, { maxLength: 22 }), (keywords) => {
        const result = outcome(() => search({ text: 'x', topK: 5, options: { keywords } }).keywords);
        const bad = keywords.findIndex((word) => word.trim() === '' || word.includes('\0') || [...word].length > 100);
        if (keywords.length > 20 || bad >= 0) expect(result).toHaveProperty('refused');
        if (bad >= 0 && keywords.length <= 20) expect(result).toEqual({ refused: `options.keywords[${bad}]` });
        if (bad < 0 && keywords.length > 20) expect(result).toEqual({ refused: 'options.keywords' });
        if (bad < 0 && keywords.length <= 20) expect(result).toEqual({ value: keywords.map((word) => word.trim()) });
      }),
      { numRuns: runs(300) },
    );
  });

  test('accepts known fusions and strategies, and valid numbers of results', () => {
    const option = (options: object) => outcome(() => search({ text: 'x', topK: 5, options }));
    for (const fusion of FUSION_NAMES) expect(option({ fusion })).toMatchObject({ value: { fusion } });
    for (const strategy of RECALL_STRATEGIES) expect(option({ strategy })).toMatchObject({ value: { strategy } });
    expect(option({ fusion: 'weighted' })).toEqual({ refused: 'options.fusion' });
    expect(option({ strategy: 'CASCADE' })).toEqual({ refused: 'options.strategy' });
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -2, max: 1_002 }), fc.double()), (count) => {
        const whole = Number.isInteger(count);
        const results = whole && count >= 0 && count <= 50;
        const quota = whole && count >= 1 && count <= 1_000;
        expect(option({ minResults: count })).toMatchObject(
          results ? { value: { minResults: count } } : { refused: 'options.minResults' },
        );
        expect(option({ perLane: count })).toMatchObject(
          quota ? { value: { perLane: count } } : { refused: 'options.perLane' },
        );
      }),
    );
  });

  test('refuses a perspective that is both searched for and avoided', () => {
    const weight = fc.constantFrom(0, 0, 0.5, 2, null, undefined);
    const four = fc.record({ question: weight, solution: weight, concept: weight, error: weight });
    fc.assert(
      fc.property(four, four, (sought, avoid) => {
        const weights = { ...sought, question: 1 };
        const both = PERSPECTIVES.find(
          (perspective) => (weights[perspective] ?? 0) > 0 && (avoid[perspective] ?? 0) > 0,
        );
        const result = outcome(() => search({ text: 'x', topK: 5, weights, options: { avoid } }).avoid);
        const given = { question: 0, solution: 0, concept: 0, error: 0, ...nonNull(avoid) };
        expect(result).toEqual(both === undefined ? { value: given } : { refused: `options.avoid.${both}` });
      }),
    );
    // The weights that a search has by itself count too.
    const own = outcome(() =>
      parseSearch(
        'byError',
        { text: 'x', topK: 5, options: { avoid: { error: 1 } } },
        { ...EVEN, weights: { question: 0, solution: 0, concept: 0, error: 1 } },
      ),
    );
    expect(own).toEqual({ refused: 'options.avoid.error' });
  });

  test('measures a query as a question, in bytes of UTF-8 up to 16384', () => {
    const longest = '😀'.repeat(4_096);
    expect(search({ text: longest, topK: 1 }).subject).toEqual({ kind: 'text', text: longest });
    expect(refusedField(() => search({ text: `${longest}x`, topK: 1 }))).toBe('text');
  });

  test('accepts 1 to 200 hits, up to 50 suggestions, and pages of 1 to 100', () => {
    const size = fc.oneof(fc.integer({ min: -1, max: 102 }), fc.double(), fc.constantFrom(null, undefined, '5'));
    fc.assert(
      fc.property(size, (topK) => {
        const sized = Number.isInteger(topK) && typeof topK === 'number' && topK >= 1 ? topK : Number.POSITIVE_INFINITY;
        expect(outcome(() => search({ text: 'x', topK }).topK)).toEqual(
          sized <= 200 ? { value: topK } : { refused: 'topK' },
        );
        expect(outcome(() => parseSuggest({ text: 'x', first: topK }).first)).toEqual(
          sized <= 50 ? { value: topK } : { refused: 'first' },
        );
        expect(outcome(() => parsePage({ first: topK }).first)).toEqual(
          sized <= 100 ? { value: topK } : { refused: 'first' },
        );
      }),
    );
  });

  test('parses any options, or names an invalid field below `options`', () => {
    const options = fc.dictionary(fc.constantFrom(...OPTIONS, 'unknown'), fc.oneof(fc.anything(), fc.double()));
    fc.assert(
      fc.property(options, (given) => {
        const result = outcome(() => search({ text: 'x', topK: 5, options: given }));
        if ('refused' in result) expect(result.refused).toMatch(/^options\b/);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

function nonNull(weights: object): object {
  return Object.fromEntries(Object.entries(weights).filter(([, value]) => value != null));
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import { atOnce } from '../../../src/domain/steps.js';
import {
  type Candidate,
  type DuplicateSteps,
  duplicateDetector,
  duplicateSteps,
  ladderSteps,
  TRAINING,
} from '../../../src/practice/ladder.js';
import { missingOf, reasonOf } from '../../../src/practice/ladder-wording.js';
import { canonicalQuestion } from '../../../src/text/canonical-question.js';
import { DUPLICATE_THRESHOLD, nearnessOf } from '../../../src/text/duplicate-questions.js';
import { runs } from '../../support/runs.js';

/** Questions of a few forms, each with a few numbers, so that many of them are one question, typed twice. */
const questions = fc
  .record({
    form: fc.integer({ min: 0, max: 3 }),
    a: fc.integer({ min: 1, max: 4 }),
    typed: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ form, a, typed }) => {
    const text = [
      `一个长方形的长是 ${a} 厘米，宽是 3 厘米，它的面积是多少平方厘米？`,
      `小明有 ${a} 个苹果，小红比他多 2 个，两人一共有多少个苹果？`,
      `计算 $\\frac{${a}}{5} + \\frac{1}{3}$ 的值。`,
      `A train travels ${a} km in 20 minutes. How many km does it travel in an hour?`,
    ][form] as string;
    return typed === 0 ? text : typed === 1 ? `${text} ` : text.replace('是', '为');
  });

const candidates = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 0, max: 60 }),
    question: questions,
    difficulty: fc.integer({ min: 1, max: 5 }),
    verdict: fc.constantFrom(...TRAINING),
    probability: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
  }),
  { selector: ({ id }) => id, maxLength: 40 },
);

const candidate = (
  id: string,
  probability: number,
  over: Partial<Candidate> & { difficulty?: number } = {},
): Candidate => ({
  card: {
    id,
    questionText: `question ${id}`,
    choices: [] as readonly string[],
    difficulty: over.difficulty ?? 3,
  } as Card,
  verdict: 'SAME_TRAP',
  perspective: 'error',
  probability,
  ...over,
});
const never: DuplicateSteps = function* () {
  yield;
  return false;
};
const buildLadder = (...given: Parameters<typeof ladderSteps>) => atOnce(ladderSteps(...given));
const PLAIN = { first: 3, difficulty: 3, isWeak: false };

describe('a ladder', () => {
  test('contains no duplicates, goes from easy to hard, and uses all suitable cards, in a thousand ladders', () => {
    const judged = fc.property(candidates, fc.integer({ min: 1, max: 10 }), fc.boolean(), (drawn, first, isWeak) => {
      const all = drawn.map(({ id, question, difficulty, verdict, probability }) => ({
        card: { id: `c${id}`, questionText: question, choices: [] as readonly string[], difficulty } as Card,
        verdict,
        perspective: 'question' as const,
        probability,
      }));
      const rungs = buildLadder(all, duplicateSteps(), { first, difficulty: 3, isWeak });
      const texts = rungs.map(({ card }) => canonicalQuestion(card.questionText));
      for (const [place, text] of texts.entries()) {
        for (const other of texts.slice(0, place)) {
          expect(nearnessOf(text, other)).toBeLessThan(DUPLICATE_THRESHOLD);
        }
      }
      expect(new Set(rungs.map(({ card }) => card.id)).size).toBe(rungs.length);
      const chances = rungs.map(({ probability }) => probability);
      expect(chances).toEqual(chances.toSorted((a, b) => b - a));
      expect(rungs.length).toBeLessThanOrEqual(first);
      // Whatever is left out is a double of a rung.
      const isDuplicate = duplicateDetector();
      if (rungs.length < first) {
        for (const { card } of all) expect(rungs.some((rung) => isDuplicate(rung.card, card))).toBe(true);
      }
    });
    fc.assert(judged, { numRuns: runs(1_000) });
  });

  test('starts at a success probability of three quarters, and ends at one half', () => {
    const all = [0.95, 0.9, 0.78, 0.7, 0.64, 0.55, 0.5, 0.2].map((p) => candidate(`c${p}`, p));
    expect(buildLadder(all, never, PLAIN).map(({ probability }) => probability)).toEqual([0.78, 0.64, 0.5]);
  });

  test('interleaves: of two equally hard cards it takes the one that trains in another way', () => {
    const all = [
      candidate('a', 0.78),
      candidate('b', 0.64),
      candidate('c', 0.63, { verdict: 'SAME_IDEA' }),
      candidate('d', 0.5),
    ];
    expect(buildLadder(all, never, PLAIN).map(({ card }) => card.id)).toEqual(['a', 'c', 'd']);
  });

  test('has easier cards about the same idea if the foundations look weak', () => {
    const easier = candidate('easier', 0.85, { verdict: 'SAME_IDEA', difficulty: 2 });
    const all = [candidate('a', 0.78), candidate('b', 0.64), candidate('c', 0.5), easier];
    expect(buildLadder(all, never, PLAIN).map(({ card }) => card.id)).not.toContain('easier');
    const weak = buildLadder(all, never, { ...PLAIN, isWeak: true });
    expect(weak[0]).toMatchObject({ card: { id: 'easier' }, isLevelDown: true });
    expect(reasonOf(weak[0] as (typeof weak)[0], 0, 'area', 'en')).toBe('the same idea: area, easier, to begin with');
  });

  test('reports what is missing', () => {
    const rungs = buildLadder([candidate('a', 0.6)], never, PLAIN);
    const facts = {
      from: { kind: 'card', cardId: 'x' } as const,
      wanted: 3,
      rungs,
      doneToday: 2,
      hasTopics: true,
      hasErrors: false,
    };
    expect(missingOf(facts, 'en')).toEqual([
      'the notebook has 1 of 3 cards that train this',
      '2 more were practised today',
      'the card has no error types: with them cards with the same error can be found',
      'no card is easy enough to begin with',
    ]);
    expect(missingOf(facts, 'zh')).toHaveLength(4);
    const enough = buildLadder(
      [0.78, 0.6, 0.5].map((p) => candidate(`c${p}`, p)),
      never,
      PLAIN,
    );
    expect(missingOf({ ...facts, rungs: enough }, 'en')).toEqual([]);
  });
});

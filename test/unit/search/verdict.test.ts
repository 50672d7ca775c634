import { describe, expect, test } from 'vitest';
import { type LaneScore } from '../../../src/domain/search-result.js';
import { coverage, namedLabelsIn, numbersOf, sameNumbers, verdict } from '../../../src/search/verdict.js';
import { leastCpuMs } from '../../support/cpu-time.js';
import { type ShownLanes, scoredNotebook } from './scored-notebook.js';

const context = {
  floor: 0,
  sameNumbers: () => true,
  hasOtherWords: () => false,
  coverage: () => 1,
  named: null,
  shared: null,
};

const { words } = await scoredNotebook([]);

function lane(kind: LaneScore['kind'], perspective: LaneScore['perspective'], score: number): ShownLanes[number] {
  return { kind, perspective, score };
}

describe('the verdict', () => {
  test('is RELATED where nothing could be compared', () => {
    expect(verdict([], context)).toBe('RELATED');
    expect(verdict([], { ...context, shared: { concept: false, error: null } })).toBe('RELATED');
  });

  test('goes by the words alone where the vectors are missing, and by the vectors alone where the words are', () => {
    expect(verdict([lane('LEXICAL', 'question', 0.9)], context)).toBe('DUPLICATE');
    expect(verdict([lane('DENSE', 'question', 0.9)], context)).toBe('DUPLICATE');
  });

  test('of one wording with other numbers is the same question in a new skin', () => {
    const lanes = [lane('DENSE', 'question', 0.98), lane('LEXICAL', 'question', 0.9)];
    expect(verdict(lanes, { ...context, sameNumbers: () => false })).toBe('SAME_QUESTION_NEW_SKIN');
    expect(verdict(lanes, { ...context, hasOtherWords: () => true })).toBe('SAME_QUESTION_NEW_SKIN');
  });

  test('asks more of a semantic model, to which everything is somewhat alike', () => {
    const lanes = [lane('DENSE', 'concept', 0.6)];
    expect(verdict(lanes, context)).toBe('SAME_IDEA');
    expect(verdict(lanes, { ...context, floor: 0.4 })).toBe('RELATED');
  });

  test('is not that of a topic that was only inferred, however alike the questions are', () => {
    const inferred = lane('INFERRED', 'concept', 1);
    expect(verdict([inferred, lane('LEXICAL', 'question', 0.6)], context)).toBe('RELATED');
  });

  test('says what the text names: the error, or else the topic', () => {
    expect(verdict([], { ...context, named: { concept: false, error: true } })).toBe('SAME_TRAP');
    expect(verdict([], { ...context, named: { concept: true, error: true } })).toBe('SAME_TRAP');
    expect(verdict([], { ...context, named: { concept: true, error: false } })).toBe('SAME_IDEA');
  });

  test('is no duplicate of a question that says more than the query', () => {
    const alike = [lane('LEXICAL', 'question', 1)];
    expect(verdict(alike, { ...context, coverage: () => 0.4 })).toBe('RELATED');
    expect(verdict(alike, { ...context, coverage: () => 0.6 })).toBe('DUPLICATE');
  });

  test('of two cards with a coarse error type and nothing else in common is RELATED', () => {
    const shared = { concept: false, error: true };
    expect(verdict([lane('LEXICAL', 'error', 1)], { ...context, shared })).toBe('RELATED');
    expect(verdict([lane('LEXICAL', 'error', 1), lane('LEXICAL', 'concept', 0.3)], { ...context, shared })).toBe(
      'SAME_TRAP',
    );
  });

  test('of two cards with one error type and the same slip is a trap, whatever the topics', () => {
    const shared = { concept: false, error: true };
    const lanes = [lane('LEXICAL', 'error', 0.6), lane('LEXICAL', 'solution', 0.4)];
    expect(verdict(lanes, { ...context, shared })).toBe('SAME_TRAP');
    expect(verdict(lanes, { ...context, shared: { concept: false, error: false } })).toBe('RELATED');
  });

  test('is no trap where the cards have different errors, however alike they are', () => {
    const lanes = [lane('LEXICAL', 'concept', 1), lane('LEXICAL', 'solution', 0.9), lane('LEXICAL', 'error', 0.9)];
    expect(verdict(lanes, { ...context, shared: { concept: true, error: false } })).toBe('SAME_IDEA');
    expect(verdict(lanes, { ...context, shared: { concept: true, error: null } })).toBe('SAME_QUESTION_NEW_SKIN');
  });
});

describe('the labels that a text names', () => {
  const card = { topicTags: ['perimeter', 'isosceles triangle'], errorTypes: ['sign error'] };
  test.each([
    ['Isosceles triangles', true, false],
    ['a sign error', false, true],
    ['an error', false, false],
    [
      'A farmer has 40 metres of fence. Find the perimeter of the garden that he can enclose with half of it.',
      false,
      false,
    ],
  ] as const)('%s: topic %s, error %s', (text, concept, error) => {
    const said = { terms: words(text), synonyms: [] };
    expect(namedLabelsIn(said, words)(card)).toEqual({ concept, error });
  });

  test('are the same however many synonyms expand the text', () => {
    const synonyms = words('符号错误 变号错误 wrong sign, minus sign dropped, sign mistake, sign slip');
    expect(namedLabelsIn({ terms: words('sign error'), synonyms }, words)(card).error).toBe(true);
  });

  test('may be named by a synonym', () => {
    const said = { terms: words('符号错误'), synonyms: words('sign error') };
    expect(namedLabelsIn(said, words)(card)).toEqual({ concept: false, error: true });
  });
});

describe('the coverage of a question', () => {
  test.each([
    [['pizza'], ['lena', 'ate', 'pizza', 'sam'], 0.25],
    [['a', 'b', 'c'], ['a', 'b', 'b'], 1],
    [['a'], [], 0],
  ] as const)('%j of %j is %d', (query, question, share) => {
    expect(coverage(query, question)).toBe(share);
  });
});

describe('the numbers of two questions', () => {
  test.each([
    ['计算 $\\frac{1}{2}+\\frac{1}{3}$', '计算 1/2＋1/3 。', true],
    ['Solve x² = 49.', 'Solve $x^2=49$', true],
    ['Solve x² = 49.', 'Solve x³ = 49.', false],
    ['解方程：x+3=5', '（2019·北京）解方程：x+3=5', true],
    ['13-5=（　）', '13-6=（　）', false],
    ['8 tickets and 8 coins', '8 tickets and 5 coins', false],
    ['8 tickets and 8 coins', '8 tickets and a coin', true],
    ['Which word is a verb?', 'Name 3 verbs.', true],
    ['解方程：$x^2-5x+6=0$', '解方程：$x^2-6x+5=0$', false],
    ['$x^2-5x-6=0$', '$x^2+5x-6=0$', false],
    ['$x^2-4x+3=0$', '第3题：已知 $x^2-5x+4=0$', false],
    ['8 的 3 倍是多少？', '3 的 8 倍是多少？', false],
    ['已知 sin A = 3/5，求 cos A', '已知 cos A = 3/5，求 sin A', false],
    ['9 的三分之一是多少？', '9 的五分之一是多少？', false],
    ['选一个数：\nA. 3\nB. 5', '选一个数：\nA. 5\nB. 3', true],
    ['选一个数：\nA. 3\nB. 5', '选一个数：', true],
  ] as const)('of %s and %s are the same: %s', (a, b, same) => {
    expect(sameNumbers(numbersOf(a), numbersOf(b))).toBe(same);
    expect(sameNumbers(numbersOf(b), numbersOf(a))).toBe(same);
  });

  test('are compared in time in proportion to how many there are', () => {
    const numbers = Array.from({ length: 50_000 }, (_, number) => String(number));
    const reversed = numbers.toReversed();
    expect(sameNumbers(numbers, reversed)).toBe(false);
    // Some 20 ms; many seconds if each is looked for among all others.
    expect(leastCpuMs(() => sameNumbers(numbers, reversed))).toBeLessThan(2_000);
  });
});

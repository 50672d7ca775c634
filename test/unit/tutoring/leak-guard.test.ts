import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { cardOf } from '../../support/generators.js';
import { runs } from '../../support/runs.js';

function guardOf(
  reference: string,
  questionText = 'What is it?',
  studentSolutionText: string | null = null,
): LeakGuard {
  const card = cardOf({ id: 'a', questionText, studentSolutionText, goldSolutionBrief: reference });
  return LeakGuard.of({ card, sources: [], question: questionText });
}

test.each([
  ['the number', 'So 52 − 27 = 25.', 'Is it 25?'],
  ['the number in LaTeX', 'It is 7/8.', 'Then $\\dfrac{7}{8}$ is left.'],
  ['the number as a decimal', 'It is 7/8.', 'You get 0.875.'],
  ['the number as a percentage', '答案是 0.2。', '也就是 20%。'],
  ['full-width digits', '要种 21 棵。', '应该是２１棵。'],
  ['a negative fraction in plain notation', 'The slope is $-\\frac{3}{4}$.', 'You should get -3/4.'],
  ['a negative fraction as a decimal', 'The slope is $-\\frac{3}{4}$.', 'You should get −0.75.'],
  ['a negative fraction in LaTeX', 'The slope is -3/4.', '得 $-\\frac{3}{4}$'],
  ['a number without its separators', 'The total is 12,500.', 'So you should get 12500.'],
  ['a number with separators', '一共 1200 元。', '一共 1,200 元'],
  ['a mixed number as a decimal', 'It is $2\\frac{1}{2}$.', 'It is 2.5'],
  ['a mixed number', 'It is -2.5.', 'It is $-2\\frac{1}{2}$'],
  ['a decimal without its zero', 'It is 0.5.', 'It is .5'],
  ['a number of a Markdown list', 'It is 25.', '- 25 apples are left.'],
  ['a number after a dash', 'It is 25.', 'The answer is — 25.'],
  ['a number after a double dash', '答案是——25', '得到 25。'],
  ['a number, and a fraction in the next line', 'It is 25.', 'You get 25\n1/2 was the part.'],
  ['a number before an improper fraction', 'It is 25.', 'Compare 25 3/2.'],
  ['a number that is subtracted from another one with its unit', 'It is 3.', '5 米 - 3 米'],
  ['a number in words', '要种 21 棵。', '答案是二十一棵。'],
  ['a large number in words', '共 1205 人。', '答案是一千二百零五人。'],
  ['the word for two things', '一共 2 个。', '答案是两个。'],
  ['a fraction in words', '所以是 3/4。', '结果是四分之三。'],
  ['a mixed number in words', '得 2.5。', '等于二又二分之一。'],
  ['a percentage in words', '占 20%。', '答案是百分之二十。'],
  ['a decimal in words', '共 3.5 米。', '应为三点五米。'],
  ['a negative number in words', 'x 等于 -7。', '答案是负七。'],
  ['a number in English words', 'It is 12.', 'The answer is twelve.'],
  ['the letter of a choice', '两边除以 3，故选 B。', '所以答案是 B。'],
  ['the letters of choices', '答案：ＡＣ', '应该选 AC'],
  ['the letter of a choice in English', 'B', 'So the answer is (B).'],
  ['an equation', '所以 $x=\\frac{3\\pm\\sqrt{5}}{2}$。', '于是 x = (3±√5)/2'],
  ['an expression', 'The factors are (x+2)(x-3).', 'Try $(x+2)(x-3)$ and expand.'],
  [
    'a sentence of the reference',
    '标准状况下三氧化硫是固体，不能用气体摩尔体积计算。',
    '提示：标准状况下，三氧化硫是固体，不能用气体摩尔体积计算！',
  ],
])('a hint gives the answer away by %s', (_name, reference, hint) => {
  expect(guardOf(reference).leakIn(hint)).not.toBeNull();
});

test.each([
  ['another number', 'So 52 − 27 = 25.', 'Borrow a ten: 12 − 7 = 5.', 'Work out 52 − 27.'],
  ['the same number with another sign', '所以 $x=-\\frac{1}{2}$。', '系数是 1/2，先移项', ''],
  ['a power with the same exponent', 'It is 3.', '10^-3 有多大', ''],
  ['a difference', 'It is -3.', 'Work out x - 3 and 5 - 3.', ''],
  ['a choice that is not said to be the answer', '故选 A。', '先排除选项 A 和 B。 The answer is a number.', ''],
  ['another choice', '故选 A。', '有人选 B，错在哪里？', ''],
  ['a number in words that is not said to be the answer', '一共 2 个。', '先看两边，各取四分之二。', ''],
  ['a number that holds the answer', '要种 21 棵。', '121 和 2.1 和 21/4 都不是。', ''],
  [
    'a number of the question that is the answer too',
    'The answer is 8.',
    'You have 8 sparrows. Who comes back?',
    '8 sparrows, 3 leave, 3 come',
  ],
  ['numbers of a list, of steps and of sources', 'It is 1.', '1. Look again [S1].\n2. See step 1.', ''],
  ['nothing', '', 'Look again.', ''],
])('a hint may contain %s', (_name, reference, hint, question) => {
  expect(guardOf(reference, question).leakIn(hint)).toBeNull();
});

test('a value in any two notations is the same value', () => {
  const size = fc.record({ whole: fc.integer({ min: 0, max: 99_999 }), quarters: fc.integer({ min: 1, max: 3 }) });
  fc.assert(
    fc.property(size, fc.constantFrom('', '-', '−'), ({ whole, quarters }, sign) => {
      const decimal = `${whole}${['', '.25', '.5', '.75'][quarters]}`;
      const grouped = decimal.replace(/\B(?=(?:\d{3})+\.)/g, ',');
      const improper = [4 * whole + quarters, 4];
      const notations = [
        decimal,
        grouped,
        whole === 0 ? decimal.slice(1) : decimal,
        improper.join('/'),
        `\\frac{${improper[0]}}{${improper[1]}}`,
        whole === 0 ? `\\frac{${quarters}}4` : `${whole}\\frac{${quarters}}{4}`,
      ];
      for (const one of notations) {
        const guard = guardOf(`The answer is $${sign}${one}$.`);
        for (const other of notations) {
          expect(guard.leakIn(`答案是 $${sign}${other}$`)).not.toBeNull();
          if (sign !== '') expect(guard.leakIn(`系数 ${other} 和 (${other})`)).toBeNull();
        }
      }
    }),
    { numRuns: runs(100) },
  );
});

test('a number of the question is a leak if it is given as the answer', () => {
  const guard = guardOf('There are 8.', '8 sparrows, 3 leave, 3 come');
  expect(guard.leakIn('So the answer is 8.')).toBe('8');
  expect(guard.leakIn('3 + 5 = 8')).toBe('8');
});

test('the last sentence of a reference solution is a leak for each sample card that ends in a number', () => {
  const cards = ['zh', 'en']
    .flatMap((language) =>
      readFileSync(join(packageRoot(), 'sample', `notebook.${language}.jsonl`), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line) as { questionText: string; goldSolutionBrief?: string });
  // A number in a reason or a check is not the answer, nor is a factor of π.
  const isRemark = (reference: string): boolean => /because|Check|检验|π/.test(reference);
  const ending = cards.flatMap(({ questionText, goldSolutionBrief: reference = '' }) => {
    const value = /=\s*(-?\d+(?:\.\d+)?)[^\d/^]{0,12}$/.exec(reference)?.[1];
    return value === undefined || isRemark(reference) ? [] : [{ questionText, reference, value }];
  });
  expect(ending.length).toBeGreaterThan(20);
  const missed = ending.filter(({ questionText, reference, value }) => {
    const guard = guardOf(reference, questionText);
    return guard.leakIn(`答案是 ${value}`) === null || guard.leakIn(`so it is = ${value}.`) === null;
  });
  expect(missed).toEqual([]);
});

const stepsOf = <T>(steps: Generator<void, T>): number => {
  let count = 0;
  while (!steps.next().done) count += 1;
  return count;
};

test('compares a hint with an answer of many values in steps: 2,000 by 2,000 numbers take a second', () => {
  const goldSolutionBrief = `$${Array.from({ length: 500 }, (_, place) => `x=${1_000 + place}`).join(',')}$`;
  const guard = LeakGuard.of({ question: '1+1', card: cardOf({ id: 'a', goldSolutionBrief }), sources: [] });
  expect(stepsOf(guard.leakSteps('Think again about it.'))).toBeGreaterThan(500);
  expect(guard.leakIn('It is 1499.')).toBe('1499');
});

test('reads solutions and hints in steps: ten of 16 KB take a second', () => {
  const text = Array.from({ length: 200 }, (_, place) => `答案：${place}。因此 x=${place}。`).join('');
  const cards = Array.from({ length: 4 }, (_, place) => cardOf({ id: `c${place}`, goldSolutionBrief: text }));
  const sources = cards.map((card) => ({ verdict: 'DUPLICATE' as const, card }));
  // At least one for each card, and for what it states.
  expect(stepsOf(LeakGuard.steps({ question: '1+1', card: null, sources }))).toBeGreaterThan(4 * 3);
  const guard = LeakGuard.of({ question: '1+1', card: null, sources });
  expect(stepsOf(guard.leakSteps('Think again about it.'))).toBeGreaterThan(4 * 3);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { questionOf } from '../../../src/domain/card.js';
import { choicesIn, letteredLines, withoutLetters } from '../../../src/domain/choices.js';
import { runs } from '../../support/runs.js';

const choiceArb = fc
  .array(fc.constantFrom('A', 'B', 'C', 'a', 'b', '.', '、', ')', '(', ' ', '|', ';', '12', '$x$', '两'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join('').trim())
  .filter((text) => text !== '');

test('choices written on lettered lines are read back as they were stored', () => {
  fc.assert(
    fc.property(fc.array(choiceArb, { minLength: 2, maxLength: 12 }), (given) => {
      const stored = withoutLetters(given);
      expect(withoutLetters(stored)).toEqual(stored);
      expect(choicesIn(letteredLines(stored))).toEqual(stored);
    }),
    { numRuns: runs(1_000) },
  );
});

describe('the text of a cell', () => {
  test.each([
    ['12\n15\r\n18', ['12', '15', '18']],
    ['A. 12\nB. 15', ['12', '15']],
    ['A．12　B．15　C．18', ['12', '15', '18']],
    ['a. 3  b. 4  c. 5', ['3', '4', '5']],
    ['(a) 3\n(b) 4', ['3', '4']],
    ['ａ．3；ｂ．4', ['3', '4']],
    ['A. if a: 3\nand b: 4  B. no', ['if a: 3 and b: 4', 'no']],
    ['a. 3\nc. 4', ['a. 3', 'c. 4']],
    ['sides a, b；sides a, c', ['sides a, b', 'sides a, c']],
    ['Ａ．12　Ｂ．15　Ｃ．18', ['12', '15', '18']],
    ['（Ａ）是\n（Ｂ）否', ['是', '否']],
    ['(A) yes (B) no', ['yes', 'no']],
    ['12 | 15', ['12', '15']],
    ['是；否', ['是', '否']],
    ['neither of them', ['neither of them']],
    ['A. 12\nC. 15', ['A. 12', 'C. 15']],
    ['A. 12  B. 15\nC. 18  D. 20', ['12', '15', '18', '20']],
    ['A. yes, because\nit is even\nB. no', ['yes, because it is even', 'no']],
    ['A. 12; B. 15，C. 18', ['12', '15', '18']],
    ['A. (1;2)  B. (3;4)', ['(1;2)', '(3;4)']],
    ['A、是；B、否', ['是', '否']],
    ['A.是、B.否', ['是', '否']],
    ['A. 1/2/B. 1/3', ['1/2', '1/3']],
    ['A. 12<br>B. 15<br/>C. 18', ['A. 12', 'B. 15', 'C. 18']],
    ['A. <br>\nB. <p>', ['<br>', '<p>']],
  ])('%j is divided into choices', (text, choices) => {
    expect(choicesIn(text)).toEqual(choices);
  });
});

test('a letter that a cell repeats as often as it may is removed each time', () => {
  expect(withoutLetters([`${'A. '.repeat(70_000)}x`])).toEqual(['x']);
});

test('a question has its choices below it, with their letters', () => {
  expect(questionOf({ questionText: '1+1=?', choices: ['1', '2'] })).toBe('1+1=?\nA. 1\nB. 2');
  expect(questionOf({ questionText: '1+1=?', choices: [] })).toBe('1+1=?');
});

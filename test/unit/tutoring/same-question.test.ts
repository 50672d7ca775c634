import { describe, expect, test } from 'vitest';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { asks } from '../../../src/tutoring/same-question.js';
import { cardOf } from '../../support/generators.js';

const EQUATION = '解方程：$7(x-2)=3x+10$';
const TREES = '一条小路长 100 米，在路的一侧每隔 5 米种一棵树，两端都种，一共要种多少棵？';
const SALE = 'In a sale with 25 % off, a bicycle costs 180 euros. What did it cost before the sale?';
const CIRCLE = 'A circle has a radius of 7 cm. (1) Find its circumference. (2) Find its area.';
const PURE = '下列物质属于纯净物的是（　）\nA. 空气\nB. 蒸馏水';

describe('a text asks the question', () => {
  test.each([
    ['with a question about it', '解方程 7(x-2)=3x+10 第一步做什么', EQUATION],
    ['with a request around it', '老师，这道题我不会：解方程 7(x-2)=3x+10，给点提示', EQUATION],
    ['with another instruction', '已知 $7(x-2)=3x+10$，求 $x$ 的值。', EQUATION],
    ['with the instruction of the notebook', EQUATION, '已知 $7(x-2)=3x+10$，求 $x$ 的值。'],
    ['in another language', 'Calculate 1/2 + 1/3.', '计算：$\\frac{1}{2}+\\frac{1}{3}$'],
    ['with a wrong result', '我算 3/4+1/8=4/12 错在哪', '3/4 + 1/8 = ?'],
    ['with an attempt', '小路长 100 米，一侧每隔 5 米种一棵树，两端都种。100÷5=20 为什么不对', TREES],
    ['in other words', 'bike costs 180 euros after 25% off. original price?', SALE],
    ['without its options', '下列物质属于纯净物的是哪个？', PURE],
    ['with its options in another layout', '下列物质属于纯净物的是 (A) 空气 (B) 蒸馏水', PURE],
    ['without numbers', '请教：植物进行光合作用的场所是什么？', '植物进行光合作用的场所是'],
    ['that is one of its parts', 'What is the area of a circle with radius 7 cm? Use π.', CIRCLE],
  ])('%s', (_name, text, question) => {
    expect(asks(text)(question)).toBe(true);
  });
});

describe('a text asks another question', () => {
  test.each([
    ['with another number', '解方程：7(x-2)=3x+18', EQUATION],
    ['with the numbers at other places', '解方程：3(x-2)=7x+10', EQUATION],
    ['with another length', '一条小路长 120 米，一侧每隔 5 米种一棵树，两端都种，一共要种多少棵？', TREES],
    ['about the same function', '求 f(x)=x^2-2x 的零点', '已知函数 f(x)=x^2-2x，求单调区间'],
    ['with a longer calculation', '3/4+1/8+1/2', '3/4+1/8'],
    ['about another measure', '长方形长 8 cm，宽 5 cm，求周长。', '长方形长 8 cm，宽 5 cm，求面积。'],
    ['about other words', 'What is the past tense of go?', 'What is the past tense of run?'],
    ['with other options', '下列说法正确的是\nA. 一\nB. 二', '下列说法正确的是\nA. 三\nB. 四'],
    ['with the opposite', '下列说法错误的是\nA. 一\nB. 二', '下列说法正确的是\nA. 一\nB. 二'],
    [
      'with the same numbers',
      'Mia has 3 apples and 5 pears. How many?',
      'In 5 days 3 men dig a ditch. How long is it?',
    ],
    [
      'that is longer',
      'Which is a prime number: the house number of Ann, of her friend Bob, or of Tom?',
      'Is 3 prime?',
    ],
    ['that has only one of its two formulas', '解方程组 x+y=3', '解方程组 x+y=3，x-y=1'],
  ])('%s', (_name, text, question) => {
    expect(asks(text)(question)).toBe(false);
  });
});

test('a hint must not give the answer of a card with the same question, whatever its verdict; of other ones it may', () => {
  const question = '老师，这道题我不会：解方程 7(x-2)=3x+10，给点提示';
  const same = cardOf({ id: 'a', questionText: EQUATION, goldSolutionBrief: '7x-14=3x+10，4x=24，x=6。' });
  const other = cardOf({ id: 'b', questionText: '解方程：$7(x-2)=3x+18$', goldSolutionBrief: '4x=32，x=8。' });
  for (const verdict of ['RELATED', 'SAME_QUESTION_NEW_SKIN', 'DUPLICATE'] as const) {
    const sources = [{ verdict, card: same }];
    expect(LeakGuard.of({ question, card: null, sources }).leakIn('先展开再移项 [S1]，得到 4x=24，答案是 x=6。')).toBe(
      '6',
    );
  }
  const guard = LeakGuard.of({ question, card: null, sources: [{ verdict: 'SAME_QUESTION_NEW_SKIN', card: other }] });
  expect(guard.leakIn('那道题 4x=32，x=8 [S1]。这道题呢？')).toBeNull();
});

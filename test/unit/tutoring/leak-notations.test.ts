import { expect, test } from 'vitest';
import { chineseNumbersOf } from '../../../src/tutoring/chinese-numbers.js';
import { englishNumbersOf } from '../../../src/tutoring/english-numbers.js';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { cardOf } from '../../support/generators.js';

type Case = readonly [hint: string, reference: string, question?: string];

function leakOf([hint, goldSolutionBrief, questionText = '求解']: Case): string | null {
  const card = cardOf({ id: 'a', questionText, studentSolutionText: null, goldSolutionBrief });
  return LeakGuard.of({ card, sources: [], question: questionText }).leakIn(hint);
}

function of(reference: string, ...hints: readonly string[]): readonly Case[] {
  return hints.map((hint) => [hint, reference]);
}

const LEAKS: readonly Case[] = [
  ...of('一共有 35000 个座位。', '答案是 3.5 万个座位。', '答案是三万五。', '答案是 3万5千。', '35k', '35 thousand'),
  ...of('一共 105 棵。', '答案是一百〇五棵。', '一共一百〇五棵。'),
  ...of('一共一百〇五棵。', '答案是 105 棵。'),
  ...of('那一年是 2008 年。', '那是二〇〇八年。'),
  ...of('还有 1200000 人。', '答案是 120 万人。', 'The answer is 1.2 million.'),
  ...of('共 500000000 元。', '答案是 5 亿元。', '答案是五亿。', 'You get 500 million.', 'half: 0.5 billion'),
  ...of('一共 3.5 万人。', '答案是 35000。', '答案是 3.5 万。', '答案是 3.5（万人）。'),
  ...of('用了 2.5 小时。', '答案是两个半小时。', '答案是 2 个半小时。', '答案是 2小时半。'),
  ...of('Each piece is 3.5 m long.', 'The answer is three and a half metres.', 'The answer is 3 and a half.'),
  ...of('It is 3.5.', 'The answer is three point five.'),
  ...of('It is 23.5.', 'You get twenty-three and a half.'),
  ...of('x=7/5', '答案是 1又2/5。', '答案是 1又5分之2。', 'The answer is one and two fifths.', '答案是一又五分之二'),
  ...of('气温是 -5 ℃。', '答案是零下5度。', '答案是零下五度。'),
  ...of('气温是零下5度。', '答案是 -5 ℃。'),
  ...of('一共 12.5 元。', '答案是12块5。', '答案是 12 元 5 角。', '一共 12 块 5 毛。'),
  ...of('要种 21 棵。', '答案是廿一。', '答案是二 十 一。'),
  ...of('共 1000 个。', '答案是 1千。'),
  ...of('所以是 1/2。', '答案是一半。'),
  ...of('所以是 37/25。', '那就有二十五分之三十七了。', '那就有 25分之37 了。'),
  ...of('占 85%。', '也就有百分之八十五了。'),
  ...of('打 8.5 折，即 85%。', '8.5折', '八五折'),
];

const USEFUL: readonly Case[] = [
  ...of('共 5000 个。', '1 千克和 5 千米是怎样的单位？', '5 是其中一个因数。', '万一不行呢？'),
  ...of('共 2.5 个。', '两个半圆拼成什么？', '2 个半径有多长？', '画两个半圆。'),
  ...of('所以是 1/2。', '先取一半，再取三分之一。', '半径是直径的一半。'),
  ...of('所以是 3/4。', '各取四分之三，再合起来。'),
  ...of('一共 12.5 元。', '12 元 5 个，每个几元？', '12块5厘米的木板'),
  ...of('所以 x=-5。', '零下3度和 5 度差几度？'),
  ...of('占 80%。', '沿折线 8 折叠。'),
  ...of('It is 3.5.', 'Three points lie on five lines.', 'Three and a few more.'),
  ...of('x=7/5', 'One and two are the ends.'),
  ['在 3.5 万人里选。', '一共 35000 人。', '3.5 万人中有几人？'],
];

for (const one of LEAKS) test(`${one[0]} is a leak of: ${one[1]}`, () => expect(leakOf(one)).not.toBeNull());

for (const one of USEFUL) test(`${one[0]} is no leak of: ${one[1]}`, () => expect(leakOf(one)).toBeNull());

test.each([
  ['三万五', 35_000],
  ['三千五', 3_500],
  ['一百二', 120],
  ['一百零五', 105],
  ['三千零五', 3_005],
  ['二十一', 21],
  ['十二', 12],
  ['一亿二千万', 120_000_000],
  ['廿一', 21],
])('%s is %d', (words, value) => {
  expect(chineseNumbersOf(words)).toEqual([{ at: 0, end: words.length, value }]);
});

test.each([
  ['three and a half', 3.5],
  ['two and three quarters', 2.75],
  ['twelve point zero five', 12.05],
  ['one billion two million', 1_002_000_000],
])('%s is %d', (words, value) => {
  expect(englishNumbersOf(words)).toEqual([{ at: 0, end: words.length, value }]);
});

import { expect, test } from 'vitest';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { cardOf } from '../../support/generators.js';

type Case = readonly [hint: string, reference: string, question?: string];

const PURE = '下列物质属于纯净物的是（　）\nA. 空气\nB. 蒸馏水\nC. 海水\nD. 牛奶';
const SEVERAL = '下列物质属于纯净物的有（　）\nA. 空气\nB. 蒸馏水\nC. 海水\nD. 氧气';

function leakOf([hint, goldSolutionBrief, questionText = PURE]: Case): string | null {
  const card = cardOf({ id: 'a', questionText, studentSolutionText: null, goldSolutionBrief });
  return LeakGuard.of({ card, sources: [], question: questionText }).leakIn(hint);
}

const REFERENCES = [
  'B. 蒸馏水',
  'B．蒸馏水',
  'B、蒸馏水',
  'B 蒸馏水',
  'B：蒸馏水',
  'B（蒸馏水）',
  '(B) 蒸馏水',
  '【答案】B',
  '【答案】B\n【解析】A、C、D 都是混合物。',
  '[答案] B',
  '答：B',
  'Ans: B',
  '①B',
  'B\n蒸馏水只含水',
  'B。A、C、D 都是混合物。',
  'B，空气、海水和牛奶都是混合物。',
  'B because it has one substance',
  '蒸馏水',
  '答案：蒸馏水。',
  'B',
  '选B',
  '故选：B．',
  'The answer is B.',
];
const TELLING = ['答案是 B。', '选 B。', 'B 正确。', '答案是蒸馏水。'];
const SAID = [
  '正确的是 B',
  '所以 B',
  '只有 B 符合',
  'It must be B.',
  '答案是 \\boxed{B}',
  '\\boxed{\\text{B}}',
  '答案应该是 B',
  '答案就是 B 项。',
  '括号里填 B。',
  '应该是 B 项。',
  'B 项符合题意。',
  'The answer should be B.',
  'The correct choice must be (B).',
  'Pick B.',
  'Select option B.',
  'It is option B.',
  'Go with B.',
];
const ASKING = [
  'B 和 D 各含几种物质？',
  '蒸馏水里有什么？',
  'A 正确吗？B 呢？',
  '先看 A、C 为什么不是。',
  '选项 B 是什么？',
  '选 B 还是 D？',
  '应该是 B 还是 D？',
  'Would you choose B or D?',
  '答案应该是 B 还是 D？',
  'B 项符合题意吗？',
];

const LEAKS: readonly Case[] = [
  ...REFERENCES.flatMap((reference) => TELLING.map((hint): Case => [hint, reference])),
  ...SAID.map((hint): Case => [hint, 'B. 蒸馏水']),
  ...['BD', 'B、D', 'B,D', '选 B 和 D', '答案：B、D', '【答案】BD', 'B and D'].flatMap((reference) =>
    [
      '答案是 BD。',
      '答案是 B、D。',
      '选 B 和 D。',
      'B、D 正确。',
      'B and D are right.',
      '答案是 DB。',
      'D 正确，还有呢？',
    ].map((hint): Case => [hint, reference, SEVERAL]),
  ),
  ['这句话是错的', '错误', '判断：0 是正数。'],
  ['这个表述是正确的。', '正确', '判断：0 是偶数。'],
  ['所以选 B。', 'A、C 错误，B 正确。'],
];

const USEFUL: readonly Case[] = [
  ...REFERENCES.flatMap((reference) => ASKING.map((hint): Case => [hint, reference])),
  ...['B、D 各含几种物质？', '有人选 A、C，错在哪里？', '选 A、B 还是 D？'].map((hint): Case => [hint, 'BD', SEVERAL]),
  ['选 A、B 还是 C？', '选 A'],
  ['正确的是 B 吗？', 'B'],
  ['只有 B 符合吗？', 'B'],
  ['这句话是对的还是错的？', '错误', '判断：0 是正数。'],
  ['这句话是正确的吗？', '错误', '判断：0 是正数。'],
  // Letters that are no choice.
  ['A 正确，再看 B。', 'A. 错；B. 对；C. 错。', '判断对错\nA. 一\nB. 二\nC. 三'],
  ['先求 A。', 'A、B 两地相距 5 km。', '求距离'],
  ['所以 A 在圆上。', 'A 点在圆上，半径是 5。', '求半径'],
  ['The answer is A or B?', 'A circle has no corners.', 'What is special about a circle?'],
];

for (const one of LEAKS) test(`${one[0]} is a leak of: ${one[1]}`, () => expect(leakOf(one)).not.toBeNull());

for (const one of USEFUL) test(`${one[0]} is no leak of: ${one[1]}`, () => expect(leakOf(one)).toBeNull());

import { expect, test } from 'vitest';
import { claimsOf } from '../../../src/tutoring/answer-metrics.js';
import { choiceOf } from '../../../src/tutoring/choice-answer.js';
import { CitationChecker } from '../../../src/tutoring/citations.js';
import { copiedFrom } from '../../../src/tutoring/copies.js';
import { finalAnswerOf } from '../../../src/tutoring/final-answer.js';
import { knownFrom } from '../../../src/tutoring/known.js';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { withoutMarks } from '../../../src/tutoring/marks.js';
import { spelledNumbersOf } from '../../../src/tutoring/numbers.js';
import { withPlainHeadings } from '../../../src/tutoring/stated.js';
import { expectGrowthBelow } from '../../support/cpu-time.js';
import { cardOf } from '../../support/generators.js';

type Case = readonly [hint: string, reference: string, question?: string];

function leakOf([hint, goldSolutionBrief, questionText = '求解']: Case): string | null {
  const card = cardOf({ id: 'a', questionText, studentSolutionText: null, goldSolutionBrief });
  return LeakGuard.of({ card, sources: [], question: questionText }).leakIn(hint);
}

/** Cases with one reference and one question. */
function of(reference: string, question: string | undefined, ...hints: readonly string[]): readonly Case[] {
  return hints.map((hint) => (question === undefined ? [hint, reference] : [hint, reference, question]));
}

const FIVE = 'So there are 5.';
const LEAVE = '5 leave, 3 come. How many?';
const YESTERDAY = 'Which is right? A. I have gone there yesterday. B. I went there yesterday.';
const VISIT = '这次参观使我们懂得了节约用水。';
const TRUE_OR_FALSE = 'True or false?';

const LEAKS: readonly Case[] = [
  // A number in brackets is the answer, unless the text counts up to it.
  ...of('共 12 人', undefined, '答：（12）人', '答案：（12）人', '得到：（12）人', '一共有：（12）人', '一共（12）人'),
  ...of('12 birds', undefined, 'Answer: (12) birds', 'The total is:\n(12) birds.', '(12) is the result'),
  ...of('共 2 人', undefined, '(1) 读题，答案是 (2) 人'),
  // The name of an example is also something to count.
  ...of(
    '12 birds',
    undefined,
    'In this example 12 birds are left.',
    'In our question 12 birds are left.',
    'The question 12 is right.',
    'In both cases 3 and 12 work.',
  ),
  ['For this question 24 is right.', 'It is 24.'],
  ...of('共 12 种', undefined, '新增病例 12 例。', '可以分 12 种情况', '比例 12 的'),
  ...of('共 3 份', undefined, '情况 3 种', '资料 3 份', '分 3 类', '例 3 份'),
  ...of('所以 x = 1。', undefined, '结果化成 1', '化为 1'),
  // The formula of an explanation does not replace the answer.
  ['The area is x(x+2).', 'l = x + 2, so the area is x(x+2).', 'A rectangle is x wide and 2 longer than wide.'],
  ...of('l=x+2，面积为 x(x+2)。', '宽 x，长多 2', '面积是 x(x+2)。'),
  ['The side is √2.', 'a^2=2, the side is √2.', 'A square has the area 2.'],
  ['(x+1)(x-2)', 'x^2-x-2=0，因式分解 (x+1)(x-2)', '1. 因式分解 x^2-x-2'],
  // A sentence of the question is the answer where a hint says so.
  ...of(
    'I went there yesterday.',
    YESTERDAY,
    'The right sentence is: I went there yesterday.',
    'Choose the sentence "I went there yesterday."',
    '"I went there yesterday" is right.',
    'The answer is *I went there yesterday*.',
    'So it is: I went there yesterday.',
    'I went there yesterday. That is the answer.',
  ),
  ...of(VISIT, `选出没有语病的一句：\nA. 通过这次参观，使我们懂得了节约用水。\nB. ${VISIT}`, `正确的一句是：${VISIT}`),
  ...of(
    VISIT,
    `选出没有语病的一句：${VISIT}`,
    `答案是“${VISIT}”`,
    `没有语病的是“${VISIT}”`,
    `“${VISIT}”才对。`,
    `“${VISIT}”这一句是正确的。`,
    `所以是：${VISIT}`,
    `“${VISIT}”是正确的。`,
  ),
  [
    '正确的说法是：植物的光合作用吸收二氧化碳并放出氧气。',
    '植物的光合作用吸收二氧化碳并放出氧气。',
    '下列哪种说法正确？植物的光合作用吸收二氧化碳并放出氧气。植物的呼吸作用放出氧气。',
  ],
  // No mark of a list behind "the answer is".
  ...of('一共 3 人。', undefined, '答案是\n3.所以检查', '答案是：\n\n3. 检查一下。', '3. 读题，得 3 人'),
  ...of('So x = 3.', undefined, 'The answer is\n3. Check it.', 'The sum:\n3. Check it.', 'Read.\n3) ok, 3'),
  ...of('12 birds', undefined, '总数是\n12、检查', '12.birds', '### 12) birds', '1. Read.\n2. It is\n12. Check.'),
  ...of('一共 7 人。', undefined, '答案：\n7️⃣ 人', '7️⃣ 人'),
  ...of('一共 1 人。', undefined, '答案：\n1️⃣ 人'),
  // A dash, words and what follows "answer" do not make an answer part of an expression.
  ...of(
    FIVE,
    LEAVE,
    'The answer is 5 — a whole number.',
    'The answer is 5 – a whole number.',
    'You get 5 - a whole number.',
    'You get 5 — 3 fewer than 8.',
    'Answer: 5 + (units)',
    'You get 5 + (units).',
    'You get 5 + (a check).',
    '答案=5×1',
    'The answer is 5 + 0.',
  ),
  // 负 also means to lose and to bear.
  ...of('所以 12 场。', undefined, '共负 12 场', '自负 12 元', '肩负 12 公斤', '胜 5 负 12'),
  ['一共输 12 场。', '该队共负 12 场。'],
  // A division by zero is no number, so 15 is no number of the question.
  ['Compare it with 15.', 'x = 15', 'Solve (5 over 0 is not allowed).'],
  ['有 15 个。', 'x = 15', '解方程（0 分之 5 无意义）'],
  // A number in a circle may have a unit.
  ...of('共 12 个。', undefined, '答案是⑫个。', 'x = ⑫ cm', '答案：⑫'),
  // What ends with the word says that it is the answer.
  ...of('填 has', 'She (has / have) a cat.', 'The word is has.', 'It should be "has"!', '应写成 has', '改为“has”。'),
];

const USEFUL: readonly Case[] = [
  ...of('一共 2 人。', undefined, '(1) 读题；(2) 画图；(3) 列式', '分两步：（1）读题；（2）画图。'),
  ...of('So x = 3.', undefined, 'Look at hint 3: it says more.', 'Question 3 asks for the same.', 'See example 3.'),
  ...of('一共 3 个。', undefined, '用例 3 的方法。', '例 3 里也是这样', '如例题 3。', '看资料 3：讲了什么？'),
  ...of('一共 3 个。', undefined, '分 3 种情况讨论。', '分 3 类讨论。'),
  ...of('x=1', '解 3x+2=5', '得到 3x=3 后，系数怎么化为 1？', '把 x 的系数化成 1。'),
  // Marks of lists: with a blank before anything, without one where they count up from 1.
  ...of('所以 x = 1。', '解 2x+4=6', '1. 2x + 4 = 6 里先移哪一项？', '1. 3 的倍数有哪些？\n2. 4 的倍数有哪些？'),
  ['2. (a+b)^2 has three terms.', '2ab', 'expand (a+b)^2'],
  ['1. *Read* it\n2. *Draw*', 'So x = 2.'],
  ...of('共 1 首。', undefined, '1. △ABC 中', '1. 《静夜思》', '1. （先读题）'),
  ...of('共 3 个', undefined, '3. ✅ 检查', '1.✅ 读题\n2.✅ 画图\n3.✅ 检查', '1️⃣ 圈出：\n2️⃣ 列式：\n3️⃣ 检查'),
  ...of('共 2 个', undefined, '1. 读题\n(1) 圈出\n(2) 划线\n2. 画图', '1、读题\n2、画图\n\n1、列式\n2、检查'),
  // A sentence of the question may be quoted, also without its full stop.
  ...of('I went there yesterday.', YESTERDAY, 'What does "I went there yesterday." say about the time?'),
  ...of('I went there yesterday.', YESTERDAY, 'Is the sentence "I went there yesterday." right?'),
  ...of(
    VISIT,
    `选出没有语病的一句：${VISIT}`,
    `“${VISIT}”这一句的主语是谁？`,
    `“${VISIT}”是正确的吗？`,
    `“${VISIT}”是对的还是错的？`,
  ),
  [
    'Look at "My sister lives in Paris": who lives there?',
    'My sister lives in Paris. It needs an s.',
    '"My sister lives in Paris"',
  ],
  [
    '读一读“太阳从东边升起来照亮大地”。',
    '太阳从东边升起来照亮大地。用了拟人。',
    '“太阳从东边升起来照亮大地”用了什么修辞？',
  ],
  // What follows a colon tells the answer only behind a correction.
  [
    '想一想：直角三角形两直角边的平方和等于斜边的平方。',
    '根据勾股定理：直角三角形两直角边的平方和等于斜边的平方。',
    '求斜边',
  ],
  [
    'Remember: Energy is conserved in every collision.',
    'Reason: Energy is conserved in every collision. So v = 3 m/s.',
    'Find v',
  ],
  // Ordinary sentences about grammar.
  ['The word is an adjective.', '填 an', '(a / an) apple'],
  ...of('填 a', '(a / an) cat', 'It should be a singular verb.', 'The form is a plural.', 'Which word is a noun here?'),
  ['You should write the whole sentence.', '填 the', '(a / an / the) sun'],
  ['The verb should be in agreement.', '填 in', '(in / on) Monday'],
  ['This should be at the start.', '填 at', '(in / on / at) noon'],
  ...of('True', TRUE_OR_FALSE, 'The units should be right.', 'The sentence should be right after the comma.'),
  ['写成分数。', '分', '填单位'],
  ['改成不等式。', '不', '填一个字'],
  ['应写成一个词。', '一', '填数量词'],
  ['这句话应改为正确的语序。', '正确', '判断对错'],
  ['可以把“把”字句改为“被”字句吗？', '被', '改句'],
  // Next to what is read as a negative number, a circle and a computation.
  ['负 3 的相反数怎么求？', '所以是 3。', '求 -3 的相反数'],
  ['答案：① 先设，② 再列。', '一共 2 个。'],
  ...of(FIVE, LEAVE, 'You get 5 - x.', 'First you get 5 + (3 + x).', 'You get 5 - 3, so what is left?'),
  ['分母不能是零：零分之五没有意义。', 'x = 15', '解方程'],
  ['The denominator is not zero: 5 over 0 has no meaning.', 'x = 15', 'Solve.'],
];

for (const one of LEAKS) test(`${one[0]} is a leak of: ${one[1]}`, () => expect(leakOf(one)).not.toBeNull());

for (const one of USEFUL) test(`${one[0]} is no leak of: ${one[1]}`, () => expect(leakOf(one)).toBeNull());

// With a quadratic reading each takes seconds, with a cubic one hours.
const BLANKS = [' ', '\n'].map((blank) => blank.repeat(20_000));
const BEFORE = [
  'x',
  '5',
  '5 and',
  '=',
  'The answer is',
  '答案',
  '答案是',
  '写成',
  'should be',
  'hint',
  '1.',
  '[S1]',
  '8 分之',
];

for (const before of BEFORE) {
  test(`20,000 blanks behind ${before} are read in linear time`, () => {
    for (const blanks of BLANKS) {
      for (const after of ['x 5', '⑤.', 'has a']) {
        const text = `${before}${blanks}${after}`;
        leakOf([text, FIVE, LEAVE]);
        leakOf([text, '填 has', 'She (has / have) a cat.']);
        leakOf(['You get 7.', text, LEAVE]);
        leakOf(['You get 7.', 'So x = 7.', text]);
      }
    }
  });
}

test.each<readonly [what: string, read: (text: string) => unknown, piece: string]>([
  ['blanks before a heading', withPlainHeadings, ' '],
  ['digits before 分之', spelledNumbersOf, '1'],
  ['brackets behind an option', (text) => choiceOf(text, 'A. 1 B. 2'), ')'],
  ['blanks before a letter', (text) => choiceOf(text.slice(2), 'A. 1 B. 2'), ' '],
  ['ends of sentences', claimsOf, '？'],
  ['ends of lines', withoutMarks, '\r'],
  ['full stops behind a sentence', (text) => copiedFrom([{ text: '......', given: 'exact' }], text), '.'],
  ['underlines of a question', (text) => knownFrom(text, '', ''), '_'],
  ['spaced full stops before a last word', (text) => finalAnswerOf(text, []), '. '],
  ['opened citations', (text) => new CitationChecker([]).push(text), '['],
])('%s are read in linear time', (_, read, piece) => {
  expectGrowthBelow(5, (size) => () => read(`答案${piece.repeat(size)}x`), 5_000);
});

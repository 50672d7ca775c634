import { expect, test } from 'vitest';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { cardOf } from '../../support/generators.js';

type Case = readonly [hint: string, reference: string, question?: string];

function leakOf([hint, goldSolutionBrief, questionText = '求解']: Case): string | null {
  const card = cardOf({ id: 'a', questionText, studentSolutionText: null, goldSolutionBrief });
  return new LeakGuard({ card, sources: [], question: questionText }).leakIn(hint);
}

const OPTIONS = 'A. 一\nB. 二\nC. 三';
const RIGHT_ONE = `下列说法正确的是\n${OPTIONS}`;
const WRONG_ONE = `下列说法错误的是\n${OPTIONS}`;

const LEAKS: readonly Case[] = [
  ['看来 B 项正确。', '故选 B。'],
  ['B 是对的，为什么？', '故选 B。'],
  ['B 对吧', '故选 B。'],
  ['B 才是正确答案。', '故选 B。'],
  ['**B 正确**', '故选 B。'],
  ['B is right.', '故选 B。'],
  ['Option B is the right one.', '故选 B。'],
  ['所以选 B。', 'A、C 错误，B 正确。', RIGHT_ONE],
  ['You get 235.', '403 - 168 = 235. Regroup: 4 hundreds become 3 hundreds, 9 tens and 13 ones.'],
  ['You get 235.', '403 - 168 = 235. Across the zero 403 has 3 hundreds + 9 tens + 13 ones.'],
  ['你会得到 235。', '403 - 168 = 235。退位：4 个百变成 3 个百、9 个十和 13 个一。'],
  ['One root is x = 5.', 'x(x - 5) = 0, so x = 0 or x = 5. Dividing by x threw away x = 0.'],
  ['First get x = 3.', '2x = 6. Dividing by 2 gives x = 3.'],
  ['It is *1*2.', 'So x = 12.'],
  ['It is ***1***2.', 'So x = 12.'],
  ['It is 1*2*.', 'So x = 12.'],
  ['It is 1**2**.', 'So x = 12.'],
  ['这是光合*作用*。', '答案：光合作用'],
  ['It is 2*3*4*x.', 'The product is 2*3*4*x.'],
  ['一共就有一百棵了。', '要种 100 棵。'],
  ['两端都种，就有二十一棵了。', '要种 21 棵。'],
  ['Answer:\n3.\nCheck it.', 'So x = 3.'],
  ['3. x = 3', 'So x = 3.'],
  ['Hint 2: there are 3 birds.', '3 birds'],
  ['From step 2, 3 birds are left.', '3 birds'],
  ['提示 2：一共 3 个。', '一共 3 个。'],
  ['第 2 步得 3。', '一共 3 个。'],
  ['甲乙的比例 3:4 吗？', '甲是 3。'],
  ['It is (3).', 'So x = 3.'],
  ['x = (3) is it.', 'So x = 3.'],
  ...[
    ['可以得到：5', '即 5。', '答：5 个。', '答案应该是「5」。', '5 就是答案。', '5 个就是正确答案。', '| 答案 | 5 |'],
    [
      'It should be 5.',
      "In the end it's 5.",
      'It comes out to 5.',
      'You end up with 5.',
      'You will find 5.',
      'It is `5`.',
    ],
    [
      'You obtain 5.',
      '5 is the answer.',
      '5 cm is the right answer.',
      'So \\boxed{5}',
      'The answer is (5).',
      'It is $\\fbox{5}$',
    ],
  ].flatMap((hints) => hints.map((hint): Case => [hint, 'So there are 5.', '5 leave, 3 come. How many?'])),
  ['答案是⑫。', '共 12 个。'],
  ['The answer is ㉑', 'There are 21.'],
  ['The answer is 1️⃣2️⃣.', 'There are 12.'],
  ['You get 7 over 8.', 'It is 7/8.'],
  ['The answer is seven over eight.', 'It is 7/8.'],
  ['The answer is 7 out of 8.', 'It is 7/8.'],
  ['It is 7 eighths.', 'It is 7/8.'],
  ['It is five twelfths.', 'It is 5/12.'],
  ['得到 8 分之 7。', '所以是 7/8。'],
  ['占百分之 20。答案是百分之 20。', '占 20%。'],
  ['The answer is negative 3.', 'So x = -3.'],
  ['It is minus 3.', 'So x = -3.'],
  ['答案是负 3。', '所以 x = -3。'],
  ['一个根是负 3，另一个呢？', '所以 x = -3 或 x = 5。'],
  ['答案是正负 4。', '所以 x = 4。'],
  ['解集是 $(-1,3)$。', '解集为 $(-1,3)$。', '解 $(x-3)(x+1)<0$'],
];

const USEFUL: readonly Case[] = [
  ['角 B 对边是哪条？', '故选 B。'],
  ['先看 B 对应的图形。', '故选 B。'],
  ['B 对不对？为什么？', '故选 B。'],
  ['Angle B is right-angled; what follows?', '故选 B。'],
  ['Is B right of the line? B is right-angled, too.', '故选 B。'],
  ['点 B 对，角 B 对，∠B 对。', '故选 B。'],
  ['先找 C 对边。', 'C 对边为 c，所以 c = 5。'],
  ['Angle C is right, so which theorem applies?', 'In triangle ABC, angle C is right, so AB = 5.'],
  ['C 正确，再看 a。', '算出 C 正确，所以 a = 5。'],
  ['A 正确，那么 B 呢？', 'B 错误，A 正确。', WRONG_ONE],
  ['A is right. What about B?', 'A is right, B is wrong.', `Which is not true?\n${OPTIONS}`],
  ['C 正确，再看其余。', 'A 正确；B 错误；C 正确。', `判断对错\n${OPTIONS}`],
  ['First add: 3 + 4 = 7.', '3 + 4 = 7. Perimeter is 14.'],
  ['First add: 3 + 4 = 7.', '3 + 4 = 7. Perimeter: 2 * (3 + 4) = 14.'],
  ['先算 8+7=15。', '8 + 7 = 15。一共 15 - 3 = 12 个。'],
  ['先算 12×4=48。', '12 × 4 = 48。再加 12 个共 60 个。'],
  ['First get 2x = 6.', '2x = 6. Dividing by 2 gives x = 3.'],
  ['30 / 5 = 6 is one part.', '30 / 5 = 6. The distance is 4 * 6 = 24 km.'],
  ['Work out 2*3*4, or 2 *3*4.', 'So x = 234.'],
  ['一百以内的加法怎么做？', '共 100 棵。'],
  ['百位上是几？百分数怎样化小数？', '共 100 棵。'],
  ['1 千克和 1 千米是怎样的单位？', '共 1000 克。'],
  ['在二十一世纪，这个数学问题怎样解？', '要种 21 棵。'],
  ['想想第 二十一棵前面有几个间隔。', '要种 21 棵。'],
  ['1️⃣ 读题\n2️⃣ 画图\n3️⃣ 列式', '一共 3 个。'],
  ['1）读题\n2）画图\n3）列式', '一共 3 个。'],
  ['1．读题\n2．画图\n3．列式', '一共 3 个。'],
  ['(1) 读题；(2) 画图；(3) 列式', '一共 3 个。'],
  ['### 1. Read\n### 2. Plan\n### 3. Check', 'So x = 3.'],
  ['**Hint 3:** go up to the last step.', 'So x = 3.'],
  ['**提示 3**：只差最后一步。', '一共 3 个。'],
  ['第 3 层提示：只差最后一步。', '一共 3 个。'],
  ['看你的第 2、3 步，再看第 1 句到第 3 句。', '一共 3 个。'],
  ['Look at lines 2 and 3, and at example 3.', 'So x = 3.'],
  ['分 3 种情况讨论；例 3 也是这样。', '一共 3 个。'],
  ['①+②，得 ③。由 ③ 得 x = 1。', '一共 3 个。'],
  ['把方程③代入，答案：① 先设，② 再列，③ 再解。', '一共 3 个。'],
  ['先看 x minus 3, then 5 minus 3.', 'So x = -3.'],
  ['Take 3 out of 4 cards, then 5 over there.', 'It is 3/5.'],
  ['It moves 20 m over 4 seconds: 5 over the line.', 'It is 5/4.'],
  ['The third part of 4 is asked. Which 2 thirds?', 'It is 4/3.'],
  ['负数有几个？3 是正数。', '所以 x = -3。'],
  ['单位“1”是谁？先把系数化为 1。', '一共 1 个。'],
  ...[
    [
      '先算 5 + 3。',
      '你得到 5 - 3 了吗？',
      '看 5 个离开的，5 就是答案吗？',
      '5 是离开的。',
      '先求 5 与 3 的差。',
      '为什么 5 不是答案？',
    ],
    ['You get 5 - 3 first.', 'It should be 5 * 3.', '5 is not the answer.', '5 is the number that leave.'],
    ['First 5 leave.', '5 is the answer? Check.', 'Find the 5 that leave.', 'Is it (5 - 3) or (5 + 3)?'],
  ].flatMap((hints) => hints.map((hint): Case => [hint, 'So there are 5.', '5 leave, 3 come. How many?'])),
  ['定义域是 $(0,3)$。', '递减区间是 $(0,1)$。', '求 $y=x^2-2x+0$ 的递减区间，$x<1$。'],
];

for (const one of LEAKS) test(`${one[0]} is a leak of: ${one[1]}`, () => expect(leakOf(one)).not.toBeNull());

for (const one of USEFUL) test(`${one[0]} is no leak of: ${one[1]}`, () => expect(leakOf(one)).toBeNull());

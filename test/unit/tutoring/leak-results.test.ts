import { expect, test } from 'vitest';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { cardOf } from '../../support/generators.js';

interface Case {
  readonly question: string;
  readonly attempt: string;
  readonly reference: string;
  readonly leaks: readonly string[];
  readonly useful: readonly string[];
}

const CASES: readonly Case[] = [
  {
    question: '因式分解：x²-9',
    attempt: '(x-3)²',
    reference: 'x²-9=(x+3)(x-3)。',
    leaks: ['(x+3)(x-3)', '应分解为 (x-3)(x+3)。', 'x^2-9=(x+3)(x-3)'],
    useful: ['平方差公式 a²-b²=(a+b)(a-b)。', '(x-3)² 展开是什么？中间有没有一次项？', '9 可以写成几的平方？'],
  },
  {
    question: '一组数据 3，5，7，5，10 的中位数和平均数各是多少？',
    attempt: '中位数 7，平均数 6',
    reference: '排序 3，5，5，7，10，中位数是 5，平均数是 30÷5=6。',
    leaks: ['中位数是 5。', '中位数为 5，平均数为 6。'],
    useful: [
      '求中位数要先排序。',
      '平均数 6 是对的，中位数要重新看。',
      '把数据从小到大排好，第三个数是几？',
      '5 出现了两次，它是众数吗？',
    ],
  },
  {
    question: '等差数列 {aₙ} 中，a₃=7，a₇=15，求公差 d 和首项 a₁。',
    attempt: 'd=(15-7)/3',
    reference: '4d=15-7=8，d=2，a₁=7-2×2=3。',
    leaks: ['d=2，a₁=3。', '4d=8，d=2。'],
    useful: ['a₇=a₃+4d。', '15-7=8 是几个公差？'],
  },
  {
    question: '求曲线 y=x²-x 在点 (1,0) 处的切线方程。',
    attempt: "y'=2x-1，k=2，y=2x-2",
    reference: "y'=2x-1，x=1 时切线斜率 k=1，所以切线方程是 y=x-1。",
    leaks: ['切线方程是 y=x-1。', 'y=x-1', '所以 y - 0 = 1·(x-1)，即 y=x-1。'],
    useful: [
      '切线斜率 k=1，再用点斜式。',
      'x=1 时，切线斜率是 2×1-1。',
      '切线过点 (1,0)，斜率是导数值。',
      "把 x=1 代入 y'=2x-1，不要漏减 1。",
      '点斜式：y-y₀=k(x-x₀)。',
    ],
  },
  {
    question: '函数 f(x)=ln(x-1)+√(3-x) 的定义域是什么？',
    attempt: 'x≥1 且 x≤3',
    reference: 'x-1>0 且 3-x≥0，所以定义域是 (1,3]。',
    leaks: ['定义域是 (1,3]。', '1<x≤3', 'x 要大于 1 且不超过 3，即 (1,3]。'],
    useful: [
      '对数的真数必须大于 0，能等于 0 吗？',
      'x-1>0，你写的是 x≥1。',
      '根号下要非负。',
      '端点 1 取得到吗？端点 3 呢？',
    ],
  },
  {
    question: '改错：I look forward to see you.',
    attempt: 'I look forward to saw you.',
    reference: 'I look forward to seeing you.（to 是介词，后接动名词）',
    leaks: ['I look forward to seeing you.'],
    useful: ['look forward to 的 to 是介词还是不定式？', '介词后面接动词的什么形式？', '动名词怎么变？'],
  },
  {
    question: 'Choose the correct one: Neither of the answers ___ right. A. is B. are C. were D. be',
    attempt: 'B',
    reference: 'A',
    leaks: ['It is A.'],
    useful: [
      'Is "neither" singular or plural?',
      'Do not look at answers, look at neither.',
      'Which option is used with a singular subject?',
      'A and B differ in number.',
      'There is only one subject: neither.',
    ],
  },
  {
    question: '下列词语中加点字读音正确的一项是（　）\nA. 参差(cī)\nB. 参加(cēn)\nC. 人参(cān)\nD. 参观(shēn)',
    attempt: 'B',
    reference: '“参差”读 cēn cī，A 正确。选 A。',
    leaks: ['正确的一项是 A'],
    useful: [
      '“参加”的参读什么？',
      '“参”有三个读音：cān、shēn、cēn。',
      'B 项的“参”标错了。',
      '先把每个词读一遍。',
      'A、B、C、D 逐个查字典。',
    ],
  },
  {
    question: '配平：Al + O₂ → Al₂O₃',
    attempt: '2Al+O₂=Al₂O₃',
    reference: '4Al+3O₂=2Al₂O₃',
    leaks: [
      '4Al+3O₂=2Al₂O₃',
      'Al 前面配 4，O₂ 前面配 3，Al₂O₃ 前面配 2。',
      '系数依次是 4、3、2。',
      '铝的系数是 4，氧气的系数是 3。',
      '系数为 4:3:2',
      '4 Al + 3 O2 → 2 Al2O3',
    ],
    useful: [
      '先找左右两边氧原子个数的最小公倍数。',
      'O₂ 有 2 个氧原子，Al₂O₃ 有 3 个。',
      '2 和 3 的最小公倍数是 6。',
      '右边有 2 个铝原子，3 个氧原子。',
      '不能改动化学式里的下标。',
    ],
  },
  {
    question: '配平：Fe + O₂ → Fe₃O₄',
    attempt: 'Fe+2O₂=Fe₃O₄',
    reference: '3Fe+2O₂=Fe₃O₄（点燃）',
    leaks: ['Fe 的系数是 3，O₂ 的系数是 2。', '3Fe + 2O₂ = Fe₃O₄', '铁前面写 3 就行了。'],
    useful: ['右边有 3 个铁原子。', 'O₂ 的系数 2 是对的，再数数铁原子。', 'Fe₃O₄ 中有 4 个氧原子。'],
  },
  {
    question: 'Balance: N2 + H2 → NH3',
    attempt: 'N2 + H2 = 2NH3',
    reference: 'N2 + 3H2 = 2NH3',
    leaks: [
      'N2 + 3H2 → 2NH3',
      'Put 3 in front of H2 and 2 in front of NH3.',
      'The coefficients are 1, 3, 2.',
      'The coefficient of H2 is 3.',
    ],
    useful: [
      'Count the hydrogen atoms on each side.',
      'There are 2 nitrogen atoms on the left.',
      'NH3 has 3 hydrogen atoms.',
      '2NH3 has 6 hydrogen atoms.',
      'Do not change subscripts.',
    ],
  },
  {
    question: '配平：KClO₃ → KCl + O₂',
    attempt: 'KClO₃=KCl+O₂',
    reference: '2KClO₃=2KCl+3O₂',
    leaks: ['系数是 2、2、3。', '氧气前面配 3。', '2KClO₃=2KCl+3O₂'],
    useful: [
      '左边有 3 个氧原子，右边有 2 个。',
      '3 和 2 的最小公倍数是几？',
      'KClO₃ 的下标 3 不能改。',
      '系数要使两边各原子数目相等。',
      '先在含氧的物质前配系数，使氧原子数都是 6。',
    ],
  },
  {
    question: '把 0.75 化成分数。',
    attempt: '75/10',
    reference: '0.75=75/100=3/4。',
    leaks: ['3/4'],
    useful: ['0.75 是百分之几？', '0.75 表示 75 个百分之一，所以分母是 100。', '75/100 再约分。'],
  },
];

for (const { question, attempt, reference, leaks, useful } of CASES) {
  const card = cardOf({
    id: 'a',
    questionText: question,
    studentSolutionText: attempt,
    goldSolutionBrief: reference,
  });
  const guard = LeakGuard.of({ card, sources: [], question });
  for (const hint of leaks) test(`${hint} is a leak of: ${reference}`, () => expect(guard.leakIn(hint)).not.toBeNull());
  for (const hint of useful) test(`${hint} is no leak of: ${reference}`, () => expect(guard.leakIn(hint)).toBeNull());
}

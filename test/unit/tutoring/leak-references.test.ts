import { expect, test } from 'vitest';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { cardOf } from '../../support/generators.js';

type Case = readonly [hint: string, reference: string, question?: string];

function leakOf([hint, goldSolutionBrief, questionText = '求解']: Case): string | null {
  const card = cardOf({ id: 'a', questionText, studentSolutionText: null, goldSolutionBrief });
  return LeakGuard.of({ card, sources: [], question: questionText }).leakIn(hint);
}

const BANK = '【答案】21 棵\n【解析】间隔数为 20，两端都种要加 1。';
const MISSING = '默写：＿＿＿＿，明月何时照我还。';
const SHAPE = '它是等腰三角形还是直角三角形？';
const COMPARE = '比较 a 和 b 的大小';

const LEAKS: readonly Case[] = [
  // An answer before its reasons.
  ['答案是 21 棵。', BANK],
  ['一共 21 棵。', '［答案］ 21 棵［分析］两端都种，共 20 个间隔。'],
  ['The answer is 21.', 'Ans: 21 trees; 20 gaps and 1.'],
  ['想想叶绿体。', '【答案】叶绿体【解析】它含有叶绿素 a、b。'],
  ['The answer is 21 trees.', 'There are 20 gaps, so 21 trees; check: 20 × 5 = 100.'],
  ...[
    '21 棵，因为 20+1。',
    '共21棵。易错点：忘记加1。',
    '21棵树。本题考查植树问题，难度 3。',
    '21。\n来源：2024 年期中第 8 题',
    '21 trees. Remember: 20 gaps.',
    '21 棵。间隔数 100÷5=20，再加 1。',
  ].map((reference): Case => ['答案是 21。', reference]),
  // One value a line.
  ['甲数是 48，再求乙数。', '甲=48\n乙=35'],
  ['Now x = 3 and y?', 'x = 3\ny = 5'],
  // In words.
  ...['二十一棵', '一共二十一棵。', '要种二十一棵树。', 'twenty-one trees', 'There are twenty-one trees.'].map(
    (reference): Case => ['答案是 21。', reference],
  ),
  ['一共是 2 个。', '一共两个。'],
  // One phrase.
  ['上一句是“春风又绿江南岸”。', '春风又绿江南岸', MISSING],
  ['答案是等腰三角形。', '等腰三角形'],
  ['答案是等腰三角形。', '等腰三角形。', SHAPE],
  ['是艾萨克·牛顿提出的。', '艾萨克·牛顿'],
  ['产物有氧气和有机物。', '氧气和有机物'],
  // Comparisons and roots.
  ...['答案是 a>b。', '所以 $a > b$。', '得 a＞b'].map((hint): Case => [hint, 'a>b', COMPARE]),
  ['答案是 >。', '>'],
  ['填“＞”。', '＞', '在 ○ 里填 >、< 或 =：3/4 ○ 2/3'],
  ['答案是 √2/2。', '$\\frac{\\sqrt{2}}{2}$'],
  ['You get 3√2/2.', '$\\frac{3\\sqrt{2}}{2}$'],
];

const USEFUL: readonly Case[] = [
  // Numbers of the reasons behind a stated answer.
  ['两端都种，要加 1 吗？', BANK],
  ['20 个间隔有几个端点？', BANK],
  // A first sentence that is a step.
  ['20 个间隔有几个端点？', '20 个间隔。20+1=21（棵）。'],
  ['先得 20 个间隔。', '20 个间隔。两端都种，所以 21 棵。'],
  ['You get 20 gaps first.', '20 gaps. So there are 21 trees.'],
  ['先求间隔数 20。', '共 20 个间隔，因为两端都种，所以 21 棵。'],
  // Lines of a computation.
  ['先得 2x=6，再除以 2。', '2x=6\nx=3'],
  ['速度是 5，时间是 6，怎样求路程？', '速度=5，时间=6，路程 5×6=30'],
  // Words that have a number in them.
  ['三条边中，哪两条相等？', '三角形的两边相等', '这个三角形有什么特点？'],
  ['第 3 句写了什么？', '第三人称'],
  ['一起看两端。', '移项要变号。'],
  // A phrase of the question, or a part of one.
  ['等腰三角形和直角三角形各有什么特点？', '等腰三角形', SHAPE],
  ['它有两条边相等，是什么三角形？', '等腰三角形'],
  ['明月何时照我还，前一句写江南的春天。', '春风又绿江南岸', MISSING],
  ['移项时注意符号。', '移项要变号。'],
  // A comparison that is not said to be the answer.
  ['什么时候 a > b？比一比 a 和 b 的分母。', 'a>b', COMPARE],
  ['填 > 还是 <，先通分再比。', '＞', '在 ○ 里填 >、< 或 =：3/4 ○ 2/3'],
  ['答案是 a>b 吗？先比分母。', 'a<b', COMPARE],
  ['答案是 b<c 吗？', 'a<b<c', '比较 a、b、c'],
  ['√2 是无理数，分母有理化。', '$\\frac{\\sqrt{2}}{2}$'],
];

for (const one of LEAKS) test(`${one[0]} is a leak of: ${one[1]}`, () => expect(leakOf(one)).not.toBeNull());

for (const one of USEFUL) test(`${one[0]} is no leak of: ${one[1]}`, () => expect(leakOf(one)).toBeNull());

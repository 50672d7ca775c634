import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { englishNumbersOf } from '../../../src/tutoring/english-numbers.js';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { cardOf } from '../../support/generators.js';
import { runs } from '../../support/runs.js';

type Case = readonly [kind: string, question: string, reference: string, hint: string];

function guardOf(questionText: string, goldSolutionBrief: string): LeakGuard {
  const card = cardOf({ id: 'a', questionText, studentSolutionText: null, goldSolutionBrief });
  return LeakGuard.of({ card, sources: [], question: questionText });
}

const leakOf = ([, question, reference, hint]: Case): string | null => guardOf(question, reference).leakIn(hint);

const LEAKS: readonly Case[] = [
  ['the first of two roots', '解方程 x² - x - 6 = 0', '(x-3)(x+2)=0，所以 x = 3 或 x = -2。', '其中一个根是 x = 3。'],
  ['one of two named roots', '解方程 x² - x - 6 = 0', '得 $x_1 = 3$，$x_2 = -2$。', 'You get x = 3 first.'],
  ['one of two roots in a sentence', 'Solve x² - x - 6 = 0', 'So x = 3 or x = -2.', 'One root is x = 3.'],
  ['one of two unknowns', 'Solve the system', 'Adding gives 3x = 9, so x = 3 and y = 7.', 'You get x = 3.'],
  ['one of two conditions', '求 k 的范围', '所以 k < 7 且 k ≠ 0。', '想想 k < 7 时怎样。'],
  ['a count before another one in brackets', 'How many?', '7 tricycles (and 13 bicycles).', 'There are 7 of them.'],
  ['one coordinate', 'Where do the lines meet?', 'They meet at (3, -2).', 'The first coordinate is 3.'],
  ['one of two numbers in words', 'Solve x² - x - 6 = 0', 'The roots are 3 and -2.', 'One root is three.'],
  ['one of two lengths', '求两边的长。', '两边长是 3 cm 和 4 cm。', '短边是 3 cm，长边呢？'],
  [
    'one of two counts',
    'How many of each?',
    'There are 5 rabbits and 7 hens.',
    'If there are 5 rabbits, how many hens?',
  ],
  ['the other sign', '求 16 的平方根', '所以 x = ±4。', '别忘了 x = -4。'],
  ['a power of ten as a number', '1 km 的 5 倍是多少米？', '是 $5\\times10^{3}$ 米。', '结果是 5000。'],
  ['a number as a power of ten', 'How many metres?', 'It is 5000 m.', 'You get 5 × 10³ m.'],
  ['a small power of ten', 'How long is it?', 'It is 0.0023 m.', 'Write it as 2.3×10^-3 m.'],
  ['a number with blanks in it', 'How much energy?', 'So E = 200\\,000 J.', 'The energy is 200000 J.'],
  ['a per cent in English', 'What share is red?', 'It is 2/5.', 'That is 40 percent.'],
  ['a rounded fraction', 'What share is red?', 'It is 2/3.', 'That is about 0.67.'],
  ['a fraction with blanks', 'Add 3/4 and 1/8.', 'It is 7/8.', 'It is 7 / 8.'],
  ['a fraction with a citation in it', 'Add 3/4 and 1/8.', 'It is 7/8.', 'It is 7 [S1] / 8.'],
  ['a fraction with a citation in brackets', 'Add 3/4 and 1/8.', 'It is 7/8.', 'It is [7[S1]/8].'],
  ['a fraction in small digits', 'Add 3/4 and 1/8.', 'It is 7/8.', 'You get ⁷⁄₈.'],
  ['a fraction in HTML', 'Add 3/4 and 1/8.', 'It is 7/8.', 'You get <sup>7</sup>/<sub>8</sub>.'],
  ['a number that is bold in part', '解方程 x - 5 = 7', '所以 x = 12', 'x 是 1**2**。'],
  ['a word that is bold in part', '这是什么过程？', '答案：光合作用', '这是光合**作用**。'],
  ['a word with a citation in it', '光合作用在哪里进行？', '答案：叶绿体', '想想叶 [S1] 绿体。'],
  ['degrees', '求角的度数。', '∠A = 35°。', '算下来∠A是 35 度。'],
  ['a multiple of pi', '求角的弧度。', '角是 $\\frac{\\pi}{6}$。', '角等于 π/6，对吗？'],
  ['a multiple of pi with its number', 'How large is the area?', 'π·6² = 36π m²', 'The area is 36 π.'],
  ['no solution', '解方程', 'x = 3，检验：x = 3 时分母是 0，原方程无解。', '想想为什么方程无解。'],
  ['a root', '求第三边。', '第三边是 $2\\sqrt{7}$。', '第三边是 2√7。'],
  ['an interval for an inequality', '解 2x - 3 > 3', '得 x > 3。', '解集是 (3, +∞)。'],
  ['an inequality for an interval', '求递增区间，f(x) = x³ - 3x', '递增区间是 $(7,+\\infty)$。', '想想 x > 7 时怎样。'],
  ['one end of an interval', '解不等式', '解集为 $(-1,3)$。', '左端是 -1。'],
  ['an element of a set', '求 A', '所以 $A=\\{4,7\\}$。', '4 在 A 里。'],
  ['true', 'Is it true or false: all primes are odd?', 'The statement is false.', 'So the statement is false.'],
  ['wrong', '判断：0 是正数。', '错误。', '这个说法是错误的。'],
  ['yes', 'Is 91 composite?', 'Yes.', 'The answer is yes.'],
  ['an English word above twenty', 'How many?', 'There are 45 apples.', 'The answer is forty-five.'],
  ['hundreds in English words', 'How many?', 'There are 120 apples.', 'You get one hundred and twenty.'],
  ['a fraction in English words', 'Which part is left?', 'It is 3/4.', 'So it is three quarters.'],
  ['an acid', '生成的酸是什么？', '生成的酸是 H₂SO₄。', '想想 $\\mathrm{H_2SO_4}$ 怎么来的。'],
  ['a salt', 'Which salt forms?', 'The salt is NaCl.', 'Have you thought of NaCl?'],
  ['an equation with an arrow', '写出氢气燃烧的方程式。', '2H₂+O₂=2H₂O', '应写 2H₂ + O₂ → 2H₂O。'],
  ['a marked noun', '植物怎样制造有机物？', '答案：光合作用', '这个过程叫光合作用。'],
  ['one of two nouns of the question', '光合作用和呼吸作用，哪个释放氧气？', '答案：光合作用', '所以答案是光合作用。'],
  ['an English noun', 'How do plants make sugar?', 'The answer is photosynthesis.', 'Photosynthesis makes the sugar.'],
  ['a noun behind what is asked for', 'Which gas relights a splint?', 'The gas is oxygen.', 'It is oxygen.'],
  ['a name behind what is asked for', '谁写的？', '作者是鲁迅。', '想想鲁迅。'],
  ['the word of a blank', 'She ___ (go) home yesterday.', 'went', 'The past form is "went".'],
  ['one of two filled words', 'If it ___ (rain), I ___ (stay).', '主将从现。填 rains，will stay。', '第一空用 rains。'],
  ['a word before its reason', 'Each of them ___ a bike.', 'has. "Each" is singular.', 'The answer is "has".'],
  ['an expression behind its equation', 'Expand', 'So 5x − 2x + 7 = 3x + 7.', 'You get 3x + 7.'],
  ['a per cent with a blank', 'What share?', '20 g / (20 g + 80 g) = 20 %.', 'It is 0.2.'],
  ['a short word of a blank', 'He is good ___ maths.', 'at', 'The answer is at.'],
  [
    'a result before its reason',
    'Solve x² = 49',
    'x = 7 or x = -7, because (-7)² = 49 as well.',
    'Is x = 7 the only one?',
  ],
  ['a result before its check', 'Solve 8 - 3x = -1', 'So x = 3. Check: 8 - 3·1 = 5.', 'You should find x = 3.'],
  ['a result before its check in Chinese', '解方程', '所以 x = 3，检验：8 - 3·1 = 5。', '你会得到 x = 3。'],
  [
    'a result before its explanation',
    'Subtract',
    '403 − 168 = 235. Regroup: 403 = 3 hundreds + 9 tens + 13 ones.',
    'You get 235.',
  ],
  ['a stated result before its reason', '一共几人？', '答案：15 人，先算 8+7。', '一共是 15 人。'],
  ['a stated word before its reason', '在哪里进行？', '答案：叶绿体，它含有叶绿素 a、b。', '想想叶绿体。'],
  ['a stated result before a remark', 'How long?', 'Answer: 15 cm. Mind that 1 m = 100 cm.', 'It is 15 cm.'],
  ['the letter of a choice', '应选哪个？', '两边除以 3，故选 B。', '所以答案是 B。'],
  ['the right letter', '应选哪个？', '两边除以 3，故选 B。', '看来 B 项正确。'],
  ['the right option', 'Which one?', 'B', 'Option B is correct.'],
  ['the number of a choice', '周长是多少？\nA. 16\nB. 17\nC. 18', '选 B', '算下来答案是 17。'],
  [
    'the answer of the first part',
    '（1）求 a；（2）求 S。',
    '（1）由题意得 a=7；（2）所以 S=7×(1)+93=100。',
    '先看第一问，算出 a = 7。',
  ],
  ['the answer of a circled part', '① Find a. ② Find b.', '① a is 7 cm. ② So b = 2a = 14 cm.', 'One side is 7 cm.'],
  ['the word of a choice', 'Fill in. (A. is  B. are)', 'A', 'The answer is "is".'],
  ['a part of a cell', '光合作用在哪里进行？', '答案：叶绿体', '想想叶绿体。'],
  ['a large count in Chinese words', '一共几棵？', '要种 21 棵。', '两端都种，就有二十一棵了。'],
  ['a large count in English words', 'How many?', 'There are 45 apples.', 'Then forty-five apples are left.'],
  ['a count in Chinese words', '一共有几个？', '一共 2 个。', '答案是两个。'],
  ['a negative number in Chinese words', '求 x', 'x 等于 -7。', '答案是负七。'],
  ['a decimal in Chinese words', '一共多长？', '共 3.5 米。', '应为三点五米。'],
];

const USEFUL: readonly Case[] = [
  ['given numbers', '解方程 x² - x - 6 = 0', '所以 x = 3 或 x = -2。', '常数项是 -6，一次项系数是 -1，怎样分解？'],
  ['a method', '解方程 x² - x - 6 = 0', '所以 x = 3 或 x = -2。', '试试十字相乘法，再让每个因式等于 0。'],
  ['an equation of the question', 'x + 5 = 8, y = 2x + 2. Find y.', 'y = 8', 'You know that x + 5 = 8. What is x?'],
  ['a number of steps', '解方程组', '所以 x = 2，y = 3。', '分 2 步：先消元，再代入。'],
  ['a step number', 'Find x', 'So x = 3.', 'Look at step 3 again: what did you multiply?'],
  ['a part of the question', '求 x', 'x = 2', '第 2 问要用到第(1)问的结论。'],
  ['a numbered equation', '解方程组', 'x = 2，y = 5', '把方程 2 代入方程①。'],
  ['a number of unknowns', 'Solve the system', 'x = 2, y = 7', 'You have 2 unknowns and 2 equations.'],
  ['a year', 'When was it?', 'It was 5 years later.', 'Think of the year 2005 and of 1995.'],
  ['an ordinal', 'How long is it?', 'It is 2 m.', 'Check the 2nd line of your work.'],
  [
    'a number that stands in the question in words',
    'Three birds sit, some come, now six.',
    'It is 3.',
    'At first 3 birds sit there.',
  ],
  [
    'an intermediate value',
    '先 20 米再 30 米，共几段？',
    '先得 100÷5=20，再加 1，要种 21 棵。',
    '100÷5=20 是间隔数，不是棵数。',
  ],
  [
    'an intermediate value of a list',
    '求总价',
    '上衣 90 元，裤子 54 元，一共 144 元。',
    '上衣 90 元，裤子 54 元，怎样合起来？',
  ],
  ['another power of ten', '用科学记数法表示', '是 5×10³', '先看 10⁴ 和 10^5 各有几个 0。'],
  ['a mantissa alone', '光速', '是 3×10⁸ m/s', '先分 3 种情况'],
  ['a unit conversion', 'How many metres is 5 km?', 'It is 5×10³ m.', 'One km has 1000 m.'],
  ['another percentage', '求现价的百分比', '是 80%', '降价 20% 后，还剩多少？'],
  ['another rounded number', 'What share is red?', 'It is 2/3.', 'Is it more than 0.5 or 0.75?'],
  ['right angles', '求 ∠A', '∠A = 35°', '三角形内角和是 180°，直角是 90°。'],
  ['another multiple of pi', '求弧度', '是 $\\frac{\\pi}{6}$', '180° 就是 π，90° 是 π/2。'],
  ['the inequality of the question', '解 x - 3 > 3', 'x > 6', '由 x - 3 > 3 怎样移项？'],
  ['the limits of the question', '已知 x > 3，求 y 的范围，y = x - 3', 'y > 0', 'x > 3，两边减 3。'],
  ['a statement to judge', '判断对错：0 是正数。', '错误。', '你的第一步是错误的：正数的定义是什么？'],
  [
    'a true remark',
    'True or false: all primes are odd?',
    'False',
    'It is true that 3 and 5 are odd. Is there an even prime?',
  ],
  ['no', 'Is 91 prime?', 'No.', 'There is no need to divide by 2. Try 7.'],
  ['the words of a judgement in English', 'Is 91 prime?', 'Yes', 'Choose yes or no only when you have tried 7.'],
  ['an English number that is not the answer', 'How many?', 'There are 45 apples.', 'Forty-four is too few.'],
  ['compounds of the question', 'What do NaOH and HCl give?', '生成 NaCl。', 'NaOH 和 HCl 发生中和反应。'],
  [
    'the candidates of the question',
    '光合作用和呼吸作用，哪个释放氧气？',
    '答案：光合作用',
    '比较光合作用与呼吸作用的产物。',
  ],
  ['the choices', '周长是多少？\nA. 16\nB. 17\nC. 18', '选 B', '16、17、18 都满足三边关系吗？选项 B 呢？'],
  [
    'the words before a formula',
    'Which one?',
    'The answer is $\\rm (C)$, 7 of 9.',
    'The answer is a choice. Which one?',
  ],
  ['a number of a reason behind a stated letter', '选哪个？', '答案：B，因为 8+7=15。', '先看 A、B、C 各有几个。'],
  ['a place in Chinese words', '一共几棵？', '要种 21 棵。', '想想第二十一棵前面有几个间隔。'],
  ['the number of another part', '（1）求 a；（2）求 S。', '（1）a=7；（2）S=100。', '把第一问的结果乘 2。'],
  ['a step of a question without parts', '求 S', '（1）先得 a=7；（2）所以 S=100。', '先求出 a = 7，再求 S。'],
  ['a result of the first of two steps', 'How far?', '30 ÷ 5 = 6. So it is 24 km.', '30 ÷ 5 = 6 is one part.'],
  ['another form of a word', 'She ___ (go) home yesterday.', 'went', 'What is the past tense of "go"?'],
  ['a preposition', 'He is good ___ maths.', 'at', 'Look at the adjective "good". Which preposition goes with it?'],
  ['a part of a longer word', 'Which noun?', 'The answer is art.', 'Start with the party.'],
  ['the formula of the question', '化简 a + b = c + d', '所以 a+b=c+d', '把 a+b=c+d 的两边都减 b。'],
  ['a longer formula with the same beginning', 'Find y', 'y=x+1', 'Compare y=x+12 and y=x+1/2.'],
  ['a number behind the check', 'Solve 8 - 3x = -1', 'So x = 3. Check: 8 - 3·1 = 5.', 'Subtract 8, which is 5 + 3x.'],
  [
    'a number before the words of the answer',
    'Which shape?',
    'n = 3, so the answer is a triangle.',
    'How many sides has it if n = 3?',
  ],
  ['an earlier equation', 'Solve', '3x = 9, x = 3', 'You have 9 on the right side.'],
  ['a coefficient of a reaction', 'Balance it.', '2 Mg + O₂ → 2 MgO', 'O₂ has 2 atoms.'],
  ['a range of sources', 'Solve', 'x = 3', 'Compare [S1-3], [S2, 3] and 【S 3】.'],
  ['a rule in a short reference', '解方程', '移项要变号。', '移项时注意符号。'],
];

const PAIRS =
  '与與 两兩 个個 为為 么麼 义義 于於 产產 从從 价價 会會 体體 况況 减減 几幾 别別 制製 区區 发發 变變 叶葉 号號 后後 吗嗎 围圍 学學 对對 应應 ' +
  '总總 数數 断斷 无無 时時 样樣 检檢 气氣 氢氫 点點 现現 种種 简簡 系係 组組 结結 绿綠 范範 裤褲 让讓 记記 论論 试試 误誤 说說 谁誰 负負 较較 边邊 ' +
  '过過 还還 这這 选選 递遞 里裡 错錯 长長 问問 间間 项項 验驗 鲁魯';
const TRADITIONAL = new Map(PAIRS.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]));

function traditional(text: string): string {
  return text.replace(/\p{Script=Han}/gu, (character) => TRADITIONAL.get(character) ?? character);
}

/** Each case with Chinese text as it is, in traditional characters, and with only the hint or only the card in them. */
function inBothScripts(cases: readonly Case[]): readonly Case[] {
  return cases.flatMap(([kind, ...texts]): Case[] => {
    const [question, reference, hint] = texts.map(traditional) as [string, string, string];
    const [givenQuestion, givenReference, givenHint] = texts;
    if (`${question}${reference}${hint}` === texts.join('')) return [[kind, ...texts]];
    return [
      [kind, ...texts],
      [`${kind}, in traditional characters`, question, reference, hint],
      [`${kind}, the hint in traditional characters`, givenQuestion, givenReference, hint],
      [`${kind}, the card in traditional characters`, question, reference, givenHint],
    ];
  });
}

describe('a hint gives the answer away by', () => {
  test.each(inBothScripts(LEAKS))('%s', (...one) => expect(leakOf(one)).not.toBeNull());
});

describe('a hint may contain', () => {
  test.each(inBothScripts(USEFUL))('%s', (...one) => expect(leakOf(one)).toBeNull());
});

test('each number of a list is a leak in each notation, and no other number is', () => {
  const lists = [
    'A 或 B',
    'x_1 = A，x_2 = B',
    '(A, B)',
    '\\{A, B\\}',
    'A cm 和 B cm',
    'x = A or x = B',
    'A < x < B',
    'A and B',
  ];
  const notations = [
    (value: number) => `${value}`,
    (value: number) => `$${value}.0$`,
    (value: number) => `${value * 10}\\times 10^{-1}`,
    (value: number) => `\\frac{${value * 3}}{3}`,
    (value: number) => `${value * 100}%`,
  ];
  const number = fc.integer({ min: 13, max: 999 });
  fc.assert(
    fc.property(fc.uniqueArray(number, { minLength: 3, maxLength: 3 }), fc.constantFrom(...lists), (values, list) => {
      const [a = 0, b = 0, other = 0] = values;
      const reference = `所以是 ${list.replace('A', `${a}`).replace('B', `${b}`)}。`;
      const guard = guardOf('求解', reference);
      const leaks = (value: number): readonly boolean[] =>
        notations.map((notation) => guard.leakIn(`试试 ${notation(value)} 吧`) !== null);
      expect([reference, leaks(a), leaks(b)]).toEqual([
        reference,
        notations.map(() => true),
        notations.map(() => true),
      ]);
      expect([reference, leaks(other)]).toEqual([reference, notations.map(() => false)]);
    }),
    { numRuns: runs(100) },
  );
});

test('an English number is read as it is spelled', () => {
  const small = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
  const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
  const spelled = (value: number): string => {
    if (value >= 1_000) return `${spelled(Math.floor(value / 1_000))} thousand ${rest(value % 1_000)}`.trim();
    if (value >= 100) return `${small[Math.floor(value / 100)]} hundred ${rest(value % 100)}`.trim();
    if (value < 13) return small[value] ?? '';
    const ones = value % 10;
    if (value < 20) return `${['thir', 'four', 'fif', 'six', 'seven', 'eigh', 'nine'][ones - 3]}teen`;
    return `${tens[Math.floor(value / 10) - 2]}${ones === 0 ? '' : `-${small[ones]}`}`;
  };
  const rest = (value: number): string => (value === 0 ? '' : `${value < 100 ? 'and ' : ''}${spelled(value)}`);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999 }), (value) => {
      expect(englishNumbersOf(`it is ${spelled(value)}.`)).toEqual([{ at: 6, end: 6 + spelled(value).length, value }]);
    }),
    { numRuns: runs(100) },
  );
});

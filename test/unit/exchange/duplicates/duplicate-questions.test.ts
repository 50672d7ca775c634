import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clustersOf } from '../../../../src/exchange/duplicates/clusters.js';
import { canonicalQuestion } from '../../../../src/text/canonical-question.js';
import { DUPLICATE_THRESHOLD, nearnessOf, questionFingerprints } from '../../../../src/text/duplicate-questions.js';
import { cardOf } from '../../../support/generators.js';

const owner = { tenantId: 'school', ownerId: 'li' };

function nearness(a: string, b: string): number {
  return nearnessOf(canonicalQuestion(a), canonicalQuestion(b));
}

function isDuplicate(a: string, b: string): boolean {
  return nearness(a, b) >= DUPLICATE_THRESHOLD;
}

function fingerprintsOf(text: string, of = owner): ReturnType<typeof questionFingerprints> {
  return questionFingerprints(of, text, canonicalQuestion(text));
}

/** The same question as somebody else types it. */
const SAME: readonly (readonly [string, string])[] = [
  ['计算 $\\frac{1}{2}+\\frac{1}{3}$ 的值', '计算\\(\\dfrac12 + \\dfrac{1}{3}\\)的值。'],
  ['已知$x^2+2x-3\\leq 0$，求$x$的取值范围', '已知 x²+2x−3≤0，求 x 的取值范围．'],
  ['解方程：3（x－2）＝12', '解方程: 3(x-2)=12'],
  [
    '下列说法正确的是\nA. 零是正数\nB. 零是负数\nC. 零是整数',
    '下列说法正确的是( )\nA、零是整数\nB、零是正数\nC、零是负数',
  ],
  ['How many apples are left? A. 3 B. 4 C. 5', 'How many apples are left?  (A) 5  (B) 3  (C) 4'],
  ['小明骑车 15 分钟行了 3 千米，求他的平均速度', '小明骑车15分钟行了3千米，求他的平均速度。'],
  [
    'A train travels 120 km in 2 hours. What is its average speed?',
    'a train travels 120 km in 2 hours; what is its average speed',
  ],
  ["已知 $f(x)=x^2$，求 $f'(2)+f^{\\prime\\prime}(0)$", "已知f(x)=x²，求f′(2)+f''(0)"],
  ["求 $f'''(2)$", '求 f‴(2)'],
  ['函数在区间 $\\left[0,1\\right)$ 上', '函数在区间［0，1）上'],
  ['图①和图Ⅱ中的角', '图 (1) 和图 II 中的角'],
  ['把 $0.\\dot{3}\\dot1$ 化成分数', '把 0.3\u03071\u0307 化成分数'],
  ['求 $\\ddot{x}$', '求 \u1e8d'],
  ['点 $A\\left(1, 2\\right)$ 在', '点A（1，2）在'],
  ['集合 $\\{1,2\\}$ 的子集', '集合｛1，2｝的子集'],
  ['In kg, how heavy is A? ABC', 'in Kg, how heavy is a? abc'],
  ['WHAT IS THE SUM OF 3 AND 4?', 'What is the sum of 3 and 4?'],
  ['It starts at 5:00 PM and takes 15 minutes', 'It starts at 5:00 pm and takes 15 minutes'],
  ['实验室制取 $\\mathrm{CO}$，测其 pH', '实验室制取CO，测其pH'],
  ["What's Amy's 'average' speed?", 'What’s Amy’s “average” speed'],
  ['<p>解方程：<u>3x=12</u></p><br>', '解方程：3x=12'],
  ['如图 ![图](a_1.png)，求 x', '如图![图](a_1.png)，求x'],
];

/** Questions that ask something else, though nearly every character is the same. */
const OTHER: readonly (readonly [string, string])[] = [
  ['小明骑车 15 分钟行了 3 千米，求他的平均速度', '小明骑车 15 分钟行了 4 千米，求他的平均速度'],
  ['解方程 $3(x-2)=12$', '解方程 $3(x+2)=12$'],
  ['解方程 $3(x-2)=12$', '解方程 $3x-2=12$'],
  ['下列说法正确的是（ ）', '下列说法不正确的是（ ）'],
  ['求长方形的周长，长 5 厘米，宽 3 厘米', '求长方形的面积，长 5 厘米，宽 3 厘米'],
  ['甲比乙多 3 个，问甲有几个', '甲比乙少 3 个，问甲有几个'],
  ['某数增加20%后是60，求这个数', '某数增加到20%后是60，求这个数'],
  ...[
    ['串联', '并联'],
    ['平行', '垂直'],
    ['相向', '同向'],
    ['顺水', '逆水'],
    ['从大到小', '从小到大'],
  ].map(([one, other]) => {
    const stem = '某校兴趣小组的同学在实验课上认真做了下面的实验，老师请大家把观察到的现象和数据都记录下来，然后回答：';
    return [`${stem}${one}时结果是多少？`, `${stem}${other}时结果是多少？`] as const;
  }),
  ['两个质数的乘积减去一之后的结果是不是质数', '两个质数的乘积减去一之后的结果不是质数'],
  ['如图，求 x ![图](https://a.com/1.png)', '如图，求 x ![图](https://a.com/2.png)'],
  ['Find the area <img src="1.png">', 'Find the area <img src="2.png">'],
  ['What is the largest of these numbers: 3, 5, 7?', 'What is the smallest of these numbers: 3, 5, 7?'],
  ['$1+2\\frac{3}{4}$', '$1+\\frac{23}{4}$'],
  ['选一项 A. 1 B. 23', '选一项 A. 12 B. 3'],
  ['求 $2^3$', '求 $23$'],
  ["已知 $f(x)=x^2$，求 $f'(2)$", '已知 $f(x)=x^2$，求 $f(2)$'],
  ["解方程 $y''+y=0$", "解方程 $y'+y=0$"],
  ['30″ 等于多少', '30′ 等于多少'],
  ['求 f‴(2)', '求 f(2)'],
  ['计算 5!', '计算 5'],
  ['函数在区间 [0,1) 上的最大值', '函数在区间 (0,1] 上的最大值'],
  ['图①中的角', '图②中的角'],
  ['图Ⅰ中的角', '图Ⅱ中的角'],
  ['求 $\\dot{x}$', '求 $\\ddot{x}$'],
  ['求 $\\dot\\theta$', '求 $\\theta$'],
  ['把 $0.\\dot{3}$ 化成分数', '把 $0.3$ 化成分数'],
  ['已知 $A=\\{1,2\\}$', '已知 $A=(1,2)$'],
  ['？？', '！'],
  ['CO 和氧气反应', 'Co 和氧气反应'],
  ['$\\mathrm{CO_2}$ 的式量', '$\\mathrm{Co_2}$ 的式量'],
  [
    'What is the mass of one mole of CO in grams, to two places?',
    'What is the mass of one mole of Co in grams, to two places?',
  ],
  ['一台 5 mW 的激光器', '一台 5 MW 的激光器'],
];

describe('two questions', () => {
  test.each(SAME)('are equal: %j and %j', (a, b) => {
    expect(nearness(a, b)).toBeGreaterThanOrEqual(DUPLICATE_THRESHOLD);
    expect(nearness(b, a)).toBe(nearness(a, b));
  });

  test.each(SAME)('that are equal share a band, by which they are found: %j and %j', (a, b) => {
    const bands = new Set(fingerprintsOf(a).bands);
    expect(fingerprintsOf(b).bands.some((band) => bands.has(band))).toBe(true);
  });

  test.each(OTHER)('are different: %j and %j', (a, b) => {
    expect(isDuplicate(a, b)).toBe(false);
  });

  test('have the same key exactly if they differ only in blanks, widths and zero-width characters', () => {
    const key = (text: string): string => fingerprintsOf(text).key;
    expect(key('解方程 ３x ＝ 12\u200b')).toBe(key('解方程3x=12'));
    expect(key('1 2/3 of it')).not.toBe(key('12/3 of it'));
  });
});

const wordArb = fc.constantFrom('苹果', '单价', '千克', '商店', 'apples', 'price', '12', '$x^2$', '=', '不', '，');
const questionArb = fc.array(wordArb, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '));

describe('similarity', () => {
  test('is symmetric, 1 for a question and itself, and from 0 to 1', () => {
    fc.assert(
      fc.property(questionArb, questionArb, (a, b) => {
        expect(nearness(a, a)).toBe(1);
        const near = nearness(a, b);
        expect(near).toBe(nearness(b, a));
        expect(near).toBeGreaterThanOrEqual(0);
        expect(near).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('equals a naive computation with sets of shingles', () => {
    const partsArb = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 });
    fc.assert(
      fc.property(partsArb, partsArb, (a, b) => {
        const left = [...b];
        const shared = a.filter((part) => {
          const at = left.indexOf(part);
          if (at !== -1) left.splice(at, 1);
          return at !== -1;
        }).length;
        const all = a.length + b.length - shared;
        expect(nearnessOf({ exact: ['1'], fuzzy: a }, { exact: ['1'], fuzzy: b })).toBe(all === 0 ? 1 : shared / all);
      }),
    );
  });
});

describe('fingerprints', () => {
  test('find nearly every pair of long questions that is similar enough to be a duplicate', () => {
    let pairs = 0;
    let found = 0;
    const words = Array.from({ length: 400 }, (_, at) => String.fromCharCode(0x4e00 + 7 * at, 0x5000 + 11 * at));
    for (let run = 0; run < 300; run++) {
      const text = Array.from({ length: 30 }, (_, at) => words[(run * 31 + at * 17) % words.length]);
      const other = text.map((word, at) => (at === run % 30 ? words[(run * 13) % words.length] : word));
      const [a, b] = [text.join(''), other.join('')];
      if (!isDuplicate(a, b)) continue;
      pairs += 1;
      const bands = new Set(fingerprintsOf(a).bands);
      if (fingerprintsOf(b).bands.some((band) => bands.has(band))) found += 1;
    }
    expect(pairs).toBeGreaterThan(100);
    expect(found / pairs).toBeGreaterThan(0.98);
  });

  test('of two owners share no band, so that duplicates are never found across owners', () => {
    fc.assert(
      fc.property(questionArb, (question) => {
        const bands = new Set(fingerprintsOf(question).bands);
        const theirs = fingerprintsOf(question, { ...owner, ownerId: 'wang' }).bands;
        expect(theirs.some((band) => bands.has(band))).toBe(false);
      }),
    );
  });
});

describe('clusters', () => {
  const question = '某商店以每件 80 元的价格购进一批衬衫，按标价的九折出售，仍可获利百分之二十';
  const cards = [
    cardOf({ id: 'b', questionText: question, createdAt: new Date('2026-01-02') }),
    cardOf({ id: 'a', questionText: `${question}。`, createdAt: new Date('2026-01-01') }),
    cardOf({ id: 'c', questionText: `${question}，求标价`, occurrences: 3 }),
    cardOf({ id: 'd', questionText: question.replace('80', '90') }),
    cardOf({ id: 'e', questionText: question, ownerId: 'somebody else' }),
  ];

  test('contain cards of one owner that are similar to the first, which is the one to merge into', () => {
    const ids = cards.map(({ id }) => id);
    const byId = new Map(cards.map((card) => [card.id, card]));
    const clusters = clustersOf([ids, ['a', 'b']], byId);
    expect(clusters.map(({ ids }) => ids)).toEqual([['c', 'a', 'b']]);
    expect(clusters[0]).toMatchObject({ exact: false });
    expect(clusters[0]?.nearness).toBeGreaterThanOrEqual(DUPLICATE_THRESHOLD);
  });

  test('are empty if no cards are similar', () => {
    const byId = new Map(cards.map((card) => [card.id, card]));
    expect(
      clustersOf(
        [
          ['a', 'd'],
          ['b', 'e'],
        ],
        byId,
      ),
    ).toEqual([]);
  });
});

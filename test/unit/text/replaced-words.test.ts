import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuestion } from '../../../src/text/canonical-question.js';
import { hasOtherWord, hasReplacedWord } from '../../../src/text/replaced-words.js';

const isReplaced = (a: string, b: string): boolean => hasReplacedWord(canonicalQuestion(a), canonicalQuestion(b));
const isOther = (a: string, b: string): boolean => hasOtherWord(canonicalQuestion(a), canonicalQuestion(b));

/** Of the same wording, but with other answers. */
const OTHER: readonly (readonly [string, string])[] = [
  [
    'During the electrolysis of molten sodium chloride, which substance is produced at the anode of the cell?',
    'During the electrolysis of molten sodium chloride, which substance is produced at the cathode of the cell?',
  ],
  ['The scores are 5, 7 and 9. Find the mean score.', 'The scores are 5, 7 and 9. Find the median score.'],
  ['How many chromosomes does a cell have after mitosis?', 'How many chromosomes does a cell have after meiosis?'],
  ['In a right triangle, AC = 3 and BC = 4. Find sin A.', 'In a right triangle, AC = 3 and BC = 4. Find cos A.'],
  ['Write a Python function that adds two numbers.', 'Write a Java function that adds two numbers.'],
  ['测得烧杯和盐水的总质量后，怎样求盐水的密度？', '测得烧杯和牛奶的总质量后，怎样求牛奶的密度？'],
  ['下列动物中属于哺乳动物的是', '下列动物中属于爬行动物的是'],
  ['第二次工业革命的标志性发明是什么？', '第一次工业革命的标志性发明是什么？'],
  ['当太阳直射南回归线时，北京的昼夜长短如何？', '当太阳直射北回归线时，北京的昼夜长短如何？'],
  ['What is the sum of the interior angles of a hexagon?', 'What is the sum of the interior angles of an octagon?'],
];

/** One character in the place of another: another question, or misread by text recognition. */
const ONE_CHARACTER: readonly (readonly [string, string])[] = [
  [
    '向杯中逐渐加盐，鸡蛋上浮直到漂浮，此过程鸡蛋受到的浮力如何变化？',
    '向杯中逐渐加盐，鸡蛋上浮直到漂浮，此过程鸡蛋受到的重力如何变化？',
  ],
  ['电压表有示数，电流表无示数，故障可能是____。', '电流表有示数，电压表无示数，故障可能是____。'],
  ['用显微镜观察一个物体', '用显徽镜观察一个物休'],
];

/** The same question as somebody else types it, or with other words around it. */
const SAME: readonly (readonly [string, string])[] = [
  ['小明骑车行了3千米，求他的平均速度', '小明骑车行了 3 千米，求他平均速度。'],
  ['小明骑车行了3千米，求他的平均速度', '小明骑车行了 3 千米，求它地平均速度'],
  ['A train travels 120 km in 2 hours. What is its speed?', 'a train travelled 120 km in 2 hours, what is its sped'],
  ['What is the denominator of the fraction?', 'what is the denominater of that fraction'],
  ['解方程：3(x-2)=12', '老师，这道题我不会：解方程 3(x-2)=12，给点提示'],
  ['求长方形的周长：长 5 厘米，宽 3 厘米', '计算长方形的周长，长5厘米，宽3厘米'],
  ['', ''],
];

describe('a word in the place of another one', () => {
  test.each(OTHER)('makes another question: %j and %j', (a, b) => {
    expect([isReplaced(a, b), isReplaced(b, a)]).toEqual([true, true]);
    expect([isOther(a, b), isOther(b, a)]).toEqual([true, true]);
  });

  test.each(ONE_CHARACTER)('may be misread, if it is one character: %j and %j', (a, b) => {
    expect([isReplaced(a, b), isReplaced(b, a)]).toEqual([true, true]);
    expect([isOther(a, b), isOther(b, a)]).toEqual([false, false]);
  });

  test.each(SAME)('is not a misspelling, a particle or a word more: %j and %j', (a, b) => {
    expect([isReplaced(a, b), isReplaced(b, a)]).toEqual([false, false]);
    expect([isOther(a, b), isOther(b, a)]).toEqual([false, false]);
  });

  test('is found in an option, wherever that puts it in the order of options', () => {
    expect(isReplaced('选一项 A. 故事书 B. 画册', '选一项 A. 行星书 B. 画册')).toBe(true);
    expect(isReplaced('选一项 A. 故事书 B. 画册', '选一项 A. 画册 B. 故事书')).toBe(false);
  });

  test('is not looked for in a question in other words', () => {
    expect(isOther('How big is a circle whose radius is 7 cm?', 'Find the area of a circle with radius 7 cm.')).toBe(
      false,
    );
  });

  test('is found exactly where two texts have one at the same place, and never where one is a part of the other', () => {
    const textArb = fc.array(fc.constantFrom('apples', 'cost', 'seven', '千', '克', '苹', '果'), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(textArb, fc.nat(), (fuzzy, nth) => {
        const place = nth % fuzzy.length;
        const without = fuzzy.filter((_, at) => at !== place);
        const other = fuzzy.map((word, at) => (at === place ? 'zebra' : word));
        const words = (given: readonly string[]) => ({ exact: [], fuzzy: given });
        expect(hasReplacedWord(words(fuzzy), words(without))).toBe(false);
        expect(hasReplacedWord(words(fuzzy), words(other))).toBe(true);
      }),
    );
  });
});

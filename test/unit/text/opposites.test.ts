import { describe, expect, test } from 'vitest';
import { areOpposite } from '../../../src/text/opposites.js';

describe('two questions of nearly the same wording', () => {
  test.each([
    ['求函数 y=x²-4x+1 在 [0, 3] 上的最大值。', '求函数 y=x²-4x+1 在 [0, 3] 上的最小值。'],
    ['下列说法正确的是（　）', '下列说法错误的是（　）'],
    ['下列说法正确的是（　）', '下列說法不正確的是（　）'],
    ['甲、乙两车相向而行，几小时后相遇？', '甲、乙两车同向而行，几小时后甲追上乙？'],
    ['比小红多 5 本，小明有多少本？', '比小红少 5 本，小明有多少本？'],
    ['下列属于化学变化的是', '下列不属于化学变化的是'],
    ['R1 与 R2 串联时的总电流', 'R1 与 R2 并联时的总电流'],
    ['过点 P 作直线 l 的平行线', '过点 P 作直线 l 的垂直线'],
    ['把下列各数从大到小排列', '把下列各数由小到大排列'],
    ['一个奇数与 3 的和', '一个偶数与 3 的和'],
    ['What is the largest value of x?', 'What is the smallest value of x?'],
    ['Which statement is true?', 'Which statement is not true?'],
    ['The price increased by 10 %.', 'The price decreases by 10 %.'],
    ['Turn the figure 90° clockwise.', 'Turn the figure 90° counterclockwise.'],
    ['Turn the figure 90° clockwise.', 'Turn the figure 90° anti-clockwise.'],
    ['Which number is a prime?', 'Which number is not a prime?'],
  ])('%s and %s ask for opposites', (a, b) => {
    expect(areOpposite(a, b)).toBe(true);
    expect(areOpposite(b, a)).toBe(true);
  });

  test.each([
    ['一共要种多少棵树？', '要种几棵树？'],
    ['最大值与最小值之差', '求最大值减最小值'],
    ['下列说法不正确的是', '下列说法错误的是'],
    ['解不等式 -2x>6', '求 -2x>6 的解集'],
    ['体积不变，求高', '求高'],
    ['20 g 食盐完全溶解在水中', '食盐 20 g，溶于水'],
    ['The largest of two odd numbers', 'Which of the two odd numbers is largest?'],
    ['非负数的个数', '有几个数大于或等于零'],
    ['方程没有实数根', '方程无实数根'],
    ['x 不大于 5', 'x 小于或等于 5'],
    ['这题不会，求 12 和 18 的最大公因数', '求 12 和 18 的最大公因数'],
    ["I don't know how to solve this: is 91 a prime?", 'Is 91 a prime?'],
    ['Why is my answer wrong? Which statement is true?', 'Which statement is true?'],
  ])('%s and %s may be the same', (a, b) => {
    expect(areOpposite(a, b)).toBe(false);
    expect(areOpposite(b, a)).toBe(false);
  });
});

import { describe, expect, test } from 'vitest';
import { withoutTalk } from '../../../src/text/talk.js';
import { growth } from '../../support/cpu-time.js';

describe('what is said around a question is left out', () => {
  test.each([
    ['计算：13-5=（　） 求解，谢谢', '计算：13-5=（　） '],
    ['请问这道题怎么做：列竖式计算 52-27', '列竖式计算 52-27'],
    ['老师，这道题怎么做啊😭 52-27=?', '52-27=?'],
    ['老师好！帮我看一下，x²=5x？急急急，在线等', 'x²=5x？'],
    ['Solve x² = 49. Please help, thanks in advance!', 'Solve x² = 49. '],
    ['Hi, can you please help me with this one? Solve x² = 49.', 'Solve x² = 49.'],
    ['How do I solve this problem: x² = 49', 'x² = 49'],
    ['（2023·北京·期中）计算：13-5', '计算：13-5'],
    ['12. [2021 AMC 8] What is 1/2 + 1/3? [2 marks]', '12.  What is 1/2 + 1/3?  '],
    ['解方程 x²=49（本题满分5分）', '解方程 x²=49 '],
  ])('%s', (said, asked) => {
    expect(withoutTalk(said)).toBe(asked);
  });

  test.each([
    ['a teacher in a question', '老师把 20 本书分给 4 人'],
    ['a part of a word', '帮助、感谢和好人'],
    ['a method', '列方程求解'],
    ['a word of a sentence', 'She said thanks to him'],
    ['hi within a word', 'Hidden figures'],
    ['a number in brackets', '(2023-1)×2 and (2023)'],
    ['marks in a question', '小明得了5分'],
    ['talk alone', '请问这道题怎么做？谢谢'],
  ])('but not %s: %s', (_, text) => {
    expect(withoutTalk(text)).toBe(text);
  });

  test.each(['请问', '谢谢', ' please', 'hi ', '，', '(5', '（2023', '帮我 '])(
    'hostile talk takes linear time: %s',
    (piece) => {
      const ofPieces = (times: number): (() => unknown) => {
        const text = piece.repeat(times);
        return () => withoutTalk(text);
      };
      expect(growth(ofPieces, 1_000)).toBeLessThan(8);
    },
  );
});

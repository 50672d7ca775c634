import { describe, expect, test } from 'vitest';
import { withoutTalk } from '../../../src/text/talk.js';
import { expectGrowthBelow } from '../../support/cpu-time.js';

describe('what is said around a question is left out', () => {
  test.each([
    ['计算：13-5=（　） 求解，谢谢', '计算：13-5=（　） '],
    ['请问这道题怎么做：列竖式计算 52-27', '列竖式计算 52-27'],
    ['老师，这道题怎么做啊😭 52-27=?', '52-27=?'],
    ['老师好！帮我看一下这道题：x²=5x？求解答，谢谢老师！', 'x²=5x？'],
    ['x²=5x，请问这道题怎么做？谢谢', 'x²=5x，'],
    ['Solve x² = 49. Please help, thanks in advance!', 'Solve x² = 49. '],
    ['Hi, can you please help me with this one? Solve x² = 49.', 'Solve x² = 49.'],
    ['How do I solve this problem: x² = 49', 'x² = 49'],
    ['（2023·北京·期中）计算：13-5', '计算：13-5'],
    ['3．（2022年上海中考）计算：13-5', '3．计算：13-5'],
    ['12. What is 1/2 + 1/3? [2 marks]', '12. What is 1/2 + 1/3?  '],
    ['7.（5分）解方程 x²=49', '7. 解方程 x²=49'],
    ['解方程 x²=49（本题满分5分）', '解方程 x²=49 '],
    ['落霞与什么齐飞来着？', '落霞与什么齐飞？'],
    ['In addition, the treaty ended the war', 'the treaty ended the war'],
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
    ['来着 within a sentence', '他本来着急回家'],
    ['a calculation', 'mistakes in addition, subtraction and in addition to 20'],
    ['talk alone', '请问这道题怎么做？谢谢'],
    ['talk alone, with a greeting', '老师，这道题怎么做？谢谢'],
  ])('but not %s: %s', (_, text) => {
    expect(withoutTalk(text)).toBe(text);
  });

  test.each([
    ...['(2023n-1)(x-2)', '(2023x)=5', '(2023 mod 7) 的余数', '(2000米)跑', '(2000 平方米)的操场', '(2023·甲数)÷5'],
    ...['[2000 m, 3000 m] distance', '(1900 J) heat', '(1977年恢复高考)的意义', '(2008年北京)奥运会'],
  ])('a number or year is no source: %s', (text) => {
    expect(withoutTalk(text)).toBe(text);
  });

  test.each([
    ...['HI + NaOH', 'HI的电离', 'HI 是什么酸', 'HI, HBr, HCl', 'Hi-fi system', 'hello world program'],
    ...['Hello, world! prints what?', '老师好像错了', '您好像', '你好奇心', '同学们好奇地问', '同学好学', '请问卷调查'],
    ...['请问路的句子', '麻烦的反义词是', '你好 的拼音是', '帮忙找出最大值', '你好！用英语怎么说？'],
    ...['Can you help me with this question? 翻译成汉语', '如何解 x²=5x？'],
  ])('words that open a question stay: %s', (text) => {
    expect(withoutTalk(text)).toBe(text);
  });

  test.each([
    ...['How do you say thank you', 'What is the Chinese for thank you?', 'What is the French for please?'],
    ...['A. sorry B. please C. thank you', 'The magic word is: please', '填空：Could you help me?', '看图写话，如何写'],
    ...[
      '热锅上的蚂蚁，急急急',
      'Would you like some tea? Yes, please.',
      'How are you? Fine, thank you.',
      '不用了，谢谢',
    ],
    ...['列出方程，求解', 'Which is polite? A. no B. thanks in advance', '客套话：求解，谢谢'],
  ])('words that close a question stay: %s', (text) => {
    expect(withoutTalk(text)).toBe(text);
  });

  test.each([
    ...[
      '甲用了(5分)钟',
      '1角（5分）=',
      '一场球得了（3分）球',
      '过两点 (2 points)',
      '一场球得了（3分）',
      '2角=（20分）',
    ],
    ...['1. (5分)+(3分)=', '裁判打分（满分10分）如下', '哪个多？A.（5分） B.（3分）', '2.（3分）'],
  ])('minutes, money and points of a game are no marks: %s', (text) => {
    expect(withoutTalk(text)).toBe(text);
  });

  test.each(['请问', '求解，谢谢 ', '这题怎么做？', 'hi, ', '，', ' ', '\n', '(5', '1.(5分)', '（2023', '（） '])(
    'hostile talk takes linear time: %s',
    (piece) => {
      const ofPieces = (times: number): (() => unknown) => {
        const text = piece.repeat(times);
        return () => withoutTalk(text);
      };
      expectGrowthBelow(8, ofPieces, 1_000);
    },
  );
});

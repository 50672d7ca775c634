import { describe, expect, test } from 'vitest';
import { canonicalQuestion } from '../../../src/text/canonical-question.js';
import { htmlAsLatex, withoutFiles } from '../../../src/text/html.js';
import { plainFormulas } from '../../../src/text/latex.js';
import { lexemes } from '../../../src/text/lexemes.js';
import { typedFormulas } from '../../../src/text/typed-formulas.js';

describe('what may be no formula without layout stays as it is written', () => {
  test.each([
    'x2-x3=0',
    'y=x2-2x3',
    'x2=3, x3=5 的平均数',
    '设数据 x2,x3 的平均数为 x2+x3',
    '数据x2+x3+x4的和',
    '数据x2+x3+x4的平均数是x',
    'n1=1, y2=4',
    '解方程组 x2+x3=5, x2-x3=1',
    '已知A(x2,y2)，x2=4',
    '已知A(x2,y2)，x2-5x=4',
    'NH4(SO4-2)2',
    'NH4(SO4-2)2+H2O',
    '(x+1)2(x-1)3',
    '(x+1)2(x-1)3=0',
    '(x+1)2·(x-1)3=0',
    'int a //b',
    'if (a//b)',
    'A//B',
    'of^2',
    'one and two fifths of it, and Twenty and three quarters',
  ])('%s', (text) => {
    expect(typedFormulas(text)).toBe(text);
  });

  test.each([
    ['{an} is a sequence; an apple', '{a_n} is a sequence; an apple'],
    ['数列{an}的项an=2n, an example', '数列{a_n}的项a_n=2n, an example'],
  ])('an article: %s', (text, read) => {
    expect(typedFormulas(text)).toBe(read);
  });

  test.each(['△a b c', '△A = 30'])('a triangle: %s', (text) => {
    expect(plainFormulas(text)).toBe(text);
  });

  test('equations of other unknowns are no equations of powers', () => {
    const [unknowns, powers] = ['解方程组 x2+x3=5, x2-x3=1', '解方程组 x^2+x^3=5, x^2-x^3=1'];
    expect(canonicalQuestion(unknowns)).not.toEqual(canonicalQuestion(powers));
  });
});

describe('a comparison is no tag', () => {
  test.each([
    'a<i and b>c</i>',
    'x<u y>2 </u>',
    '0<u , v>1 </u>',
    'x<div y>z',
    'a<font b>c',
    'P(a<hr >b)',
    'if a<img b>c then',
  ])('%s', (text) => {
    expect(htmlAsLatex(text)).toBe(text);
    expect(withoutFiles(text)).toBe(text);
  });

  test.each([
    ['<p class=a id="b c" data-x=\'d\' >1</p>', ' 1 '],
    ['<br clear="all" />1<br />2<hr/>3<br>4', ' 1 2 3 4'],
    ['<i>n</i><U>m</u>', 'nm'],
  ])('but %s has tags', (html, shown) => {
    expect(htmlAsLatex(html)).toBe(shown);
  });

  test('tags of bold text stay: searches take them as terms', () => {
    expect(htmlAsLatex('<p>-3 is <b>negative</b></p>')).toBe(' -3 is <b>negative</b> ');
  });
});

describe('a negation that is no question of yes or no stays', () => {
  test.each([
    '可能不能',
    '所有没有根的',
    '所有没有理数',
    '若不是不是',
    '温度不变不变',
    '温度变不变',
    '还是不是质数',
    '但是不是质数',
    '只有没有根的',
    '应该不该',
  ])('%s', (text) => {
    expect(lexemes(text)).toEqual([{ kind: 'han', text }]);
  });
});

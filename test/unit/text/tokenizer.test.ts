import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { analyserOf } from '../../../src/lexical/terms.js';
import { formulaShapes } from '../../../src/text/formula-shapes.js';
import { lexemes } from '../../../src/text/lexemes.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';
import { WordWeights } from '../../../src/text/word-weights.js';
import { anyText } from '../../support/generators.js';
import { runs } from '../../support/runs.js';

const tokenizer = new Tokenizer();

describe('tokens', () => {
  test.each([
    ['English words are lower-cased and stemmed, function words left out', 'Solving the EQUATIONS', ['solv', 'equat']],
    ['words that turn a question round are kept', 'Which is not a prime?', ['not', 'prime']],
    [
      'Chinese words come with the shorter words within them',
      '等腰三角形的面积',
      ['等腰', '三角', '角形', '三角形', '等腰三角形', '面积'],
    ],
    ['numbers are kept as they are written', '0.25 和 1,000', ['0.25', '1000']],
    ['a fraction is one number, and a quotient', '1/2', ['1/2', '/']],
    ['a longer quotient is no fraction', 'y/9/9', ['y', '/', '9', '/', '9']],
    ['a power is a token with its exponent', 'x²', ['x', '^2']],
    ['roots, angles and constants are tokens by themselves', '√2 π ∠B', ['√', '2', 'π', '∠', 'b']],
    ['functions are words', '\\sin x + \\log_2 8', ['sin', 'x', 'log', '2', '8']],
    ['commands without a character are tokens by their name', '\\binom{5}{2}', ['\\binom', '5', '2']],
    ['a molecule is one name', '2H_2+O_2=2H_2O', ['2', 'h2', 'o2', '2', 'h2o']],
    ['a letter beside a sign is a variable, elsewhere an article', 'a + b, a man', ['a', 'b', 'man']],
    ['every Greek letter is a token', '2πr', ['2', 'π', 'r']],
    ['full-width text reads like half-width text', 'Ｘ＝１２', ['x', '12']],
    ['the hyphen of a compound is no minus', 'five-digit', ['five', 'digit']],
    ['punctuation alone has no tokens', '，。？！（）—— ...', []],
  ])('%s', (_, text, expected) => {
    expect(tokenizer.tokens(text)).toEqual(expected);
  });

  test.each([
    ['\\frac{1}{2}', '\\dfrac12', '$\\tfrac{1}{2}$', '½', '１／２', '1/2'],
    ['x^2', 'x²', '$x^{2}$', '\\(x^2\\)', '$$x ^ 2$$', 'Ｘ²'],
    ['\\frac{1}{2}x^{2}', '½x²', '1/2 x^2', '$\\dfrac12 x^2$'],
  ])('the notations of %s meet', (first, ...others) => {
    const analyse = analyserOf(tokenizer);
    for (const other of others) {
      expect(tokenizer.tokens(other)).toEqual(tokenizer.tokens(first));
      expect(analyse(`解 ${other} 的值`)).toEqual(analyse(`解 ${first} 的值`));
    }
  });

  test('a text has the same tokens in every normal form and width', () => {
    const piece = fc.constantFrom(
      '三角形的面积',
      'café résumé',
      'Área',
      'equations',
      '12.5',
      '１２',
      'ＡＢ',
      'é',
      '(x+1)',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const text = pieces.join(' ');
        const wide = text.replace(/[!-+--~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));
        for (const written of [text.normalize('NFC'), text.normalize('NFD'), wide]) {
          expect(tokenizer.tokens(written)).toEqual(tokenizer.tokens(text));
        }
      }),
    );
  });

  test.each([
    ['有没有关于圆的题', '有关于圆的题'],
    ['它是不是质数', '它是质数'],
    ['够不够减，可不可以约分', '够减，可以约分'],
  ])('a question of yes or no is no negation: %s', (question, asked) => {
    expect(tokenizer.tokens(question)).toEqual(tokenizer.tokens(asked));
  });

  test('the perimeter of a circle is one', () => {
    expect(tokenizer.tokens('圆周长')).toContain('周长');
  });

  test.each(['它不是质数', '没有语病', '等式与不等式', '对边相等不等于邻边相等'])('a negation stays: %s', (text) => {
    expect(tokenizer.tokens(text).some((token) => /不|没/.test(token))).toBe(true);
  });

  test('a run of Chinese is segmented into words that cover it', () => {
    expect(tokenizer.segments('等腰三角形的面积')).toEqual(['等腰三角形', '的', '面积']);
  });

  test('every school term is one of its own tokens', () => {
    const lines = readFileSync(join(packageRoot(), 'src/text/k12-words.txt'), 'utf8').split('\n');
    const terms = lines.filter((line) => !line.startsWith('#')).flatMap((line) => line.split(' ').filter(Boolean));
    expect(terms.length).toBeGreaterThan(500);
    expect(terms.filter((term) => !tokenizer.tokens(term).includes(term))).toEqual([]);
    expect(terms.filter((term, i) => terms.indexOf(term) !== i)).toEqual([]);
  });

  test('never throws, and returns no empty or huge token', () => {
    const text = fc.oneof(
      anyText(),
      fc.string({ unit: fc.constantFrom(...'的三角形面积abcXY0123./^_{}\\$+-=（）', '\\frac', '\ud800', '\u0301') }),
    );
    fc.assert(
      fc.property(text, (input) => {
        for (const token of tokenizer.tokens(input)) {
          expect(token).not.toBe('');
          expect(token.length).toBeLessThanOrEqual(80);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('formulaShapes', () => {
  test('are independent of numbers and variables', () => {
    const shapes = formulaShapes(lexemes('3x+5=11'));
    expect(shapes).toContain('v + #');
    expect(formulaShapes(lexemes('7y+2=30'))).toEqual(shapes);
    expect(formulaShapes(lexemes('7y-2=30'))).not.toEqual(shapes);
  });

  test('are cut where the limit is', () => {
    const parts = lexemes('3x+5=11 < 2(y-7)');
    const all = formulaShapes(parts);
    for (let limit = 0; limit <= all.length; limit++) expect(formulaShapes(parts, limit)).toEqual(all.slice(0, limit));
  });

  test('do not exist for text and lists of numbers', () => {
    expect(formulaShapes(lexemes('从 1 2 3 4 中选 the numbers A B C'))).toEqual([]);
  });
});

describe('word weights', () => {
  const weights = new WordWeights();

  test('common words weigh less than others, and no word more than 1', () => {
    expect(weights.of('可能')).toBeLessThan(weights.of('三角形'));
    expect(weights.of('find')).toBeLessThan(weights.of('triangl'));
    expect(weights.of('no such word')).toBe(1);
  });
});

describe('Chinese of other books and files', () => {
  const analyse = analyserOf(tokenizer);
  test.each([
    ['traditional characters', '長方形的面積大於 3，求長與寬', '长方形的面积大于 3，求长与宽'],
    ['radicals of PDF files', '⻓⽅形的⾯积', '长方形的面积'],
    [
      'a blank after each character, as text recognition writes it',
      '把 20 g 食 盐 完 全 溶 解 在 水里',
      '把 20 g 食盐完全溶解在 水里',
    ],
  ])('%s are read as simplified characters in words', (_, written, meant) => {
    expect(analyse(written)).toEqual(analyse(meant));
  });

  test('but blanks between words, and a character that simplified texts use too, stay', () => {
    expect(tokenizer.tokens('小数 学生')).not.toContain('数学');
    expect(tokenizer.tokens('著名')).toEqual(['著名']);
  });
});

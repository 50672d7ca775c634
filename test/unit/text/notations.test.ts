import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyserOf } from '../../../src/lexical/terms.js';
import { lexemes } from '../../../src/text/lexemes.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';
import { growth } from '../../support/cpu-time.js';

const analyse = analyserOf(new Tokenizer());

describe('a formula in program notation has the terms of the handwritten one', () => {
  test.each([
    ['x*x=5*x', 'x^2=5x'],
    ['(x-3)**2=16', '(x-3)^2=16'],
    ['2*x**2 - 3*x - 4 = 0', '2x² − 3x − 4 = 0'],
    ['x * x = 49', 'x² = 49'],
    ['2*(x+1)', '2(x+1)'],
    ['x**n', 'x^n'],
  ])('%s: %s', (code, byHand) => {
    expect(analyse(`Solve ${code}.`)).toEqual(analyse(`Solve ${byHand}.`));
  });

  test.each([
    ['emphasis is no power', '**Note** x', 'Note x'],
    ['emphasis around a number is no power', 'the **2** roots', 'the 2 roots'],
    ['a product of two variables stays one', 'a*b', 'a×b'],
    ['a product of numbers stays one', '3*4', '3×4'],
    ['a longer product of one variable stays one', 'x*x*x', 'x×x×x'],
  ])('but %s', (_, text, other) => {
    expect(analyse(text)).toEqual(analyse(other));
  });
});

describe('MathML is read as the formula that it shows', () => {
  const frac = (above: number, below: number): string => `<mfrac><mn>${above}</mn><mn>${below}</mn></mfrac>`;
  test.each([
    ['fractions', `<math>${frac(1, 2)}<mo>+</mo>${frac(1, 3)}</math>`, '1/2+1/3'],
    [
      'powers of groups, with a namespace and character references',
      '<m:math><m:msup><m:mrow><m:mo>(</m:mo><m:mi>x</m:mi><m:mo>&#x2212;</m:mo><m:mn>3</m:mn><m:mo>)</m:mo></m:mrow>' +
        '<m:mn>2</m:mn></m:msup><m:mo>=</m:mo><m:mn>16</m:mn></m:math>',
      '(x-3)²=16',
    ],
    ['roots', '<math><msqrt><mi>x</mi><mo>+</mo><mn>6</mn></msqrt><mo>=</mo><mi>x</mi></math>', '√(x + 6) = x'],
    ['roots of a degree', '<math><mroot><mi>x</mi><mn>3</mn></mroot></math>', '\\sqrt[3]{x}'],
    ['indices', '<math><msub><mi>a</mi><mi>n</mi></msub></math>', 'a_n'],
    ['entities', '<math><mn>5</mn><mo>&minus;</mo><mn>3</mn><mi>x</mi><mo>&le;</mo><mn>14</mn></math>', '5-3x≤14'],
    ['functions', '<math><mi>sin</mi><mi>x</mi></math>', '\\sin x'],
    [
      'elements called like a member of every object',
      '<math><constructor><mi>a</mi><mi>b</mi></constructor></math>',
      'ab',
    ],
    [
      'layout between the elements, and an annotation that repeats it',
      '<math>\n <semantics>\n  <mrow> <mi>x</mi> <mo>=</mo> <mn>2</mn> </mrow>\n' +
        '  <annotation encoding="application/x-tex">x=2</annotation></semantics></math>',
      'x=2',
    ],
  ])('%s', (_, mathml, formula) => {
    expect(analyse(`计算 ${mathml} 的值`)).toEqual(analyse(`计算 ${formula} 的值`));
  });

  test('a text that compares numbers with < and > is not changed', () => {
    expect(analyse('a < b and c > d, <b>bold</b>')).toContain('<');
  });

  test('never throws for any mixture of tags', () => {
    const tag = fc.constantFrom(
      '<math>',
      '</math>',
      '<mfrac>',
      '</mfrac>',
      '<mn>1</mn>',
      '<msup>',
      '<mi/>',
      '&#x;',
      '<',
      '&lt;',
    );
    fc.assert(
      fc.property(fc.array(tag), (tags) => {
        expect(lexemes(tags.join(''))).toBeDefined();
      }),
    );
  });
});

describe('hostile notations take linear time', () => {
  test.each(['<math>', '<math><mrow>', '<math><', '<math ', 'x*', '*', '5 * ', '<math>&#', 'x**', '<math></'])(
    '%s',
    (piece) => {
      const ofPieces = (times: number): (() => unknown) => {
        const text = `<math>${piece.repeat(times)}`;
        return () => lexemes(text);
      };
      expect(growth(ofPieces, 2_000)).toBeLessThan(8);
    },
  );
});

describe('an emoji', () => {
  test.each(['🙂', '👍🏽', '🇨🇳', '⭐', '解方程 🙂 x²=4'])('%s has no term of its own', (text) => {
    expect(analyse(text)).toEqual(analyse(text.replace(/🙂|👍🏽|🇨🇳|⭐/gu, '')));
  });

  test('is not a sign of biology or an arrow', () => {
    expect(analyse('♀ × ♂, A ↔ B')).toEqual(expect.arrayContaining(['♀', '♂', '↔']));
  });
});

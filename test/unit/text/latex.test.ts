import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainFormulas } from '../../../src/text/latex.js';
import { lexemes } from '../../../src/text/lexemes.js';
import { expectGrowthBelow } from '../../support/cpu-time.js';
import { anyText } from '../../support/generators.js';
import { runs } from '../../support/runs.js';

/** What is left of a text when only its parts count, and not the blanks and brackets between them. */
function parts(text: string): string {
  return lexemes(text)
    .map((lexeme) => lexeme.text)
    .join(' ');
}

describe('all notations of a formula give the same text', () => {
  test.each([
    ['\\frac{1}{2}', '\\dfrac12', '\\nicefrac12', '{1 \\over 2}', '\\frac 1 2', '$\\frac{1}{2}$', '½', '１／２', '1/2'],
    ['2\\frac{1}{3}', '2 1/3', '2\\dfrac13'],
    ['\\frac{-1}{2}', '-1/2'],
    ['x²', '$x^{2}$', '$$x^2$$', '\\(x^2\\)', '\\[ x ^ 2 \\]', 'x^2', 'x\\textsuperscript{2}', 'x$^2$'],
    ['2^{10}', '2¹⁰', '2^10'],
    ['x^{-1}', 'x⁻¹', 'x^-1'],
    ['3\\times4', '3\\cdot 4', '3×4', '3*4', '3⋅4', '3·4'],
    ['6\\div2', '6÷2'],
    ['x\\le2', 'x\\leq 2', 'x\\leqslant2', 'x≤2', 'x⩽2', 'x≦2'],
    ['x\\geqslant2', 'x≥2', 'x\\ge 2'],
    ['x\\neq2', 'x≠2', 'x\\ne2'],
    ['\\sqrt{2}', '\\surd2', '√2', '\\sqrt {2}'],
    ['\\sqrt[3]{8}', '∛8'],
    ['\\pi r^2', 'πr²', '\\pi{r}^{2}'],
    ['\\angle ABC=90^\\circ', '∠ABC=90°', '∠ABC = 90^{\\circ}', '$\\angle ABC$ = $90$°'],
    ['\\triangle ABC', '△ABC'],
    ['5\\text{cm}', '5\\mathrm{cm}', '5 cm', '5{\\rm cm}', '5\\,\\textbf{cm}'],
    ['\\left( x+1 \\right)', '(x+1)', '\\left(x+1\\right.'],
    ['H_2O', 'H_{2}O', 'H₂O', '$\\mathrm{H}_2\\mathrm{O}$', 'H$_2$O', '\\ce{H2O}', 'H2O'],
    ['SO_4^{2-}', 'SO₄²⁻', '\\mathrm{SO}_4^{2-}'],
    ['a_n', '$a_{n}$', 'aₙ'],
    ['x_1+x_2', 'x₁+x₂', 'x_{1}+x_{2}', 'x1+x2'],
    ['\\sin x', 'sin x', 'sinx'],
    ['\\sin\\alpha', 'sinα', 'sin α'],
    ['36℃', '36^\\circ C', '36°C'],
    ['\\frac{-b\\pm\\sqrt{b^2-4ac}}{2a}', '(-b±√(b²-4ac))/(2a)'],
    ['50\\%', '50%', '５０％'],
    ['a \\Rightarrow b', 'a⇒b'],
    ['1{,}000', '1000', '1,000'],
    ['\\begin{array}{ll} x+y=1 \\\\ x-y=2 \\end{array}', 'x+y=1 x-y=2'],
  ])('%s', (first, ...others) => {
    for (const other of others) expect(parts(other)).toBe(parts(first));
  });
});

describe('plainFormulas', () => {
  test.each([
    ['a compound fraction keeps its brackets', '\\frac{a+b}{c}', '(a+b)/c'],
    ['fractions nest', '\\frac{1}{1+\\frac{1}{x}}', '1/(1+ 1/x)'],
    ['a command without a character of its own keeps its name', '\\binom{n}{k}', '\\binom n k'],
    ['a blank to fill in is nothing', '得\\uline{~~~~}元 ____ (\\underline{\\qquad})', '得 元 ( )'],
    ['a fraction without an end is read to the end of the text', '\\frac{1}{2', '1/2'],
    ['a brace that closes nothing is dropped', '1}+}2', '1+2'],
    ['dollars that are money only separate', '$5 and $7', '5 and 7'],
    ['stars that are emphasis do not multiply', '**bold**', 'bold'],
    ['the dot within a foreign name does not multiply', '阿尔伯特·爱因斯坦', '阿尔伯特 爱因斯坦'],
    ['snake case is two words', 'word_list', 'word list'],
    ['a backslash at the end is nothing', 'x\\', 'x'],
  ])('%s', (_, text, expected) => {
    expect(plainFormulas(text).replace(/\s+/g, ' ').trim()).toBe(expected);
  });

  test('never throws', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '\\',
        '$',
        '^',
        '_',
        '[',
        ']',
        '~',
        '\\frac',
        '\\sqrt',
        '\\left',
        '\\begin',
        '²',
        '₂',
        '½',
      ),
      anyText({ maxLength: 3 }),
      fc.constantFrom('\ud800', '\udc00', '1', 'x', '面积', ' '),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(typeof plainFormulas(pieces.join(''))).toBe('string');
      }),
      { numRuns: runs(500) },
    );
  });

  test.each([
    '{',
    '}',
    '\\frac',
    '\\frac{',
    '\\sqrt[',
    '\\sqrt[3]',
    '^',
    '^{',
    '_',
    'x_{',
    '²',
    '$',
    '\\',
    '\\text{',
    '\\left',
    '1/',
    '1,000,',
    "a'",
    'a_b',
    '9',
    'a',
    '面',
    '* ',
    '·',
  ])('a text that repeats %s takes time in proportion to its length', (piece) => {
    const ofLength = (length: number): (() => unknown) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      return () => lexemes(text);
    };
    expectGrowthBelow(8, ofLength, 10_000);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyserOf } from '../../../src/lexical/terms.js';
import { lexemes } from '../../../src/text/lexemes.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';
import { expectGrowthBelow } from '../../support/cpu-time.js';

const analyse = analyserOf(new Tokenizer());

describe('a formula in program notation has the terms of the handwritten one', () => {
  test.each([
    ['x*x=5*x', 'x^2=5x'],
    ['(x-3)**2=16', '(x-3)^2=16'],
    ['2*x**2 - 3*x - 4 = 0', '2x² − 3x − 4 = 0'],
    ['x * x = 49', 'x² = 49'],
    ['2*(x+1)', '2(x+1)'],
    ['x**n', 'x^n'],
    ['x<=3 or x =< 3', 'x≤3 or x ≤ 3'],
    ['x>=3', 'x≥3'],
    ['x != 0', 'x ≠ 0'],
    ['H2 + O2 -> H2O', 'H2 + O2 → H2O'],
    ['A --> B', 'A→B'],
    ['sqrt(2) and sqrt(x+1)', '√2 and √(x+1)'],
    ['2*pi*r and pi r^2', '2πr and πr²'],
    ['10^(-3) + 2^(n+1)', '10^{-3} + 2^{n+1}'],
    ['1 / 2 + 1 / 3', '1/2+1/3'],
    ['2 x 3', '2×3'],
    ['log2(8)', '\\log_2 8'],
    ['lnx', '\\ln x'],
  ])('%s: %s', (code, byHand) => {
    expect(analyse(`Solve ${code}.`)).toEqual(analyse(`Solve ${byHand}.`));
  });

  test.each([
    ['emphasis is no power', '**Note** x', 'Note x'],
    ['emphasis around a number is no power', 'the **2** roots', 'the 2 roots'],
    ['a product of two variables stays one', 'a*b', 'a×b'],
    ['a product of numbers stays one', '3*4', '3×4'],
    ['a longer product of one variable stays one', 'x*x*x', 'x×x×x'],
    ['a factorial before = is no ≠', '5!=120', '5! =120'],
    ['an equivalence is no ≤', 'x<=>y', 'x < = > y'],
    ['a variable between numbers without blanks stays one', '3x4', '3 x4'],
    ['a part of a longer quotient is no fraction', '1 / 2 / 3', '1/2/3'],
    ["LaTeX's commands stay", '\\pi \\sqrt2', 'π√2'],
  ])('but %s', (_, text, other) => {
    expect(analyse(text)).toEqual(analyse(other));
  });
});

describe('a formula as it is typed or said in words has the terms of the written one', () => {
  test.each([
    ['.5 mol, -.25', '0.5 mol, -0.25'],
    ['1.5e3 and 2E-4', '1.5×10³ and 2×10⁻⁴'],
    ['24x35, 9X12 and 12x9', '24×35, 9×12 and 12×9'],
    ['2 m x 50 cm', '2 m × 50 cm'],
    ['x!=3', 'x≠3'],
    ['x = +/-3', 'x = ±3'],
    ['5 m/s2, 8 kg/m3 and 3cm2', '5 m/s², 8 kg/m³ and 3cm²'],
    ['SO42- + Ca2+', 'SO₄²⁻ + Ca²⁺'],
    ['SO4^2-', '$\\mathrm{SO_4^{2-}}$'],
    ['y=xe^x', 'y = x\\,\\mathrm{e}^x'],
    ['kx²-4x', '$k x^{2}-4x$'],
    ['30 degrees', '30°'],
    ['a 30-degree slope', 'a 30° slope'],
    ['27 degrees Celsius, 27摄氏度', '27 ℃, 27℃'],
    ['30度角', '30°角'],
    ['20 percent, 百分之20', '20%, 20%'],
    ['5 ohms, 5欧姆', '5 Ω, 5 Ω'],
    ['x squared = 49', 'x² = 49'],
    ['(x-3)squared', '(x-3)²'],
    ['4 cubed', '4³'],
    ['x的平方等于49', 'x²=49'],
    ['2的三次方', '2³'],
    ['根号16', '√16'],
    ['24 times 35', '24 × 35'],
    ['六分之五减去三分之一加二分之一', '5/6-1/3+1/2'],
    ['三分之二乘以五分之四', '2/3×4/5'],
    ['one half plus two-thirds', '1/2+2/3'],
    ['Three quarters of 20', '3/4 of 20'],
    ['12 divided by x', '12 ÷ x'],
    ['52减27', '52-27'],
    ['sin theta', 'sin θ'],
    ['3x10^3 and 4.2x10⁻²', '3×10^3 and 4.2×10⁻²'],
    ['AB//CD, l1 // l2, 直线m//平面α', 'AB∥CD, l1 ∥ l2, 直线m∥平面α'],
    ['y=x\\mathrm{e}^{x}, y=xeˣ', 'y=xe^x, y=xe^x'],
    ['e^(-x²)', 'e^{-x^2}'],
    ['(x-1)2=16, (a+b)2-(a-b)2=4ab', '(x-1)²=16, (a+b)²-(a-b)²=4ab'],
    ['x2-5x+6=0, y=ax2-6x', 'x²-5x+6=0, y=ax²-6x'],
    ['x=v0t-1/2at2', '$x=v_0t-\\frac12at^2$'],
    ['数列{an}的前n项和为Sn，an=2n', '数列$\\{a_n\\}$的前n项和为$S_n$，$a_n=2n$'],
    ['f(x)=x4-4x3', 'f(x)=x⁴-4x³'],
    ['0.5 mol·L⁻¹, 2mol·L-1', '0.5 mol/L, 2mol/L'],
    ['$5\\ \\mathrm{m\\cdot s^{-2}}$', '5 m/s²'],
    ['$10\\,\\text{kg}\\cdot\\text{m}^{-3}$', '10 kg/m³'],
    ['9.8 m s⁻² and 20 m s^-1', '9.8 m/s² and 20 m/s'],
  ])('%s: %s', (typed, written) => {
    expect(analyse(`Solve ${typed}.`)).toEqual(analyse(`Solve ${written}.`));
  });

  test.each([
    ['a number of a list', 'No.5', 'No 5'],
    ['a factorial', 'n!=24', 'n! =24'],
    ['a sum of molecules', 'H2+O2', 'H2 + O2'],
    ['a difference', 'x^2-4', 'x^2 - 4'],
    ['a mass', 'm2=3', 'm2 =3'],
    ['an article', '\\frac{kn}{bn} of an apple', '\\frac{kn}{bn} apple of an'],
    ['an unknown', 'x1+x2=-4, x2=3', 'x1 + x2 = -4, x2 =3'],
    ['a compound', 'Ca(OH)2=CaO', 'Ca(OH) 2=CaO'],
    ['a product of variables', 'ab^{-2}', 'a b^{-2}'],
    ['an amount of energy', '5度电', '5 度电'],
    ['a root', 'x的平方根', 'x 的平方根'],
    ['an area', '5的平方厘米', '5 的平方厘米'],
    ['a verb', 'I squared both', 'I  squared both'],
    ['a noun', 'a squared number', 'a  squared number'],
    ['money', '10欧元', '10 欧元'],
    ['an operator of LaTeX', '3\\otimes 5', '3 ⊗ 5'],
  ])('but %s stays: %s', (_, text, other) => {
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
    ['entities without a character', '<math><mn>2</mn><mo>&InvisibleTimes;</mo><mi>x</mi></math>', '2x'],
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

describe('HTML is read as the text that it shows', () => {
  test.each([
    ['x &lt; 3 &amp;&nbsp;y &ge; 2', 'x < 3 & y ≥ 2'],
    ['&frac12; &times; &radic;2 = 30&deg;', '½ × √2 = 30°'],
    ['&#120;&#x00B2;', 'x²'],
    ['x<sup>2</sup> + a<sub>n</sub>', 'x^2 + a_n'],
    ['H<SUB>2</SUB>O', 'H₂O'],
    ['<p style="color:red">计算：</p><br/>13-5', '计算： 13-5'],
    ['<DIV>求<SPAN class=q>等腰<U>三角形</U></SPAN>的面积</DIV>', '求等腰三角形的面积'],
    ['<p>解 <math><mi>x</mi><mo>=</mo><mn>2</mn></math></p>', '解 x=2'],
  ])('%s', (html, shown) => {
    expect(analyse(html)).toEqual(analyse(shown));
  });

  test('a comparison of three variables is no tag', () => {
    expect(analyse('a<s>c')).toEqual(analyse('a < s > c'));
  });

  test.each(['a & b; c', '&unknown; x', 'x&y;'])('but %s has no character reference', (text) => {
    expect(analyse(text)).toEqual(analyse(text.replace(/[&;]/g, ' ')));
  });
});

describe('of an image its alternative text is read, and no address', () => {
  test.each([
    ['求 x ![三角形 ABC](https://cdn.example.com/a_b/q12.png)', '求 x 三角形 ABC'],
    ['<img src="/u/1.png" data-alt="q" alt="电路图"/>求电压', '电路图 求电压'],
    ["<img alt='a lever' src='data:image/png;base64,iVBORw0KGgo='> Find F", 'a lever Find F'],
    ['![](images/q_12.png) 求阴影部分的面积', '求阴影部分的面积'],
    ['原题见https://example.com/q?id=12，求周长', '原题见，求周长'],
  ])('%s', (written, read) => {
    expect(analyse(written)).toEqual(analyse(read));
  });
});

describe('characters of office programs and PDF files are read as those that they stand for', () => {
  test.each([
    ['𝑥² ∈ ℝ', 'x² ∈ R'],
    ['5㎡ + 3㎝', '5 m² + 3 cm'],
    ['coefﬁcient ﬂow', 'coefficient flow'],
    ['x﹢1﹤2', 'x+1<2'],
    ['30^∘', '30°'],
    ['ΔABC ≌ ∆DEF', '△ABC ≌ △DEF'],
    ['Δ=b²-4ac', '\\Delta=b²-4ac'],
    ['△=b²-4ac<0, △t, △H', 'Δ=b²-4ac<0, Δt, ΔH'],
    ['△ A B C, a△b', '\\triangle A B C, a \\triangle b'],
  ])('%s', (written, meant) => {
    expect(analyse(written)).toEqual(analyse(meant));
  });
});

describe('hostile notations take linear time', () => {
  test.each([
    '<math>',
    '<math><mrow>',
    '<math><',
    '<math ',
    'x*',
    '*',
    '5 * ',
    '<math>&#',
    'x**',
    '<math></',
    '{a\\over',
    '^(',
    '<sup>',
    '&#',
  ])('%s', (piece) => {
    const ofPieces = (times: number): (() => unknown) => {
      const text = `<math>${piece.repeat(times)}`;
      return () => lexemes(text);
    };
    expectGrowthBelow(8, ofPieces, 2_000);
  });

  test.each([
    '{a\\over',
    '^(',
    '<sup>',
    '&#',
    '1 / ',
    '- ',
    '题 ',
    '.5',
    '1e',
    '2x',
    '3 ',
    'Ca2+',
    '5的',
    'x加',
    '(-',
    'x2',
    'm·',
    'a//',
    '<b ',
    '</b>',
    '![](',
    '<img ',
    '<p a=b',
    '<p a=b c=d ',
  ])('%s, outside of MathML', (piece) => {
    const ofPieces = (times: number): (() => unknown) => {
      const text = piece.repeat(times);
      return () => lexemes(text);
    };
    expectGrowthBelow(8, ofPieces, 2_000);
  });
});

describe('an emoji', () => {
  test.each(['🙂', '👍🏽', '🇨🇳', '⭐', '解方程 🙂 x²=4'])('%s has no term of its own', (text) => {
    expect(analyse(text)).toEqual(analyse(text.replace(/🙂|👍🏽|🇨🇳|⭐/gu, '')));
  });

  test('is not a sign of biology or an arrow', () => {
    expect(analyse('♀ × ♂, A ↔ B')).toEqual(expect.arrayContaining(['♀', '♂', '↔']));
  });
});

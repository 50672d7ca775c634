import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digitFractions, TYPED } from '../../../src/text/typed-formulas.js';
import { runs } from '../../support/runs.js';

const NOTATIONS = [
  [
    '.5',
    '1.5e3',
    '2E-3',
    '+/-3',
    '24x35',
    '24X35',
    '3x40',
    '2 m x 50 cm',
    '2X10^3',
    '2x10^3',
    '2 m X 5 cm',
    '3X40',
    'AB//CD',
    'α‖β',
    '(x-1)2=16',
    '(x-1)3=8',
  ],
  [
    '5 cm2',
    '3 m3',
    'm/s2',
    'm/s3',
    '0.1mol·L-1',
    'mol·L⁻¹',
    'm\\cdot s^{-1}',
    'm·s^−1',
    'm\\cdot s^{-2}',
    'm·s^−2',
    'm·s⁻²',
    'm·s^-2',
    'm·s^{−2}',
  ],
  ['SO42-', 'CO32-', 'Fe3+', 'Fe2+', 'SO4^2-', 'v0t', '1/2at2', 'xe^x', 'kx²', 'kx³', 'xeˣ', 'x\\mathrm{e}^x'],
  ['30 degrees', '20 Deg C', '20摄氏度', '30度', '20 Percent', '百分之20', '5 OHM', '5欧', '二分之一加三分之一'],
  ['one half', 'Two-thirds'],
  [
    'x squared',
    '5 cubed',
    'x的平方',
    '2的立方',
    '2的三次方',
    '根号16',
    '24 times 35',
    '2 multiplied by 3',
    '2乘以3',
    '2乘3',
  ],
  ['6 divided by 2', '6除以2', '1 plus 2', '1加上2', '1加2', '3 minus 2', '3减去2', '3减2', '2 equals 2', '2等于2'],
].flat();

const asked = (text: string, strings: readonly string[]) =>
  strings.length === 0 || strings.some((string) => text.includes(string));

test.each(TYPED)('a text with a match contains one of %j', (strings, pattern) => {
  const matched = NOTATIONS.filter((text) => text.search(pattern) >= 0);
  expect(matched).not.toEqual([]);
  expect(matched.filter((text) => !asked(text, strings))).toEqual([]);
});

test('so does any other text with a match', () => {
  const parts = NOTATIONS.flatMap((text) => text.match(/[A-Za-z]+|\d|./gu) ?? []);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(' ', ...NOTATIONS, ...parts), { maxLength: 12 }), (written) => {
      const text = written.join('');
      for (const [strings, pattern] of TYPED) if (text.search(pattern) >= 0) expect(asked(text, strings)).toBe(true);
    }),
    { numRuns: runs(300) },
  );
});

test('fractions in Chinese words are read as digits, unless they are to be kept', () => {
  const asked: string[] = [];
  const isKept = (words: string): boolean => {
    asked.push(words);
    return words === '三分之一';
  };
  expect(digitFractions('四分之三、三分之一、百分之五、三分之二十和四分之三', isKept)).toBe(
    '3/4、三分之一、百分之五、三分之二十和3/4',
  );
  expect(asked).toEqual(['四分之三', '三分之一']);
});

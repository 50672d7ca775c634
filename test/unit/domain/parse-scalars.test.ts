import { expect, test } from 'vitest';
import { grade, optionalSource, shortName, source } from '../../../src/domain/parse/scalars.js';

test.each([501, 20_000])('a source of %d characters is refused with its limit in characters', (count) => {
  for (const parser of [source, optionalSource]) {
    const { error } = parser.safeParse('数'.repeat(count));
    expect(error?.issues.map(({ message }) => message)).toEqual(['must have at most 500 characters']);
  }
});

test('a name is found however its accents were typed', () => {
  for (const parser of [source, optionalSource, shortName]) expect(parser.parse('Cafe\u0301')).toBe('Caf\u00e9');
});

test.each([
  ['5.0', 'G5'],
  ['５．００', 'G5'],
  ['12.0', 'G12'],
  ['7.5', '7.5'],
  ['13.0', '13.0'],
])('the grade %s, as a program writes it, is %s', (written, meant) => {
  expect(grade.parse(written)).toBe(meant);
});

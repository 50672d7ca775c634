import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { shortText, wholeNumber } from '../../../src/cli/option-parsers.js';

test('a number option is accepted within its bounds, and anything else is refused', () => {
  const read = wholeNumber(1, 50);
  expect([read('1'), read('50')]).toEqual([1, 50]);
  for (const text of ['0', '51', '1.5', 'abc', '', ' ', '-1']) expect(() => read(text)).toThrow(InvalidArgumentError);
});

test('a name option is text of one line', () => {
  expect(shortText(' 开学 key ')).toBe('开学 key');
  for (const text of ['', ' ', 'two\nlines', 'x'.repeat(201)])
    expect(() => shortText(text)).toThrow(InvalidArgumentError);
});

import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { nameOfKey, wholeNumber } from '../../../src/cli/option-parsers.js';

test('a number option is accepted within its bounds, and anything else is refused', () => {
  const read = wholeNumber(1, 50);
  expect([read('1'), read('50')]).toEqual([1, 50]);
  for (const text of ['0', '51', '1.5', 'abc', '', ' ', '-1']) expect(() => read(text)).toThrow(InvalidArgumentError);
});

test('the name of a key is text of one line, of as many characters as the API accepts', () => {
  expect(nameOfKey(' 开学 key ')).toBe('开学 key');
  expect(nameOfKey('名'.repeat(100))).toHaveLength(100);
  for (const text of ['', ' ', 'two\nlines', 'x'.repeat(101)])
    expect(() => nameOfKey(text)).toThrow(InvalidArgumentError);
});

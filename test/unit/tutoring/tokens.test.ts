import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { loadTokenCounter, rankSteps } from '../../../src/tutoring/tokens.js';
import { runs } from '../../support/runs.js';

test('tokens are those of o200k_base, special ones counted as text', async () => {
  const count = await loadTokenCounter();
  expect(count('hello 你好')).toBe(3);
  expect(count('')).toBe(0);
  expect(count('<|endoftext|>')).toBeGreaterThan(1);
});

test('a text has as many tokens as the library counts', async () => {
  const count = await loadTokenCounter();
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      ' 解方程',
      '\\frac{1}{2}',
      "It's 12345.",
      '移项没有变号\r\n',
      '  \n\n\t',
      '\ud83d',
      ' naïve',
      '👩🏽‍🏫',
    ),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = parts.join('');
      expect(count(text)).toBe(countTokens(text, { disallowedSpecial: new Set() }));
    }),
    { numRuns: runs(500) },
  );
});

test('the table of tokens is read in steps of a hundred', () => {
  const file = Array.from({ length: 250 }, (_, rank) => `${Buffer.from(`t${rank}`).toString('base64')} ${rank}`);
  const steps = [...rankSteps(`${file.join('\n')}\n`)];
  expect(steps).toHaveLength(3);
});

test('a run of 16,000 characters is counted in time, and not too low', async () => {
  const count = await loadTokenCounter();
  for (const character of ['题', 'a', '😀', ' ', '\n']) {
    const [some, many] = [count(character.repeat(200)), count(character.repeat(16_000))];
    expect(many).toBeGreaterThanOrEqual(some * 79);
    expect(many).toBeLessThanOrEqual((some + 1) * 81 * 2);
  }
});

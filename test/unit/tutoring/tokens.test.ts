import { expect, test } from 'vitest';
import { loadTokenCounter } from '../../../src/tutoring/tokens.js';

test('tokens are those of o200k_base, special ones counted as text', async () => {
  const count = await loadTokenCounter();
  expect(count('hello 你好')).toBe(3);
  expect(count('')).toBe(0);
  expect(count('<|endoftext|>')).toBeGreaterThan(1);
});

test('a run of 16,000 characters is counted in time, and not too low', async () => {
  const count = await loadTokenCounter();
  for (const character of ['题', 'a', '😀']) {
    const [some, many] = [count(character.repeat(200)), count(character.repeat(16_000))];
    expect(many).toBeGreaterThanOrEqual(some * 79);
    expect(many).toBeLessThanOrEqual((some + 1) * 81 * 2);
  }
});

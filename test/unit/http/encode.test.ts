import { describe, expect, test } from 'vitest';
import { encoded, encodeSteps } from '../../../src/http/encode.js';

describe('a long response', () => {
  test.each([
    ['of Chinese', '错'.repeat(500_000)],
    ['whose pairs of surrogates would be cut', `a${'😀'.repeat(300_000)}`],
    ['that ends with half of a pair', `${'a'.repeat(131_072)}\ud83d`],
  ])('%s has the same bytes as at once', async (_, text) => {
    expect(Buffer.from(text).equals((await encoded(text)) as Buffer)).toBe(true);
  });

  test('lets other work run after each part', () => {
    let steps = 0;
    for (const all = encodeSteps('a'.repeat(1_000_000)); !all.next().done; ) steps += 1;
    expect(steps).toBe(8);
  });

  test('is the only one that is changed', async () => {
    for (const payload of ['short', Buffer.alloc(1_000_000), null]) expect(await encoded(payload)).toBe(payload);
  });
});

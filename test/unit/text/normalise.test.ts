import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalise } from '../../../src/text/normalise.js';
import { anyText } from '../../support/generators.js';

describe('normalise', () => {
  test.each([
    ['full-width letters, digits and signs become half-width', 'ＡＢＣ１２３＋－＝（％）', 'ABC123+-=(%)'],
    ['the ideographic space becomes a space', '甲　乙', '甲 乙'],
    ['the full-width comma of a list is kept, so that its numbers stay apart', '１００，２００', '100，200'],
    ['Chinese punctuation is kept', '“若则”。', '“若则”。'],
    ['characters without a width go', 'x\u200b\u200d^\ufeff2\u2060\u00ad\ufe0f', 'x^2'],
    ['letters with accents are composed', 'cafe\u0301', 'caf\u00e9'],
  ])('%s', (_, text, expected) => {
    expect(normalise(text)).toBe(expected);
  });

  test('is idempotent for any text', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(normalise(normalise(text))).toBe(normalise(text));
      }),
    );
  });

  test('does not change plain text', () => {
    const text = 'Solve 3x + 5 = 11. 求方程的解，并检验。';
    expect(normalise(text)).toBe(text);
  });
});

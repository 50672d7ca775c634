import fc from 'fast-check';
import { expect, test } from 'vitest';
import { perspectiveTexts } from '../../../src/domain/card.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { cardOf, contentArb } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';

test('knows whether a card has two of some terms, in any of its texts', () => {
  const wordsArb = fc.uniqueArray(fc.constantFrom('解方程', '勾股定理', 'area', 'circle', 'sign', 'error', 'none'));
  fc.assert(
    fc.property(fc.array(contentArb, { maxLength: 6 }), wordsArb, (contents, words) => {
      const index = new LexicalIndex(literalWords);
      const cards = contents.map((content, i) => cardOf({ ...content, id: `c${i}` }));
      for (const card of cards) index.set(card);
      const hasTwo = cards.some((card) => {
        const terms = new Set(Object.values(perspectiveTexts(card)).flat().flatMap(literalWords));
        return words.filter((word) => terms.has(word)).length > 1;
      });
      expect(index.texts.someHasTwoOf(new Set(words))).toBe(hasTwo);
    }),
  );
});

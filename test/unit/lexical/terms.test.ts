import { expect, test } from 'vitest';
import { Bm25Index } from '../../../src/lexical/bm25.js';
import { shapeTerm, termWeight } from '../../../src/lexical/terms.js';

test('weighted terms rank a card with a common token before one with an equally rare common shape', () => {
  const index = new Bm25Index({ weightOf: termWeight });
  index.set('shape', ['x', shapeTerm('v + #')]);
  index.set('word', ['面积', shapeTerm('# = v')]);
  const found = index.search(['面积', shapeTerm('v + #')], 5);
  expect(found.map(({ cardId }) => cardId)).toEqual(['word', 'shape']);
});

test('a shape differs from a token with the same spelling', () => {
  expect(shapeTerm('v')).not.toBe('v');
});

import { expect, test } from 'vitest';
import { Bm25Index } from '../../../src/lexical/bm25.js';
import { shapeTerm, termWeight } from '../../../src/lexical/terms.js';

test('an index that weighs terms ranks a card that shares a token before one that shares a shape as rare', () => {
  const index = new Bm25Index({ weightOf: termWeight });
  index.set('shape', ['x', shapeTerm('v + #')]);
  index.set('word', ['面积', shapeTerm('# = v')]);
  const found = index.search(['面积', shapeTerm('v + #')], 5);
  expect(found.map(({ cardId }) => cardId)).toEqual(['word', 'shape']);
});

test('a shape is not the token that is spelled alike', () => {
  expect(shapeTerm('v')).not.toBe('v');
});

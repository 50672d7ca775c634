import { expect, test } from 'vitest';
import { Bm25Index } from '../../../src/lexical/bm25.js';
import { features, termWeight } from '../../../src/lexical/terms.js';

test('a shape is no word that is spelled alike, and weighs half', () => {
  const [word = '', shape = ''] = features(['v'], ['v']);
  expect(word).toBe('v');
  expect(shape).not.toBe(word);
  expect([word, shape].map(termWeight)).toEqual([1, 0.5]);
});

test('an index that weighs features ranks the card that shares a word before one that shares a shape as rare', () => {
  const index = new Bm25Index({ weightOf: termWeight });
  index.set('shape', features(['x'], ['v + #']));
  index.set('word', features(['面积'], ['# = v']));
  const asked = features(['面积'], ['v + #']);
  expect(index.search(asked, 5).map(({ cardId }) => cardId)).toEqual(['word', 'shape']);
  expect(index.scores(asked, ['word', 'shape'])).toEqual([expect.closeTo(2 / 3, 12), expect.closeTo(1 / 3, 12)]);
});

import { expect, test } from 'vitest';
import { BadInputError } from '../../../src/domain/errors.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { TagSuggester } from '../../../src/search/suggest.js';
import { cardOf } from '../../support/generators.js';
import { LexicalIndexes } from '../../support/lexical-indexes.js';
import { literalWords } from '../../support/memory-ports.js';

const lexical = new LexicalIndexes(literalWords);
lexical.set(DEFAULT_VIEWER.tenantId, [
  cardOf({ id: 'a', questionText: 'area of a circle', topicTags: ['circles'], errorTypes: ['forgot pi'] }),
  cardOf({ id: 'b', questionText: 'area of a square', topicTags: ['squares'] }),
  cardOf({ id: 'c', questionText: 'speed of a train', topicTags: ['motion'] }),
]);
lexical.set('elsewhere', [cardOf({ id: 'a', questionText: 'circle', topicTags: ['foreign'] })]);
const suggester = new TagSuggester({ of: async ({ tenantId }) => lexical.of(tenantId) });
const suggest = (text: string, first: number) =>
  suggester.suggest(DEFAULT_VIEWER, text, first, new AbortController().signal);

test('topic tags and error types of the own tenant are suggested together, best first', async () => {
  const found = await suggest('area circle', 10);
  expect(found.map(({ tag, perspective, cards }) => [tag, perspective, cards])).toEqual([
    ['circles', 'concept', 1],
    ['forgot pi', 'error', 1],
    ['squares', 'concept', 1],
  ]);
  const scores = found.map(({ score }) => score);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
});

test('the requested number is suggested, and none if no card is similar', async () => {
  expect((await suggest('area circle', 1)).map(({ tag }) => tag)).toEqual(['circles']);
  expect(await suggest('photosynthesis', 5)).toEqual([]);
});

test('a text without words is refused', async () => {
  await expect(suggest('?!', 5)).rejects.toThrow(BadInputError);
});

import { expect, test } from 'vitest';
import { storedTexts } from '../../../studio/app/stored-texts.js';
import { keyOf, type Pair, withKept } from '../../../studio/duplicates/pairs.js';

const pair = (intoRevision: number): Pair =>
  ({ into: { id: 'a', revision: intoRevision }, from: { id: 'b', revision: 1 } }) as unknown as Pair;

test('a pair of which both cards are kept is known until one of them changes, whichever comes first', () => {
  const { into, from } = pair(1);
  expect(keyOf({ into: from, from: into })).toBe(keyOf(pair(1)));
  expect(keyOf(pair(2))).not.toBe(keyOf(pair(1)));
});

test('the browser keeps three thousand pairs, the last ones, each once', () => {
  const kept = Array.from({ length: 3_000 }, (_, place) => `${place}`);
  expect(withKept(kept, '7')).toEqual(kept);
  expect(withKept(kept, 'new')).toEqual([...kept.slice(1), 'new']);
});

test.each([[null], [''], ['{'], ['null'], ['{"0": "a@1 b@1"}'], ['[1, null]']])('%j keeps no pair', (text) => {
  expect(storedTexts(text)).toEqual([]);
});

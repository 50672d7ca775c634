import { expect, test } from 'vitest';
import { SHOWN, shownValues } from '../../../studio/search/facet-values.js';

const LIST = Array.from({ length: SHOWN + 4 }, (_, place) => ({ value: `tag ${place}`, count: 50 - place }));
const valuesOf = (chosen: readonly string[], words = '', kept: readonly string[] = []): readonly string[] =>
  shownValues(LIST, chosen, new Set(kept), (value) => value.includes(words)).map(({ value }) => value);
const FIRST = LIST.slice(0, SHOWN).map(({ value }) => value);

test('a value that is chosen keeps its place in the list', () => {
  expect(valuesOf([])).toEqual(FIRST);
  expect(valuesOf(['tag 5'])).toEqual(FIRST);
  expect(valuesOf(['tag 5', 'tag 2'])).toEqual(FIRST);
});

test('a chosen value is shown however rare it is, and while something else is typed', () => {
  expect(valuesOf(['tag 10'])).toEqual([...FIRST, 'tag 10']);
  expect(valuesOf(['tag 10'], 'tag 1')).toEqual(['tag 1', 'tag 10', 'tag 11']);
  expect(valuesOf(['tag 3'], 'tag 1')).toEqual(['tag 1', 'tag 3', 'tag 10', 'tag 11']);
});

test('a rare value that is not chosen any more stays, unless something else is typed', () => {
  expect(valuesOf(['tag 10'], '', ['tag 9', 'tag 10'])).toEqual([...FIRST, 'tag 9', 'tag 10']);
  expect(valuesOf([], 'tag 10', ['tag 9', 'tag 10'])).toEqual(['tag 10']);
});

test('a chosen value that no card has is last, to be taken back', () => {
  const shown = shownValues(LIST, ['unknown', 'tag 0'], new Set(), () => true);
  expect(shown.at(-1)).toEqual({ value: 'unknown', count: 0 });
  expect(shown).toHaveLength(SHOWN + 1);
});

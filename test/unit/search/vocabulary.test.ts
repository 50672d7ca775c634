import { describe, expect, test } from 'vitest';
import { labelKey } from '../../../src/domain/labels.js';
import { Vocabularies } from '../../../src/search/vocabularies.js';
import { vocabularyOf } from '../../support/vocabulary.js';

const label = (name: string, parent: string | null = null, aliases: readonly string[] = []) =>
  ({ kind: 'topicTags', name, parent, aliases }) as const;

const vocabulary = vocabularyOf({ of: (text) => (text.includes('root') ? ['zero'] : []) }, [
  label('arithmetic', null, ['算术']),
  label('fractions', 'arithmetic'),
  label('adding fractions', 'fractions', ['分数加法']),
]);

describe('a vocabulary', () => {
  test('finds labels of one kind by any spelling and alias, with those below them', () => {
    const meant = vocabulary.meantIn({
      labels: () => ['Fractions', 'Adding Fractions', '分数加法', 'other', 'arithmetic'],
    });
    expect(meant('concept', 'ＦＲＡＣＴＩＯＮＳ')).toEqual(['Fractions', 'Adding Fractions', '分数加法']);
    expect(meant('concept', '算术')).toHaveLength(4);
    expect(meant('error', 'fractions')).toEqual(['Fractions']);
    expect(meant('concept', 'none')).toEqual([]);
  });

  test('expands a text by other names of its labels and by labels below them, beside the common synonyms', () => {
    expect(vocabulary.of('an exercise of 算术')).toEqual(['arithmetic', 'fractions', 'adding fractions', '分数加法']);
    expect(vocabulary.of('the root')).toEqual(['zero']);
    expect(vocabulary.narrower('Arithmetic')).toEqual(['fractions', 'adding fractions']);
    expect(vocabulary.narrower('an exercise of arithmetic')).toEqual([]);
  });
});

test('vocabularies are read once for many searches, again after a change of this process, and after a failure', async () => {
  let reads = 0;
  let fails = true;
  const labels = {
    changes: 0,
    described: async () => {
      reads += 1;
      if (fails) throw new Error('away');
      return [label('a', null, [`alias ${reads}`])];
    },
  };
  const vocabularies = new Vocabularies({
    labels,
    tokenizer: { segments: (run) => [run] },
    synonyms: { of: () => [] },
  });
  const { signal } = new AbortController();
  await expect(vocabularies.of('t', signal)).rejects.toThrow('away');
  fails = false;
  const both = await Promise.all([vocabularies.of('t', signal), vocabularies.of('t', signal)]);
  expect(both[0]).toBe(both[1]);
  expect(reads).toBe(2);
  labels.changes += 1;
  expect((await vocabularies.of('t', signal)).of('a')).toEqual(['alias 3']);
  expect(labelKey(' Ａ  b ')).toBe('a b');
});

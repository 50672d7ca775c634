import { describe, expect, test } from 'vitest';
import { labelKey } from '../../../src/domain/labels.js';
import type { CardFilter } from '../../../src/domain/search.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { LabelLookup } from '../../../src/search/query/label-lookup.js';
import { Vocabularies } from '../../../src/search/query/vocabularies.js';
import { Vocabulary } from '../../../src/search/query/vocabulary.js';
import { Phrases } from '../../../src/text/phrases.js';
import { Synonyms } from '../../../src/text/synonyms.js';
import { cardOf } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { HOMOPHONES, vocabularyOf } from '../../support/vocabulary.js';

const label = (name: string, parent: string | null = null, aliases: readonly string[] = []) =>
  ({ kind: 'topicTags', name, parent, aliases }) as const;

const vocabulary = vocabularyOf({ of: (text) => (text.includes('root') ? ['zero'] : []) }, [
  label('arithmetic', null, ['算术']),
  label('fractions', 'arithmetic'),
  label('adding fractions', 'fractions', ['分数加法']),
]);

describe('a vocabulary', () => {
  test('finds labels of one kind by any spelling and alias, with those below them', () => {
    const labels = ['Fractions', 'Adding Fractions', '分数加法', 'other', 'arithmetic'];
    const index = new LexicalIndex(literalWords);
    index.set(cardOf({ id: 'a', topicTags: labels, errorTypes: labels }));
    const meant = vocabulary.meantIn(index.profiles);
    expect(meant('concept', 'ＦＲＡＣＴＩＯＮＳ')).toEqual(['Fractions', 'Adding Fractions', '分数加法']);
    expect(meant('concept', '算术')).toHaveLength(4);
    expect(meant('error', 'fractions')).toEqual(['Fractions']);
    expect(meant('concept', 'none')).toEqual([]);
  });

  test('lets a filter find a card by any spelling, alias and label above, for any and for all of its names', () => {
    const index = new LexicalIndex(literalWords);
    index.set(cardOf({ id: 'both', topicTags: ['Adding Fractions', 'other'] }));
    index.set(cardOf({ id: 'one', topicTags: ['other'] }));
    const found = (filter: CardFilter): readonly string[] =>
      index.cards.idsOf(index.matching(filter, vocabulary.meantIn(index.profiles)));
    for (const name of ['adding fractions', '分数加法', 'arithmetic']) {
      expect(found({ topicTags: [name] })).toEqual(['both']);
      expect(found({ allTopicTags: [name, 'OTHER'] })).toEqual(['both']);
    }
  });

  test('expands a text by other names of its labels and by labels below them, beside the common synonyms', () => {
    expect(vocabulary.of('an exercise of 算术')).toEqual(['arithmetic', 'fractions', 'adding fractions', '分数加法']);
    expect(vocabulary.of('the root')).toEqual(['zero']);
    expect(vocabulary.meantBy('Arithmetic')).toEqual(['arithmetic', 'fractions', 'adding fractions']);
    expect(vocabulary.meantBy('an exercise of arithmetic')).toEqual([]);
  });
});

test('vocabularies are read once for many searches, and again after a change or a failure; equal ones are kept', async () => {
  let reads = 0;
  let alias: string | null = null;
  const labels = {
    changes: 0,
    described: async () => {
      reads += 1;
      if (alias === null) throw new Error('away');
      return [label('a', null, [alias])];
    },
  };
  const vocabularies = new Vocabularies({
    labels,
    phrases: new Phrases({ segments: (run) => [run] }),
    synonyms: { of: () => [], said: () => [], called: () => [], below: () => [] },
  });
  const { signal } = new AbortController();
  await expect(vocabularies.of('t', signal)).rejects.toThrow('away');
  alias = 'one';
  const both = await Promise.all([vocabularies.of('t', signal), vocabularies.of('t', signal)]);
  expect(both[0]).toBe(both[1]);
  expect(reads).toBe(2);
  labels.changes += 1;
  expect(await vocabularies.of('t', signal)).toBe(both[0]);
  expect(reads).toBe(3);
  labels.changes += 1;
  alias = 'other';
  expect((await vocabularies.of('t', signal)).of('a')).toEqual(['other']);
  expect(labelKey(' Ａ  b ')).toBe('a b');
});

describe('the labels that a text names', () => {
  const index = new LexicalIndex(literalWords);
  const long = `writes ${'very '.repeat(60)}long answers`;
  index.set(cardOf({ id: 'a', topicTags: ['Fractions', long] }));
  index.set(cardOf({ id: 'b', topicTags: ['adding fractions'] }));
  const { signal } = new AbortController();
  const namesOf = (notebook: LexicalIndex) => new LabelLookup({ has: () => false }, HOMOPHONES).of(notebook, signal);
  const named = async (text: string) => (await namesOf(index)).named(vocabulary, text).concept;

  test('are found with those below them by every spelling', async () => {
    for (const text of ['fractions', 'Fraction', 'fraction.'])
      expect(await named(text)).toEqual(['Fractions', 'adding fractions']);
  });

  test('are found by the name of what they are a kind of in every school, where the text is no more than this name', async () => {
    const groups = [
      { names: ['numbers'], broader: null },
      { names: ['fractions'], broader: 'numbers' },
    ];
    const common = vocabularyOf(new Synonyms(new Phrases({ segments: (run) => [run] }), groups));
    const names = await namesOf(index);
    const namedBy = (text: string) => names.named(common, text).concept;
    expect(namedBy('numbers')).toEqual(['Fractions']);
    expect(namedBy('all numbers')).toEqual([]);
  });

  test('are found by an alias that contains the name, or is contained in it', async () => {
    const renamed = vocabularyOf({ of: () => [] }, [
      label('adding fractions with unlike denominators', null, ['adding fractions']),
      label('Fractions', null, ['vulgar fractions']),
    ]);
    const notebook = new LexicalIndex(literalWords);
    notebook.set(cardOf({ id: 'a', topicTags: ['Fractions', 'adding fractions with unlike denominators'] }));
    const names = await namesOf(notebook);
    const namedBy = (text: string) => names.named(renamed, text).concept;
    expect(namedBy('adding fractions')).toEqual(['adding fractions with unlike denominators']);
    expect(namedBy('vulgar fractions')).toEqual(['Fractions']);
  });

  test('are found by another name of the text, if a card has that name, and neither a card nor a label the text', async () => {
    const common = vocabularyOf(
      new Synonyms(new Phrases({ segments: (run) => [run] }), [
        { names: ['binary search', 'bisection', 'halving search'], broader: null },
        { names: ['mitosis', 'cell splitting'], broader: null },
        { names: ['not balanced', 'unbalanced equation', 'halving'], broader: null },
      ]),
    );
    const notebook = new LexicalIndex(literalWords);
    notebook.set(cardOf({ id: 'a', questionText: 'halving', topicTags: ['search'] }));
    notebook.set(cardOf({ id: 'b', questionText: 'binary', topicTags: ['mitosis'] }));
    notebook.set(cardOf({ id: 'c', questionText: 'cell', topicTags: ['splitting hairs', 'unbalanced equation'] }));
    const names = await new LabelLookup({ has: () => false }, HOMOPHONES).of(notebook, new AbortController().signal);
    const nameOf = (text: string) => names.knownName(notebook, common, text);
    expect(nameOf('Bisection')).toBe('halving search');
    expect(nameOf('binary search')).toBe('halving search');
    expect(nameOf('bisection of a line')).toBe('bisection of a line');
    expect(nameOf('mitosis')).toBe('mitosis');
    expect(nameOf('cell splitting')).toBe('cell splitting');
    expect(nameOf('not balanced')).toBe('not balanced');
  });

  test('may have the length of any label', async () => {
    expect(long.length).toBeGreaterThan(300);
    expect(await named(long)).toEqual([long]);
  });

  test('have the words of their other names, as the vocabulary has them', async () => {
    const wordsOf = (aliases: readonly string[]) =>
      lookup.words(
        indexOfTwo,
        vocabularyOf({ of: (text) => (text === '勾股定理' ? ['Pythagorean theorems'] : []) }, [
          label('勾股定理', null, aliases),
        ]),
        signal,
      );
    const lookup = new LabelLookup({ has: () => false }, HOMOPHONES);
    const indexOfTwo = new LexicalIndex(literalWords);
    indexOfTwo.set(cardOf({ id: 'a', topicTags: ['勾股定理', 'Fractions'] }));
    expect([...(await wordsOf([]))].sort()).toEqual(['fraction', 'fractions', 'pythagorean', 'theorem', 'theorems']);
    expect(await wordsOf(['Three Four Five'])).toContain('four');
  });

  test('have words that are looked up once for each label, whatever labels come', async () => {
    const asked: string[] = [];
    const synonyms = {
      of: (text: string) => {
        asked.push(text);
        return [];
      },
    };
    const lookup = new LabelLookup({ has: () => false }, HOMOPHONES);
    const notebook = new LexicalIndex(literalWords);
    notebook.set(cardOf({ id: 'a', topicTags: ['Fractions'] }));
    await lookup.words(notebook, synonyms, signal);
    notebook.set(cardOf({ id: 'b', topicTags: ['Circles'] }));
    expect([...(await lookup.words(notebook, synonyms, signal))].sort()).toEqual([
      'circle',
      'circles',
      'fraction',
      'fractions',
    ]);
    expect(asked).toEqual(['Fractions', 'Circles']);
    notebook.delete('a');
    expect([...(await lookup.words(notebook, synonyms, signal))].sort()).toEqual(['circle', 'circles']);
  });
});

test('a vocabulary is read in a step for each label and each of its names', () => {
  const described = Array.from({ length: 20 }, (_, n) => label(`topic ${n}`, null, [`subject ${n}`, `matter ${n}`]));
  const parts = { phrases: new Phrases({ segments: (run) => [run] }), synonyms: vocabularyOf() };
  expect([...Vocabulary.read(described, parts)].length).toBeGreaterThanOrEqual(20 + 3 * 20);
});

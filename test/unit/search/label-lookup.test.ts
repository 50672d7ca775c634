import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { LabelLookup } from '../../../src/search/query/label-lookup.js';
import { LabelNames, phraseKey } from '../../../src/search/query/label-names.js';
import { respelled } from '../../../src/search/query/spelling.js';
import { cardOf } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { runs } from '../../support/runs.js';
import { HOMOPHONES, vocabularyOf } from '../../support/vocabulary.js';

const { signal } = new AbortController();
const lookupOf = () => new LabelLookup({ has: () => false }, HOMOPHONES);

function indexOf(topicTags: readonly string[]): LexicalIndex {
  const index = new LexicalIndex(literalWords);
  index.set(cardOf({ id: 'a', topicTags }));
  return index;
}

describe('reading the labels of an index', () => {
  test('is a step for each label, so that no number of them blocks the event loop', () => {
    const labels = Array.from({ length: 40 }, (_, n) => `topic ${n}`);
    expect([...LabelNames.read(indexOf(labels), new Map(), phraseKey)]).toHaveLength(labels.length);
  });

  test('finds the labels as they are after any changes, whatever was known before', async () => {
    const names = ['lines', 'Line', 'sums', 'Sum', 'of lines', 'areas'];
    const change = fc.record({ id: fc.constantFrom('a', 'b', 'c'), topicTags: fc.subarray(names) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
        const index = new LexicalIndex(literalWords);
        const lookup = lookupOf();
        for (const { id, topicTags } of changes) {
          index.delete(id);
          if (topicTags.length > 0) index.set(cardOf({ id, topicTags, errorTypes: topicTags.slice(1) }));
          const [known, read] = await Promise.all([lookup.of(index, signal), lookupOf().of(index, signal)]);
          for (const name of names) expect(known.named(null, name)).toEqual(read.named(null, name));
          const wordsOf = async (one: LabelLookup) => [...(await one.words(index, vocabularyOf(), signal))].sort();
          expect(await wordsOf(lookup)).toEqual(await wordsOf(lookupOf()));
        }
      }),
      { numRuns: runs(100) },
    );
  });

  test('happens once for several searches, and goes on for the others if one of them ends', async () => {
    const index = indexOf(['lines']);
    const lookup = lookupOf();
    const ended = AbortSignal.abort(new Error('gone'));
    const [gone, ...names] = await Promise.allSettled([
      lookup.of(index, ended),
      lookup.of(index, signal),
      lookup.of(index, signal),
    ]);
    expect(gone).toMatchObject({ status: 'rejected', reason: new Error('gone') });
    expect(names[0]).toMatchObject({ status: 'fulfilled' });
    expect(names[0]).toEqual(names[1]);
    expect(await lookup.of(index, signal)).toBe((names[0] as PromiseFulfilledResult<LabelNames>).value);
  });
});

test('the words of labels are compared with an unknown word in parts, between which others have the event loop', async () => {
  let [turn, isEnded] = [0, false];
  const others = (): void => {
    turn += 1;
    if (!isEnded) setImmediate(others);
  };
  setImmediate(others);
  const turns = new Set<number>();
  function* slowWords(): Generator<string> {
    for (const word of ['equation', 'quadratic', 'fraction']) {
      const began = performance.now();
      while (performance.now() - began < 10);
      turns.add(turn);
      yield word;
    }
  }
  const dictionary = { isUnknown: () => true, isRight: () => false, words: async () => slowWords() };
  expect(await respelled('quadratc', dictionary)).toBe('quadratic');
  isEnded = true;
  expect(turns.size).toBe(3);
});

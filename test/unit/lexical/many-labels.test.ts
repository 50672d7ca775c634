import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import { labelKey } from '../../../src/domain/labels.js';
import { LABEL_PERSPECTIVES } from '../../../src/domain/search.js';
import { atOnce } from '../../../src/domain/steps.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { cardOf } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { runs } from '../../support/runs.js';

const words = (count: number, prefix: string): string => Array.from({ length: count }, (_, n) => prefix + n).join(' ');
const labels = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, n) => `${prefix} ${n}`);

/** Long texts, and up to as many labels as there may be: two of each kind are those of the others, too. */
function largeCard(number: number, count = 50): Card {
  return cardOf({
    id: `card-${number}`,
    questionText: `slope ${words(2_500, `q${number}-`)}`,
    goldSolutionBrief: `gradient ${words(2_500, `s${number}-`)}`,
    topicTags: [...labels(2, 'topic'), ...labels(count - 2, `topic ${number}`)],
    errorTypes: [...labels(2, 'error'), ...labels(count - 2, `error ${number}`)],
  });
}

const SMALL = [
  cardOf({ id: 'a', questionText: 'slope of lines', topicTags: ['topic 1', 'lines'], errorTypes: ['error 2'] }),
  cardOf({ id: 'b', questionText: 'gradient', topicTags: ['lines'], errorTypes: ['upside down'] }),
];

function indexOf(cards: readonly Card[]): LexicalIndex {
  const index = new LexicalIndex(literalWords);
  for (const card of cards) index.set(card);
  return index;
}

const ranks = (index: LexicalIndex) =>
  LABEL_PERSPECTIVES.flatMap((perspective) =>
    [undefined, 'a', 'card-1'].map((leaveOut) =>
      index.profiles[perspective].rank(['slope', 'gradient', 'lines', 'q1-7', 's2-9', '1'], 300, leaveOut),
    ),
  );

describe('cards of long texts with many labels', () => {
  test('restored, changed and deleted, leave label profiles that equal rebuilt ones', () => {
    const large = [1, 2, 3].map((number) => largeCard(number));
    const index = indexOf([...SMALL, ...large]);
    const restored = new LexicalIndex(literalWords);
    atOnce(restored.restore(index.snapshot(), () => true));
    expect(ranks(restored)).toEqual(ranks(index));
    for (const one of [index, restored]) {
      // A card of so few labels is in their profiles.
      one.set({ ...largeCard(2, 3), revision: 2 });
      one.delete('card-3');
      expect(ranks(one)).toEqual(ranks(indexOf([...SMALL, largeCard(1), largeCard(2, 3)])));
    }
    index.delete('card-1');
    index.delete('card-2');
    expect(ranks(index)).toEqual(ranks(indexOf(SMALL)));
  });

  test('take the memory of their texts, not that of these texts for each label', () => {
    const few = indexOf(Array.from({ length: 10 }, (_, number) => largeCard(number, 5)));
    const many = indexOf(Array.from({ length: 10 }, (_, number) => largeCard(number)));
    // With the terms of each label it was ten times as much.
    expect(many.bytes).toBeLessThan(2 * few.bytes);
  });

  test('lend to a label with a like name the most that one of them does', () => {
    const index = indexOf([largeCard(1), largeCard(2)]);
    const { concept } = index.profiles;
    const weights = new Map(concept.labels.slice(0, 20).map((label, place) => [label, ((place * 7) % 20) / 20]));
    const expected = new Map<string, number>();
    for (const one of weights) {
      for (const [other, value] of concept.names.namedLike([one], (cosine, weight) => weight * cosine)) {
        expected.set(other, Math.max(value, expected.get(other) ?? 0));
      }
    }
    expect(expected.size).toBe(concept.labels.length);
    expect(concept.names.namedLike(weights, (cosine, weight) => weight * cosine)).toEqual(expected);
  });
});

test('labels are found by their keys as a pass over all of them finds them, after any changes and restored', () => {
  const names = ['Lines', 'lines', 'ＬＩＮＥＳ', 'of  lines', 'of lines', 'sums', '—'];
  const change = fc.record({ id: fc.constantFrom('a', 'b', 'c'), topicTags: fc.subarray(names) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 10 }), fc.constantFrom('a', 'b'), (changes, gone) => {
      const index = new LexicalIndex(literalWords);
      for (const { id, topicTags } of changes) {
        if (topicTags.length === 0) index.delete(id);
        else index.set(cardOf({ id, topicTags, errorTypes: topicTags.slice(1) }));
      }
      const restored = new LexicalIndex(literalWords);
      atOnce(restored.restore(index.snapshot(), (id) => id !== gone));
      for (const { profiles } of [index, restored]) {
        for (const perspective of LABEL_PERSPECTIVES) {
          const { labels } = profiles[perspective];
          for (const key of names.map(labelKey)) {
            const found = [...profiles[perspective].names.withKey(key)];
            expect(found.sort()).toEqual(labels.filter((label) => labelKey(label) === key).sort());
          }
        }
      }
    }),
    { numRuns: runs(100) },
  );
});

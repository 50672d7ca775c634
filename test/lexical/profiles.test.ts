import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { features } from '../../src/lexical/features.js';
import { type InferredLabel, LabelProfiles } from '../../src/lexical/profiles.js';

interface Said {
  readonly cardId: string;
  readonly labels: readonly string[];
  readonly features: readonly string[];
}

const LABELS = ['面积', 'a b', 'b c', 'c', 'x'];

const feature = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'abcdefgh') },
  { weight: 1, arbitrary: fc.constantFrom(...features([], ['v + #', '# = v'])) },
);
const said = fc.record({
  cardId: fc.integer({ min: 0, max: 14 }).map((n) => `card-${n}`),
  labels: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 3 }),
  features: fc.array(feature, { maxLength: 10 }),
});
const changes = fc.array(said, { maxLength: 60 });
const query = fc.array(fc.oneof(feature, fc.constant('unknown')), { maxLength: 8 });

/** The words of a label's name. */
const wordsOf = (label: string): string[] => label.split(' ');

function profilesAfter(list: Iterable<Said>): LabelProfiles {
  const profiles = new LabelProfiles(wordsOf);
  for (const { cardId, labels, features } of list) profiles.set(cardId, labels, features);
  return profiles;
}

/** What is left: the last that was said of each card. */
function lastOf(list: readonly Said[]): Said[] {
  const last = new Map(list.map((one) => [one.cardId, one]));
  return [...last.values()].filter(({ labels }) => labels.length > 0);
}

/** BM25 over the labels as the textbook has it, each with a set for its name and for each of its cards. */
function naively(cards: readonly Said[], asked: readonly string[]): InferredLabel[] {
  const names = [...new Set(cards.flatMap(({ labels }) => labels))];
  const profiles = names.map((label) => {
    const carrying = cards.filter(({ labels }) => labels.includes(label));
    return {
      label,
      cards: carrying.length,
      sets: [wordsOf(label), ...carrying.map(({ features }) => features)].map((list) => new Set(list)),
    };
  });
  const lengthOf = (sets: readonly Set<string>[]): number => sets.reduce((sum, set) => sum + set.size, 0);
  const averageLength = profiles.reduce((sum, { sets }) => sum + lengthOf(sets), 0) / profiles.length;
  const weights = [...new Set(asked)].map((word) => {
    const having = profiles.filter(({ sets }) => sets.some((set) => set.has(word))).length;
    const idf = Math.log(1 + (profiles.length - having + 0.5) / (having + 0.5));
    return { word, weight: (word.startsWith('\u0001') ? 0.5 : 1) * idf };
  });
  const all = weights.reduce((sum, { weight }) => sum + weight, 0);
  return profiles
    .map(({ label, cards, sets }) => {
      const damping = 1.2 * (1 - 0.75 + (0.75 * lengthOf(sets)) / averageLength);
      const score = weights.reduce((sum, { word, weight }) => {
        const count = sets.filter((set) => set.has(word)).length;
        return sum + (weight * count) / (count + damping);
      }, 0);
      return { label, score: score / all, cards };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.label < b.label ? -1 : 1));
}

describe('label profiles', () => {
  test('infer what BM25 over the cards of each label does, after any changes', () => {
    fc.assert(
      fc.property(changes, query, fc.integer({ min: 0, max: 6 }), (list, asked, limit) => {
        const profiles = profilesAfter(list);
        const all = new Map(naively(lastOf(list), asked).map((one) => [one.label, one]));
        const found = profiles.infer(asked, limit);
        const expected = [...all.values()].slice(0, limit);
        expect(found.map(({ score }) => score)).toEqual(expected.map(({ score }) => expect.closeTo(score, 12)));
        // Where two scores are equal but for rounding, either may come first.
        for (const { label, score, cards } of found) {
          expect({ score, cards }).toEqual({
            score: expect.closeTo(all.get(label)?.score ?? -1, 12),
            cards: all.get(label)?.cards,
          });
        }
        expect(new Set(found.map(({ label }) => label)).size).toBe(found.length);
      }),
      { numRuns: 500 },
    );
  });

  test('after adding, changing and deleting in any order are, to the bit, those built anew from what is left', () => {
    fc.assert(
      fc.property(changes, fc.array(fc.nat(14)), query, (list, deleted, asked) => {
        const profiles = profilesAfter(list);
        const gone = new Set(deleted.map((n) => `card-${n}`));
        for (const cardId of gone) profiles.delete(cardId);
        const left = lastOf(list).filter(({ cardId }) => !gone.has(cardId));
        const fresh = profilesAfter(left);
        expect(profiles.size).toBe(left.length);
        expect(profiles.infer(asked, 100)).toEqual(fresh.infer(asked, 100));
        for (const label of LABELS) {
          const carrying = left.filter(({ labels }) => labels.includes(label)).map(({ cardId }) => cardId);
          expect(profiles.cardsOf(label).sort()).toEqual(carrying.sort());
        }
        for (let n = 0; n < 15; n++) expect(profiles.labelsOf(`card-${n}`)).toEqual(fresh.labelsOf(`card-${n}`));
      }),
      { numRuns: 500 },
    );
  });

  test('scores lie in 0 .. 1, and what the query repeats counts once', () => {
    fc.assert(
      fc.property(changes, query, (list, asked) => {
        const profiles = profilesAfter(list);
        const found = profiles.infer(asked, 100);
        for (const { score } of found) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThan(1);
        }
        expect(profiles.infer([...asked, ...asked], 100)).toEqual(found);
      }),
    );
  });

  test('a label is found by its own name, though no card says it', () => {
    const profiles = profilesAfter([
      { cardId: '1', labels: ['integration by parts'], features: ['∫', 'x'] },
      { cardId: '2', labels: ['limits'], features: ['lim', 'x'] },
    ]);
    expect(profiles.infer(['parts'], 5).map(({ label }) => label)).toEqual(['integration by parts']);
  });

  test('equal labels come in alphabetical order, whichever came first', () => {
    const profiles = profilesAfter(
      ['c', 'a', 'b'].map((label) => ({ cardId: label, labels: [label], features: ['面积'] })),
    );
    expect(profiles.infer(['面积'], 2).map(({ label }) => label)).toEqual(['a', 'b']);
  });

  test('the last card of a label takes its label and its words away', () => {
    const profiles = profilesAfter([{ cardId: '1', labels: ['面积', '周长'], features: ['平方'] }]);
    expect(profiles.labelsOf('1')).toEqual(['周长', '面积']);
    expect(profiles.delete('1')).toBe(true);
    expect(profiles.delete('1')).toBe(false);
    expect(profiles.size).toBe(0);
    expect(profiles.infer(['平方', '面积'], 5)).toEqual([]);
    expect(profiles.labelsOf('1')).toEqual([]);
  });

  test('a label that more cards carry than 16 bits can count is counted right', () => {
    const profiles = new LabelProfiles(wordsOf);
    profiles.set('other', ['y'], ['v']);
    for (let i = 0; i < 70_000; i++) profiles.set(`card-${i}`, ['x'], ['w']);
    const [many] = profiles.infer(['w'], 1);
    expect(many).toEqual({ label: 'x', score: expect.any(Number), cards: 70_000 });
    for (let i = 1; i < 70_000; i++) profiles.delete(`card-${i}`);
    const fresh = profilesAfter([
      { cardId: 'card-0', labels: ['x'], features: ['w'] },
      { cardId: 'other', labels: ['y'], features: ['v'] },
    ]);
    expect(profiles.infer(['w', 'v'], 5)).toEqual(fresh.infer(['w', 'v'], 5));
  });

  test('thousands of cards that come and go leave room that is used again', () => {
    const profiles = new LabelProfiles(wordsOf);
    const say = (i: number): string[] => Array.from({ length: 20 }, (_, j) => `w${(i * 7 + j * j) % 300}`);
    for (let i = 0; i < 3000; i++) profiles.set(`card-${i}`, [`l${i % 50}`], say(i));
    const bytes = profiles.bytes;
    for (let round = 1; round <= 5; round++) {
      for (let i = 0; i < 3000; i++) profiles.set(`card-${i}`, [`l${(i + round) % 50}`, `m${round}`], say(i + round));
    }
    expect(profiles.bytes).toBeLessThan(bytes * 1.5);
  });
});

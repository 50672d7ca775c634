import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LikelyLabel } from '../../../src/lexical/label-posterior.js';
import { LabelProfiles } from '../../../src/lexical/label-profiles.js';
import { LabelSets } from '../../../src/lexical/label-sets.js';
import { TermDictionary } from '../../../src/lexical/term-dictionary.js';
import { shapeTerm, termWeight } from '../../../src/lexical/terms.js';
import { runs } from '../../support/runs.js';

interface Said {
  readonly cardId: string;
  readonly labels: readonly string[];
  readonly features: readonly string[];
}

const LABELS = ['面积', 'a b', 'b c', 'c', 'x'];

const feature = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'abcdefgh') },
  { weight: 1, arbitrary: fc.constantFrom(...['v + #', '# = v'].map(shapeTerm)) },
);
const said = fc.record({
  cardId: fc.integer({ min: 0, max: 14 }).map((n) => `card-${n}`),
  labels: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 3 }),
  features: fc.array(feature, { maxLength: 10 }),
});
const changes = fc.array(said, { maxLength: 60 });
/** Of two cards that differ by a label, one may be in the postings of its labels, and the other not. */
const maxPairs = fc.constantFrom(0, 6, 20_000);
const query = fc.array(fc.oneof(feature, fc.constant('unknown')), { maxLength: 8 });

/** The words of a label's name. */
const wordsOf = (label: string): string[] => label.split(' ');

const namedLike = (profiles: LabelProfiles, labels: readonly string[]) =>
  profiles.names.namedLike(new Map(labels.map((label) => [label, 1])), (cosine) => cosine);

/** Profiles beside something that knows what the cards say, as they stand in a notebook. */
class Notebook {
  readonly cards = new TermDictionary();
  readonly #terms = new TermDictionary();
  readonly #said = new Map<number, Uint32Array>();
  readonly profiles: LabelProfiles;

  constructor(maxPairs = 20_000) {
    const parts = { cards: this.cards, terms: this.#terms, nameTerms: wordsOf, maxPairs };
    this.profiles = new LabelProfiles({ ...parts, textTerms: (doc) => this.#said.get(doc) ?? new Uint32Array() });
  }

  /** How many cards carry a label. */
  get size(): number {
    return this.cards.size;
  }

  get words(): number {
    return this.#terms.size;
  }

  cardsOf(label: string): string[] {
    return Array.from(this.profiles.docsOf(label), (doc) => this.cards.names[doc] ?? '');
  }

  set(cardId: string, labels: readonly string[], said: readonly string[]): void {
    this.delete(cardId);
    if (labels.length === 0) return;
    const doc = this.cards.take(cardId);
    const terms = Uint32Array.from(new Set(said), (word) => this.#terms.take(word)).sort();
    for (const term of terms) this.#terms.hold(term);
    this.#said.set(doc, terms);
    this.profiles.add(cardId, labels);
  }

  delete(cardId: string): void {
    const doc = this.cards.of(cardId);
    if (doc === undefined) return;
    this.profiles.delete(cardId);
    for (const term of this.#said.get(doc) ?? []) this.#terms.release(term);
    this.#said.delete(doc);
  }
}

function notebookAfter(list: Iterable<Said>, maxPairs?: number): Notebook {
  const notebook = new Notebook(maxPairs);
  for (const { cardId, labels, features } of list) notebook.set(cardId, labels, features);
  return notebook;
}

function profilesAfter(list: Iterable<Said>, maxPairs?: number): LabelProfiles {
  return notebookAfter(list, maxPairs).profiles;
}

/** What is left: the last that was said of each card. */
function lastOf(list: readonly Said[]): Said[] {
  const last = new Map(list.map((one) => [one.cardId, one]));
  return [...last.values()].filter(({ labels }) => labels.length > 0);
}

/**
 * BM25 over the labels as the textbook has it, each with a set for its name and for each of its cards; the card that is
 * left out counts in the rarity of terms and the average length alone.
 */
function naively(cards: readonly Said[], asked: readonly string[], leaveOut?: string): LikelyLabel[] {
  const names = [...new Set(cards.flatMap(({ labels }) => labels))];
  const profiles = names.map((label) => {
    const carrying = cards.filter(({ labels }) => labels.includes(label));
    const kept = carrying.filter(({ cardId }) => cardId !== leaveOut);
    const setsOf = (list: readonly Said[]): Set<string>[] =>
      [wordsOf(label), ...list.map(({ features }) => features)].map((features) => new Set(features));
    return { label, cards: kept.length, sets: setsOf(carrying), keptSets: kept.length === 0 ? [] : setsOf(kept) };
  });
  const lengthOf = (sets: readonly Set<string>[]): number => sets.reduce((sum, set) => sum + set.size, 0);
  const averageLength = profiles.reduce((sum, { sets }) => sum + lengthOf(sets), 0) / profiles.length;
  const weightOf = (word: string): number => {
    const having = profiles.filter(({ sets }) => sets.some((set) => set.has(word))).length;
    return termWeight(word, having / profiles.length) * Math.log(1 + (profiles.length - having + 0.5) / (having + 0.5));
  };
  const weights = [...new Set(asked)].map((word) => ({ word, weight: weightOf(word) }));
  const all = weights.reduce((sum, { weight }) => sum + weight, 0);
  return profiles
    .map(({ label, cards, keptSets }) => {
      const damping = 2 * (1 - 0.8 + (0.8 * lengthOf(keptSets)) / averageLength);
      const score = weights.reduce((sum, { word, weight }) => {
        const count = keptSets.filter((set) => set.has(word)).length;
        return sum + (weight * count) / (count + damping);
      }, 0);
      const name = [...new Set(wordsOf(label))];
      const named = name.filter((word) => asked.includes(word));
      const sumOf = (list: readonly string[]): number => list.reduce((sum, word) => sum + weightOf(word), 0);
      return { label, score: score / all, named: name.length === 0 ? 0 : sumOf(named) / sumOf(name), cards };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.label < b.label ? -1 : 1));
}

describe('label profiles', () => {
  test('infer what BM25 over the cards of each label does, after any changes, also without one of the cards', () => {
    fc.assert(
      fc.property(changes, query, fc.nat(6), fc.option(fc.nat(16)), maxPairs, (list, asked, limit, left, pairs) => {
        const profiles = profilesAfter(list, pairs);
        const leaveOut = left === null ? undefined : `card-${left}`;
        const all = new Map(naively(lastOf(list), asked, leaveOut).map((one) => [one.label, one]));
        const found = profiles.rank(asked, limit, leaveOut);
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
      { numRuns: runs(500) },
    );
  });

  test('score each card by the sum of the posteriors of its labels, after any changes', () => {
    const posteriors = fc
      .dictionary(fc.constantFrom(...LABELS), fc.double({ min: 0.01, max: 1, noNaN: true }))
      .map((by) => new Map([...Object.entries(by), ['no label', 1]]));
    const common = fc.double({ min: 0, max: 0.9, noNaN: true });
    fc.assert(
      fc.property(changes, posteriors, common, (list, byLabel, least) => {
        const { profiles, cards } = notebookAfter(list);
        const values = { posteriors: byLabel, common: least };
        const ids = Array.from({ length: 18 }, (_, n) => `card-${n}`);
        const docs = cards.numbersByPlace(ids);
        const labelsOf = new Map(lastOf(list).map(({ cardId, labels }) => [cardId, labels]));
        const expected = ids.map((id) => {
          const labels = labelsOf.get(id);
          const sum = labels?.reduce((total, label) => total + (byLabel.get(label) ?? 0), 0);
          const share = Math.min(1, sum ?? Number.NaN);
          const above = Math.max(share / 10, (share - least) / (1 - least));
          return sum === undefined ? Number.NaN : expect.closeTo(above ** 0.25, 12);
        });
        expect([...profiles.scoresByDoc(values, docs)]).toEqual(expected);
        const sets = new LabelSets();
        const setsOf = Array.from(docs, (doc) => (doc < 0 ? 0 : profiles.setOf(doc, sets)));
        const bySet = profiles.scoresBySet(values, sets);
        expect(setsOf.map((set) => bySet[set])).toEqual(expected.map((score) => score || 0));
      }),
    );
  });

  test('name labels with like names: the cosine of their words by rarity, after any changes', () => {
    fc.assert(
      fc.property(changes, fc.nat(60), (list, asked) => {
        const notebook = notebookAfter(list.slice(0, asked));
        const { profiles } = notebook;
        // What was found out before the last changes must not count.
        namedLike(profiles, profiles.labels);
        for (const { cardId, labels, features } of list.slice(asked)) notebook.set(cardId, labels, features);
        const labels = [...new Set(lastOf(list).flatMap(({ labels: own }) => own))];
        const weightOf = (word: string): number => {
          const having = labels.filter((label) => wordsOf(label).includes(word)).length;
          return (
            termWeight(word, having / labels.length) * Math.log(1 + (labels.length - having + 0.5) / (having + 0.5))
          );
        };
        const product = (words: readonly string[]): number => words.reduce((sum, word) => sum + weightOf(word) ** 2, 0);
        for (const label of labels) {
          const own = wordsOf(label);
          const expected = labels.flatMap((other) => {
            const shared = wordsOf(other).filter((word) => own.includes(word));
            if (other === label || shared.length === 0) return [];
            const cosine = product(shared) / Math.sqrt(product(own) * product(wordsOf(other)));
            return [[other, expect.closeTo(cosine, 9)] as const];
          });
          expect(namedLike(profiles, [label])).toEqual(new Map(expected));
        }
        expect(namedLike(profiles, ['no label']).size).toBe(0);
      }),
    );
  });

  test('after adding, changing and deleting in any order equal rebuilt ones, bit by bit', () => {
    fc.assert(
      fc.property(changes, fc.array(fc.nat(14)), query, maxPairs, (list, deleted, asked, pairs) => {
        const notebook = notebookAfter(list, pairs);
        const { profiles } = notebook;
        const gone = new Set(deleted.map((n) => `card-${n}`));
        for (const cardId of gone) notebook.delete(cardId);
        const left = lastOf(list).filter(({ cardId }) => !gone.has(cardId));
        const fresh = profilesAfter(left);
        expect([notebook.size, notebook.words]).toEqual([left.length, notebookAfter(left).words]);
        expect(profiles.rank(asked, 100)).toEqual(fresh.rank(asked, 100));
        for (const label of LABELS) {
          const carrying = left.filter(({ labels }) => labels.includes(label)).map(({ cardId }) => cardId);
          expect(notebook.cardsOf(label).sort()).toEqual(carrying.sort());
        }
        for (let n = 0; n < 15; n++) expect(profiles.labelsOf(`card-${n}`)).toEqual(fresh.labelsOf(`card-${n}`));
      }),
      { numRuns: runs(500) },
    );
  });

  test('scores are in 0 .. 1, and repeated terms of the query count once', () => {
    fc.assert(
      fc.property(changes, query, (list, asked) => {
        const profiles = profilesAfter(list);
        const found = profiles.rank(asked, 100);
        for (const { score } of found) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThan(1);
        }
        expect(profiles.rank([...asked, ...asked], 100)).toEqual(found);
      }),
    );
  });

  test('a label is found by its name, even if no card contains it', () => {
    const parts = { cardId: '1', labels: ['integration by parts'], features: ['∫', 'x'] };
    const profiles = profilesAfter([parts, { cardId: '2', labels: ['limits'], features: ['lim', 'x'] }]);
    expect(profiles.rank(['parts'], 5).map(({ label }) => label)).toEqual(['integration by parts']);
  });

  test('labels with equal scores are in alphabetical order', () => {
    const cards = ['c', 'a', 'b'].map((label) => ({ cardId: label, labels: [label], features: ['面积'] }));
    expect(
      profilesAfter(cards)
        .rank(['面积'], 2)
        .map(({ label }) => label),
    ).toEqual(['a', 'b']);
  });

  test('deleting the last card of a label removes the label and its terms', () => {
    const notebook = notebookAfter([{ cardId: '1', labels: ['面积', '周长'], features: ['平方'] }]);
    expect(notebook.profiles.labelsOf('1')).toEqual(['周长', '面积']);
    notebook.delete('1');
    notebook.delete('1');
    expect([notebook.size, notebook.words]).toEqual([0, 0]);
    expect(notebook.profiles.rank(['平方', '面积'], 5)).toEqual([]);
    expect(notebook.profiles.labelsOf('1')).toEqual([]);
  });

  test('a label with more cards than 16 bits can count is counted correctly', () => {
    const notebook = new Notebook();
    notebook.set('other', ['y'], ['v']);
    for (let i = 0; i < 70_000; i++) notebook.set(`card-${i}`, ['x'], ['w']);
    const [many] = notebook.profiles.rank(['w'], 1);
    expect(many).toEqual({ label: 'x', score: expect.any(Number), named: 0, cards: 70_000 });
    for (let i = 1; i < 70_000; i++) notebook.delete(`card-${i}`);
    const left = { cardId: 'card-0', labels: ['x'], features: ['w'] };
    const fresh = profilesAfter([left, { cardId: 'other', labels: ['y'], features: ['v'] }]);
    expect(notebook.profiles.rank(['w', 'v'], 5)).toEqual(fresh.rank(['w', 'v'], 5));
  });

  test('memory of thousands of deleted cards is reused', () => {
    const notebook = new Notebook();
    const say = (i: number): string[] => Array.from({ length: 20 }, (_, j) => `w${(i * 7 + j * j) % 300}`);
    const round = (into: Notebook, number: number): void => {
      for (let i = 0; i < 3000; i++) into.set(`card-${i}`, [`l${(i + number) % 50}`, `m${number}`], say(i + number));
    };
    for (let number = 0; number <= 6; number++) round(notebook, number);
    const fresh = new Notebook();
    round(fresh, 6);
    expect(notebook.profiles.bytes).toBeLessThan(fresh.profiles.bytes * 1.6);
  });
});

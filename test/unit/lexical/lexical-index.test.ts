import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Card, CardContent } from '../../../src/domain/card.js';
import { PERSPECTIVES, type Perspective } from '../../../src/domain/perspective.js';
import { versionOf } from '../../../src/domain/ports/ledger.js';
import { LABEL_PERSPECTIVES, type LabelPerspective } from '../../../src/domain/search.js';
import { atOnce } from '../../../src/domain/steps.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { functionTerm } from '../../../src/lexical/terms.js';
import { cardOf, contentArb } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { runs } from '../../support/runs.js';

function indexOf(cards: Iterable<Card>): LexicalIndex {
  const index = new LexicalIndex(literalWords);
  for (const card of cards) index.set(card);
  return index;
}

/** What a card now says; null if it is deleted. */
interface Change {
  readonly id: string;
  readonly content: Partial<CardContent> | null;
}

let revisions = 0;

const idArb = fc.constantFrom('a', 'b', 'c', 'd');
const changeArb: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ id: idArb, content: contentArb }) },
  { weight: 1, arbitrary: fc.record({ id: idArb, content: fc.constant(null) }) },
);
const queryArb = fc.array(fc.constantFrom('解方程', '勾股定理', 'area', 'circle', 'sign', 'error', '计算错误'), {
  minLength: 1,
  maxLength: 6,
});

/** Each change of a card is a revision of its own. */
function applyTo(truth: Map<string, Card>, index: LexicalIndex, changes: readonly Change[]): void {
  for (const { id, content } of changes) {
    if (content === null) {
      truth.delete(id);
      index.delete(id);
      continue;
    }
    revisions += 1;
    const card = cardOf({ ...content, id, revision: revisions, ownerId: id < 'c' ? 'amy' : 'ben' });
    truth.set(id, card);
    index.set(card);
  }
}

const EVERY = { terms: [], text: 'question' } as const;

const scoresOf = (index: LexicalIndex, perspective: Perspective, terms: readonly string[], ids: readonly string[]) =>
  index.texts.scores(perspective, terms, index.cards.docsOf(ids));

function expectSame(index: LexicalIndex, truth: ReadonlyMap<string, Card>, query: readonly string[]): void {
  const fresh = indexOf(truth.values());
  expect(index.size).toBe(truth.size);
  for (const perspective of PERSPECTIVES) {
    expect(index.texts.search(perspective, query, 10)).toEqual(fresh.texts.search(perspective, query, 10));
    expect(scoresOf(index, perspective, query, ['a', 'b'])).toEqual(scoresOf(fresh, perspective, query, ['a', 'b']));
  }
  for (const perspective of LABEL_PERSPECTIVES) {
    expect(index.profiles[perspective].rank(query, 10)).toEqual(fresh.profiles[perspective].rank(query, 10));
    for (const id of ['a', 'b', 'c', 'd']) {
      expect(index.profiles[perspective].labelsOf(id)).toEqual(fresh.profiles[perspective].labelsOf(id));
      expect(index.cards.revisionOf(id)).toBe(truth.get(id)?.revision ?? 0);
    }
    for (const label of ['勾股定理', 'circle', '方程', '计算错误', 'sign error']) {
      const carrying = [...truth.values()].filter(({ topicTags, errorTypes }) =>
        (perspective === 'concept' ? topicTags : errorTypes).includes(label),
      );
      expect(index.cardsWithLabel({ label, of: perspective }, EVERY, Number.POSITIVE_INFINITY).sort()).toEqual(
        carrying.map(({ id }) => id).sort(),
      );
    }
  }
}

describe('LexicalIndex', () => {
  test('after any changes equals a rebuilt one', () => {
    fc.assert(
      fc.property(fc.array(changeArb, { maxLength: 20 }), queryArb, (changes, query) => {
        const index = new LexicalIndex(literalWords);
        const truth = new Map<string, Card>();
        applyTo(truth, index, changes);
        expectSame(index, truth, query);
      }),
      { numRuns: runs(300) },
    );
  });

  test('has as many cards of a label as are wanted, the best for the terms first, though none may share a term', () => {
    const index = new LexicalIndex(literalWords);
    for (const [id, questionText, studentSolutionText] of [
      ['a', 'area', 'wrong'],
      ['b', 'speed of a train', null],
      ['c', 'sum', 'minus minus'],
    ] as const) {
      const labels = { topicTags: ['any'], errorTypes: ['sign error'] };
      index.set(cardOf({ id, questionText, studentSolutionText, ...labels }));
    }
    const cards = (of: LabelPerspective, text: 'question' | 'error', term: string): readonly string[] =>
      index.cardsWithLabel({ label: of === 'concept' ? 'any' : 'sign error', of }, { terms: [term], text }, 2);
    expect(cards('concept', 'question', 'train')).toEqual(['b', 'a']);
    expect(cards('concept', 'question', 'momentum')).toEqual(['a', 'b']);
    // An attempt says more of an error than the name that all cards of the label have.
    expect(cards('error', 'error', 'minus')).toEqual(['c', 'a']);
  });

  test('counts a card whose question has no term', () => {
    const index = new LexicalIndex((text) => (text === '?' ? [] : literalWords(text)));
    for (const [id, questionText] of [
      ['a', '?'],
      ['b', 'circle'],
    ] as const)
      index.set(cardOf({ id, questionText }));
    expect(index.size).toBe(2);
    index.delete('a');
    expect(index.size).toBe(1);
  });

  test('restored from a snapshot and updated equals a rebuilt one, and continues correctly', () => {
    const changesArb = fc.array(changeArb, { maxLength: 12 });
    fc.assert(
      fc.property(changesArb, changesArb, changesArb, queryArb, (before, meanwhile, after, query) => {
        const truth = new Map<string, Card>();
        const notebook = new LexicalIndex(literalWords);
        applyTo(truth, notebook, before);
        const copy = notebook.snapshot();
        // What happens to the index after the copy does not happen to the copy.
        applyTo(truth, notebook, meanwhile);

        const index = new LexicalIndex(literalWords);
        atOnce(index.restore(copy, (id, { revision }) => truth.get(id)?.revision === revision));
        for (const card of truth.values()) {
          if (!index.cards.holds(card.id, versionOf(card))) index.set(card);
        }
        expectSame(index, truth, query);
        applyTo(truth, index, after);
        expectSame(index, truth, query);
      }),
      { numRuns: runs(300) },
    );
  });

  test('a snapshot of some cards has these alone, or is given up if the index changes between its steps', () => {
    const changesArb = fc.array(changeArb, { maxLength: 12 });
    fc.assert(
      fc.property(
        changesArb,
        changesArb,
        fc.integer({ min: 1, max: 20 }),
        queryArb,
        (before, meanwhile, step, query) => {
          const truth = new Map<string, Card>();
          const notebook = new LexicalIndex(literalWords);
          applyTo(truth, notebook, before);
          const own = new Map([...truth].filter(([, { ownerId }]) => ownerId === 'amy'));
          const { changes } = notebook;
          const steps = notebook.snapshotOf(notebook.matching({ owners: ['amy'] }));
          for (let at = 0; at < step; at++) if (steps.next().done) break;
          applyTo(truth, notebook, meanwhile);
          const rest = steps.next();
          const copy = rest.done ? rest.value : atOnce(steps);
          if (copy === undefined) return;
          expect(copy === null).toBe(notebook.changes !== changes);
          if (copy === null) return;
          const index = new LexicalIndex(literalWords);
          atOnce(index.restore(copy, () => true));
          expectSame(index, own, query);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('counts changes of labels, not of cards that carry them', () => {
    const cards = ['a', 'b'].map((id) => cardOf({ id, topicTags: ['x'], errorTypes: ['y'] }));
    const index = indexOf(cards);
    const labelChanges = (): number => index.profiles.concept.changes + index.profiles.error.changes;
    const before = labelChanges();
    index.set(cardOf({ id: 'b', questionText: 'other', topicTags: ['x'], errorTypes: ['y'], revision: 2 }));
    index.set(cardOf({ id: 'c', topicTags: ['x'] }));
    index.delete('c');
    expect(labelChanges()).toBe(before);
    index.set(cardOf({ id: 'c', errorTypes: ['z'] }));
    const more = labelChanges();
    expect(more).not.toBe(before);
    index.delete('c');
    expect(labelChanges()).not.toBe(more);
  });

  test('versions of a card with the same revision are distinguished', () => {
    const [first, again] = ['2026-03-01', '2026-03-02'].map((day) => cardOf({ id: 'a', updatedAt: new Date(day) }));
    const index = indexOf([first as Card]);
    const holds = (card: Card | undefined) => index.cards.holds('a', versionOf(card as Card));
    expect([holds(first), holds(again)]).toEqual([true, false]);
    index.delete('a');
    expect(holds(first)).toBe(false);
  });

  test('searches each perspective in its own texts', () => {
    const index = indexOf([
      cardOf({
        id: 'a',
        questionText: 'one',
        studentSolutionText: 'two',
        goldSolutionBrief: 'three',
        topicTags: ['four'],
        errorTypes: ['five'],
      }),
    ]);
    const found = PERSPECTIVES.map((perspective) =>
      ['one', 'two', 'three', 'four', 'five'].filter((word) => index.texts.search(perspective, [word], 1).length > 0),
    );
    // An error is described with the wrong solution as context, and a question with it is an attempt.
    expect(found).toEqual([['one'], ['two', 'three'], ['four'], ['one', 'two', 'five']]);
  });

  test('finds a card without error types by its question and wrong solution, and a card without these by no error', () => {
    const index = indexOf([
      cardOf({ id: 'a', questionText: 'one', studentSolutionText: 'two', goldSolutionBrief: 'three' }),
      cardOf({ id: 'b', questionText: 'one' }),
    ]);
    const found = ['one', 'two', 'three'].map((word) =>
      index.texts.search('error', [word], 5).map(({ cardId }) => cardId),
    );
    expect(found).toEqual([['a'], ['a'], []]);
    expect([...scoresOf(index, 'error', ['two'], ['a', 'b'])]).toEqual([expect.any(Number), Number.NaN]);
    expect(scoresOf(index, 'error', ['two'], ['a'])[0]).toBeGreaterThan(0);
  });

  test('finds a card whose texts share the words of the query, with topics or without, and errors of attempts alone', () => {
    const index = indexOf([
      cardOf({ id: 'a', questionText: 'one', goldSolutionBrief: 'two', topicTags: ['three'] }),
      cardOf({ id: 'b', questionText: 'one two' }),
      cardOf({ id: 'c', questionText: 'one', topicTags: ['two'] }),
    ]);
    const found = (options?: Parameters<typeof index.texts.search>[3]) =>
      index.texts.search('concept', ['one', 'two'], 5, options).map(({ cardId }) => cardId);
    expect(found()).toEqual(['c']);
    expect(found({ combined: true })).toEqual(['b', 'c', 'a']);
    expect(found({ combined: true, among: index.cards.docsOf(['a', 'c']) })).toEqual(['c', 'a']);
    expect([...scoresOf(index, 'concept', ['two'], ['b'])]).toEqual([Number.NaN]);
    expect(index.texts.scores('concept', ['two'], index.cards.docsOf(['b']), true)[0]).toBeGreaterThan(0);
    expect(index.texts.search('error', ['one', 'two'], 5, { combined: true })).toEqual([]);
    const combined = index.texts.search('question', ['one', 'two'], 1, { combined: true })[0]?.score;
    expect(index.texts.scores('question', ['one', 'two'], index.cards.docsOf(['b']), true)[0]).toBe(combined);
  });

  test('finds by all texts as one also a card without words in its question, whatever its number', () => {
    const others = Array.from({ length: 64 }, (_, place) => cardOf({ id: `n${place}`, questionText: 'one' }));
    const index = indexOf([
      ...others,
      cardOf({ id: 'x', questionText: '', goldSolutionBrief: 'two', topicTags: ['x'] }),
    ]);
    const found = index.texts.search('concept', ['two'], 5, { combined: true });
    expect(found.map(({ cardId }) => cardId)).toEqual(['x']);
  });

  test('compares names of labels that have function words alone', () => {
    const index = new LexicalIndex((text) => text.split(' ').map(functionTerm));
    index.set(cardOf({ id: 'a', topicTags: ['who or whom'] }));
    index.set(cardOf({ id: 'b', topicTags: ['which or that'] }));
    expect([...index.profiles.concept.names.namedLike([['who or whom', 1]], (cosine) => cosine)]).toEqual([
      ['which or that', 0],
    ]);
  });

  test('scores labels by questions and solutions of their cards, separately for topics and errors', () => {
    const index = indexOf([
      cardOf({ id: 'a', questionText: 'slope', goldSolutionBrief: 'gradient', topicTags: ['lines'] }),
      cardOf({ id: 'b', questionText: 'slope', studentSolutionText: 'rise', errorTypes: ['upside down'] }),
    ]);
    const labels = (word: string) =>
      LABEL_PERSPECTIVES.map((perspective) => index.profiles[perspective].rank([word], 5).map(({ label }) => label));
    expect(labels('slope')).toEqual([['lines'], ['upside down']]);
    expect(labels('gradient')).toEqual([['lines'], []]);
    expect(labels('rise')).toEqual([[], ['upside down']]);
    expect(labels('lines')).toEqual([['lines'], []]);
  });

  test('ignores older revisions of a card until the card is deleted', () => {
    const index = indexOf([cardOf({ id: 'a', questionText: 'new', revision: 3 })]);
    index.set(cardOf({ id: 'a', questionText: 'old', revision: 2 }));
    expect([index.cards.revisionOf('a'), index.texts.search('question', ['old'], 1)]).toEqual([3, []]);
    index.delete('a');
    index.set(cardOf({ id: 'a', questionText: 'old', revision: 2 }));
    expect([index.cards.revisionOf('a'), index.texts.search('question', ['old'], 1).length]).toEqual([2, 1]);
  });

  test('accepts the longest texts that a card may have', () => {
    const index = indexOf([
      cardOf({ id: 'a', studentSolutionText: '1+'.repeat(8_192), goldSolutionBrief: 'x '.repeat(8_192) }),
    ]);
    expect(index.texts.search('solution', ['1'], 1)).toHaveLength(1);
  });
});

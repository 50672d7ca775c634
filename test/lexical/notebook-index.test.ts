import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Card } from '../../src/domain/card.js';
import { PERSPECTIVES } from '../../src/domain/perspective.js';
import { LABEL_PERSPECTIVES } from '../../src/domain/search.js';
import { LexicalIndexes } from '../../src/lexical/indexes.js';
import { NotebookIndex } from '../../src/lexical/notebook-index.js';
import { cardOf, contentArb } from '../support/generators.js';
import { literalWords } from '../support/memory-ports.js';

function indexOf(cards: Iterable<Card>): NotebookIndex {
  const index = new NotebookIndex(literalWords);
  for (const card of cards) index.set(card);
  return index;
}

const idArb = fc.constantFrom('a', 'b', 'c', 'd');
const changeArb = fc.oneof(
  { weight: 3, arbitrary: fc.record({ id: idArb, content: contentArb }) },
  { weight: 1, arbitrary: fc.record({ id: idArb, content: fc.constant(null) }) },
);
const queryArb = fc.array(fc.constantFrom('解方程', '勾股定理', 'area', 'circle', 'sign', 'error', '计算错误'), {
  minLength: 1,
  maxLength: 6,
});

describe('NotebookIndex', () => {
  test('after any changes answers as one built anew from the cards that are left', () => {
    fc.assert(
      fc.property(fc.array(changeArb, { maxLength: 20 }), queryArb, (changes, query) => {
        const index = new NotebookIndex(literalWords);
        const cards = new Map<string, Card>();
        for (const { id, content } of changes) {
          if (content === null) {
            index.delete(id);
            cards.delete(id);
          } else {
            cards.set(id, cardOf({ ...content, id }));
            index.set(cardOf({ ...content, id }));
          }
        }
        const fresh = indexOf(cards.values());
        expect(index.size).toBe(cards.size);
        for (const perspective of PERSPECTIVES) {
          expect(index.search(perspective, query, 10)).toEqual(fresh.search(perspective, query, 10));
          expect(index.scores(perspective, query, ['a', 'b'])).toEqual(fresh.scores(perspective, query, ['a', 'b']));
        }
        for (const perspective of LABEL_PERSPECTIVES) {
          expect(index.infer(perspective, query, 10)).toEqual(fresh.infer(perspective, query, 10));
          for (const label of ['勾股定理', 'circle', '方程', '计算错误', 'sign error']) {
            const carrying = [...cards.values()].filter(({ topicTags, errorTypes }) =>
              (perspective === 'concept' ? topicTags : errorTypes).includes(label),
            );
            expect([...index.cardsOf(perspective, label)].sort()).toEqual(carrying.map(({ id }) => id).sort());
          }
        }
      }),
      { numRuns: 300 },
    );
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
      ['one', 'two', 'three', 'four', 'five'].filter((word) => index.search(perspective, [word], 1).length > 0),
    );
    // An error is described with the wrong solution as context.
    expect(found).toEqual([['one'], ['two', 'three'], ['four'], ['two', 'five']]);
  });

  test('knows a label by what the questions and solutions of its cards say, and keeps topics and errors apart', () => {
    const index = indexOf([
      cardOf({ id: 'a', questionText: 'slope', goldSolutionBrief: 'gradient', topicTags: ['lines'] }),
      cardOf({ id: 'b', questionText: 'slope', studentSolutionText: 'rise', errorTypes: ['upside down'] }),
    ]);
    const labels = (word: string) =>
      LABEL_PERSPECTIVES.map((perspective) => index.infer(perspective, [word], 5).map(({ label }) => label));
    expect(labels('slope')).toEqual([['lines'], ['upside down']]);
    expect(labels('gradient')).toEqual([['lines'], []]);
    expect(labels('rise')).toEqual([[], ['upside down']]);
    expect(labels('lines')).toEqual([['lines'], []]);
  });

  test('passes over an older revision of a card than the one that it has, until the card is deleted', () => {
    const index = indexOf([cardOf({ id: 'a', questionText: 'new', revision: 3 })]);
    index.set(cardOf({ id: 'a', questionText: 'old', revision: 2 }));
    expect([index.revisionOf('a'), index.search('question', ['old'], 1)]).toEqual([3, []]);
    index.delete('a');
    index.set(cardOf({ id: 'a', questionText: 'old', revision: 2 }));
    expect([index.revisionOf('a'), index.search('question', ['old'], 1).length]).toEqual([2, 1]);
  });

  test('takes the longest texts that a card may have', () => {
    const index = indexOf([
      cardOf({ id: 'a', studentSolutionText: '1+'.repeat(8_192), goldSolutionBrief: 'x '.repeat(8_192) }),
    ]);
    expect(index.search('solution', ['1'], 1)).toHaveLength(1);
  });
});

test('the cards of one tenant weigh nothing in the index of another', () => {
  const lexical = new LexicalIndexes(literalWords);
  lexical.set('one', [cardOf({ id: 'a', questionText: 'circle', topicTags: ['shapes'] })]);
  lexical.set('other', [cardOf({ id: 'b', questionText: 'circle' })]);
  expect(lexical.of('other').search('question', ['circle'], 5)).toEqual(
    indexOf([cardOf({ id: 'b', questionText: 'circle' })]).search('question', ['circle'], 5),
  );
  expect(lexical.of('other').infer('concept', ['circle'], 5)).toEqual([]);
  lexical.remove('one', ['a', 'b', 'unknown']);
  expect([lexical.of('one').size, lexical.of('other').size]).toEqual([0, 1]);
});

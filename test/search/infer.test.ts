import { describe, expect, test } from '@jest/globals';
import { LANES, type Lane } from '../../src/domain/search.js';
import { NotebookIndex } from '../../src/lexical/notebook-index.js';
import { infer } from '../../src/search/infer.js';
import type { LanePlan } from '../../src/search/plan.js';
import type { Query } from '../../src/search/query.js';
import type { ScoredCard } from '../../src/search/score.js';
import { cardOf } from '../support/generators.js';
import { literalWords } from '../support/memory-ports.js';

const index = new NotebookIndex(literalWords);
index.set(cardOf({ id: 'circle', topicTags: ['circles', 'area'], errorTypes: ['guessed'] }));
index.set(cardOf({ id: 'train', topicTags: ['motion'] }));
index.set(cardOf({ id: 'bare' }));

const plan: readonly LanePlan[] = [
  { kind: 'DENSE', perspective: 'question', weight: 0.6 },
  { kind: 'INFERRED', perspective: 'concept', weight: 0.4 },
];

const nothing = { kind: 'inferred', labels: [] } as const;
const circles = { kind: 'inferred', labels: [{ label: 'circles', score: 0.5, cards: 1 }] } as const;

/** Cards with a score by the vectors of the question. */
function cardsOf(scores: Readonly<Record<string, number>>): readonly ScoredCard[] {
  return Object.entries(scores).map(([cardId, score]) => ({
    cardId,
    scores: LANES.map(({ kind, perspective }) => (kind === 'DENSE' && perspective === 'question' ? score : null)),
  }));
}

/** What the cards score in one inferred lane, by id. */
function scoresOf(cards: readonly ScoredCard[], perspective: Lane['perspective']): Record<string, number | null> {
  const place = LANES.findIndex((lane) => lane.kind === 'INFERRED' && lane.perspective === perspective);
  return Object.fromEntries(cards.map(({ cardId, scores }) => [cardId, scores[place] ?? null]));
}

function inferring(scores: Readonly<Record<string, number>>, concept: Query['labels']['concept'], lanes = plan) {
  return infer(cardsOf(scores), lanes, { labels: { concept, error: nothing } }, index);
}

describe('infer', () => {
  test('scores a card by how far the query is believed to be about its labels, and says which these are', () => {
    const { cards, inferredConcepts } = inferring({ circle: 0.2, train: 0.1 }, circles);
    const { circle, train } = scoresOf(cards, 'concept');
    expect(circle).toBe(1);
    // The train voted for itself, an eighth as loud as the circle, which is half as much as profiles weigh.
    expect(train).toBeCloseTo((0.4 * 0.5 ** 3) / (0.6 + 0.4), 12);
    expect(inferredConcepts).toEqual(['circles', 'area', 'motion']);
  });

  test('lets the nearest cards vote where the profiles know nothing', () => {
    const { cards, inferredConcepts } = inferring({ circle: 0.1, train: 0.9 }, nothing);
    expect(scoresOf(cards, 'concept').train).toBe(1);
    expect(inferredConcepts[0]).toBe('motion');
  });

  test('trusts a card without labels as far as its texts are the same: fully where they say just what the query says', () => {
    const { cards } = inferring({ bare: 1, circle: 0.5 }, circles);
    expect(scoresOf(cards, 'concept')).toEqual({ bare: 1, circle: 1 });
    expect(scoresOf(inferring({ bare: 0.5, circle: 0.5 }, circles).cards, 'concept').bare).toBeCloseTo(1 / 256, 12);
  });

  test('leaves a lane out where nothing speaks for any label', () => {
    const { cards, inferredConcepts } = inferring({ bare: 0.9 }, nothing);
    expect(scoresOf(cards, 'concept')).toEqual({ bare: null });
    expect(inferredConcepts).toEqual([]);
  });

  test('leaves a lane out that was not asked for', () => {
    const { cards, inferredConcepts } = inferring({ circle: 0.9 }, circles, plan.slice(0, 1));
    expect(scoresOf(cards, 'concept')).toEqual({ circle: null });
    expect(inferredConcepts).toEqual([]);
    expect(scoresOf(inferring({ circle: 0.9 }, circles).cards, 'error')).toEqual({ circle: null });
  });

  test('takes known labels as they are, whatever the nearest cards carry, and infers none', () => {
    const { cards, inferredConcepts } = inferring({ circle: 0.9, train: 0.1 }, { kind: 'known', labels: ['motion'] });
    expect(scoresOf(cards, 'concept')).toEqual({ circle: 0, train: 1 });
    expect(inferredConcepts).toEqual([]);
  });

  test('changes no score of the other lanes', () => {
    const before = cardsOf({ circle: 0.3, train: 0.2 });
    const { cards } = infer(before, plan, { labels: { concept: circles, error: nothing } }, index);
    const texts = (all: readonly ScoredCard[]) =>
      all.map(({ scores }) => scores.filter((_, place) => LANES[place]?.kind !== 'INFERRED'));
    expect(texts(cards)).toEqual(texts(before));
  });
});

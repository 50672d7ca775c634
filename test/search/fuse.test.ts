import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ByPerspective, byPerspective, PERSPECTIVES } from '../../src/domain/perspective.js';
import { type FusedCard, fuse } from '../../src/search/fuse.js';
import { type LanePlan, plan } from '../../src/search/plan.js';
import type { ScoredCard } from '../../src/search/score.js';
import { byPerspectiveArb, requestOf, scoreArb, weightsArb } from '../support/generators.js';

const scoredArb: fc.Arbitrary<readonly ScoredCard[]> = fc
  .array(byPerspectiveArb(fc.option(scoreArb, { freq: 3 })), { maxLength: 12 })
  .map((all) => all.map((scores, place) => ({ cardId: `c${place}`, scores })));

function lanesOf(weights: ByPerspective<number>): readonly LanePlan[] {
  return plan(requestOf({ weights }), null).lanes;
}

function scored(cardId: string, scores: Partial<ByPerspective<number>>): ScoredCard {
  return { cardId, scores: byPerspective((perspective) => scores[perspective] ?? null) };
}

/** The weighted mean over the perspectives that have a score and a weight; undefined where there is none. */
function naiveScore({ scores }: ScoredCard, weights: ByPerspective<number>): number | undefined {
  let sum = 0;
  let total = 0;
  for (const perspective of PERSPECTIVES) {
    sum += weights[perspective] * (scores[perspective] ?? 0);
    total += scores[perspective] === null ? 0 : weights[perspective];
  }
  return total === 0 ? undefined : sum / total;
}

function bestAsked({ lanes }: FusedCard): number {
  return Math.max(...lanes.filter(({ weight }) => weight > 0).map(({ score }) => score));
}

describe('fuse', () => {
  test('agrees with a weighted mean over the texts that each card has, for any cards and weights', () => {
    fc.assert(
      fc.property(scoredArb, weightsArb, (cards, weights) => {
        const fused = new Map(fuse(cards, lanesOf(weights)).map((card) => [card.cardId, card.score]));
        for (const card of cards) {
          const expected = naiveScore(card, weights);
          const score = fused.get(card.cardId);
          if (expected === undefined) expect(score).toBeUndefined();
          else expect(Math.abs((score ?? Number.NaN) - expected)).toBeLessThan(1e-12);
        }
      }),
    );
  });

  test('gives scores from 0 to 1, which the contributions of the lanes sum to', () => {
    fc.assert(
      fc.property(scoredArb, weightsArb, (cards, weights) => {
        for (const { score, lanes } of fuse(cards, lanesOf(weights))) {
          const sum = lanes.reduce((all, { contribution }) => all + contribution, 0);
          expect(Math.abs(sum - score)).toBeLessThan(1e-12);
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('gives the same list whatever the order of the cards and of the lanes', () => {
    const shuffled = fc.tuple(scoredArb, weightsArb.map(lanesOf)).chain(([cards, lanes]) =>
      fc.record({
        cards: fc.constant(cards),
        lanes: fc.constant(lanes),
        otherCards: fc.shuffledSubarray([...cards], { minLength: cards.length }),
        otherLanes: fc.shuffledSubarray([...lanes], { minLength: lanes.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ cards, lanes, otherCards, otherLanes }) => {
        expect(fuse(otherCards, otherLanes)).toEqual(fuse(cards, lanes));
      }),
    );
  });

  test('does not punish a card for a text that it does not have', () => {
    fc.assert(
      fc.property(scoreArb, weightsArb, fc.subarray([...PERSPECTIVES], { minLength: 1 }), (score, weights, present) => {
        fc.pre(present.some((perspective) => weights[perspective] > 0));
        const whole = { cardId: 'whole', scores: byPerspective(() => score) };
        const partial = {
          cardId: 'partial',
          scores: byPerspective((perspective) => (present.includes(perspective) ? score : null)),
        };
        for (const card of fuse([whole, partial], lanesOf(weights))) {
          expect(Math.abs(card.score - score)).toBeLessThan(1e-12);
        }
      }),
    );
  });

  test('orders by score, then by the best lane that was asked for, then by card id', () => {
    fc.assert(
      fc.property(scoredArb, weightsArb, (cards, weights) => {
        const fused = fuse(cards, lanesOf(weights));
        fused.slice(1).forEach((next, place) => {
          const one = fused[place] as FusedCard;
          const order =
            next.score - one.score || bestAsked(next) - bestAsked(one) || (one.cardId < next.cardId ? -1 : 1);
          expect(order).toBeLessThan(0);
        });
      }),
    );
  });

  test('breaks a tie by the best single lane before the card id', () => {
    const cards = [
      scored('a', { question: 0.5, solution: 0.5 }),
      scored('c', { question: 0.5, solution: 0.5 }),
      scored('z', { question: 1, solution: 0 }),
    ];
    const lanes = lanesOf({ question: 1, solution: 1, concept: 0, error: 0 });
    expect(fuse(cards, lanes).map(({ cardId }) => cardId)).toEqual(['z', 'a', 'c']);
  });

  test('does not let a lane of weight 0 break a tie, but shows its score', () => {
    const cards = [scored('a', { question: 0.5, error: 0.1 }), scored('b', { question: 0.5, error: 0.9 })];
    const [first] = fuse(cards, lanesOf({ question: 1, solution: 0, concept: 0, error: 0 }));
    expect(first?.cardId).toBe('a');
    expect(first?.lanes).toEqual([
      { perspective: 'question', kind: 'DENSE', score: 0.5, weight: 1, contribution: 0.5, rank: 1 },
      { perspective: 'error', kind: 'DENSE', score: 0.1, weight: 0, contribution: 0, rank: null },
    ]);
  });

  test('ranks every candidate within each lane that was asked for, 1 first and without gaps', () => {
    fc.assert(
      fc.property(scoredArb, weightsArb, (cards, weights) => {
        const fused = fuse(cards, lanesOf(weights));
        for (const { perspective } of lanesOf(weights)) {
          const lanes = fused.flatMap((card) => card.lanes.filter((lane) => lane.perspective === perspective));
          lanes.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
          expect(lanes.map(({ rank }) => rank)).toEqual(lanes.map((_, place) => place + 1));
          lanes.slice(1).forEach(({ score }, place) => {
            expect(score).toBeLessThanOrEqual(lanes[place]?.score ?? Number.NaN);
          });
        }
      }),
    );
  });

  test('has no hit for a card without any text that was asked for', () => {
    const cards = [scored('a', { error: 1 }), scored('b', {})];
    expect(fuse(cards, lanesOf({ question: 1, solution: 0, concept: 0, error: 0 }))).toEqual([]);
  });
});

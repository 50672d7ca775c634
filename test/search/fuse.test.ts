import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PERSPECTIVES } from '../../src/domain/perspective.js';
import { LANES, type Lane, type LaneScore } from '../../src/domain/search.js';
import { type FusedCard, fuse } from '../../src/search/fuse.js';
import { type LanePlan, plan } from '../../src/search/plan.js';
import type { ScoredCard } from '../../src/search/score.js';
import { requestOf, scoreArb, weightsArb } from '../support/generators.js';

const scoredArb: fc.Arbitrary<readonly ScoredCard[]> = fc
  .array(fc.array(fc.option(scoreArb, { freq: 3 }), { minLength: LANES.length, maxLength: LANES.length }), {
    maxLength: 12,
  })
  .map((all) => all.map((scores, place) => ({ cardId: `c${place}`, scores })));

/** The lanes of any request: vectors alone, words alone, or both and the inferred ones. */
const lanesArb: fc.Arbitrary<readonly LanePlan[]> = fc
  .record({ weights: weightsArb, lexicalShare: fc.constantFrom(0, 0.3, 0.5, 1) })
  .map((given) => plan(requestOf(given), null).lanes);

const questionAlone: readonly LanePlan[] = [{ kind: 'DENSE', perspective: 'question', weight: 1 }];

type Scores = Partial<Record<`${Lane['kind']} ${Lane['perspective']}`, number>>;

function scored(cardId: string, scores: Scores): ScoredCard {
  return { cardId, scores: LANES.map(({ kind, perspective }) => scores[`${kind} ${perspective}`] ?? null) };
}

/** The score that a card has in a planned lane. */
function scoreIn({ scores }: ScoredCard, { kind, perspective }: Lane): number | null {
  return scores[LANES.findIndex((lane) => lane.kind === kind && lane.perspective === perspective)] ?? null;
}

/**
 * The weighted mean over the texts that have a score, and of that and the inferred lanes that have one, at their planned
 * weights; undefined where there is no text.
 */
function naiveScore(card: ScoredCard, lanes: readonly LanePlan[]): number | undefined {
  const mean = (all: readonly (readonly [number, number])[]): number =>
    all.reduce((sum, [weight, score]) => sum + weight * score, 0) / all.reduce((sum, [weight]) => sum + weight, 0);
  const found = lanes.flatMap((lane) => {
    const score = scoreIn(card, lane);
    return score === null ? [] : [{ lane, pair: [lane.weight, score] as const }];
  });
  const texts = found.filter(({ lane }) => lane.kind !== 'INFERRED').map(({ pair }) => pair);
  const inferred = found.filter(({ lane }) => lane.kind === 'INFERRED').map(({ pair }) => pair);
  const planned = lanes.filter(({ kind }) => kind !== 'INFERRED').reduce((sum, { weight }) => sum + weight, 0);
  return texts.length === 0 ? undefined : mean([[planned, mean(texts)], ...inferred]);
}

function bestAsked({ lanes }: FusedCard): number {
  return Math.max(...lanes.filter(({ weight }) => weight > 0).map(({ score }) => score));
}

describe('fuse', () => {
  test('agrees with a weighted mean over the texts that each card has, and the inferred lanes, for any cards and weights', () => {
    fc.assert(
      fc.property(scoredArb, lanesArb, (cards, plan) => {
        const fused = new Map(fuse(cards, plan).map((card) => [card.cardId, card.score]));
        for (const card of cards) {
          const expected = naiveScore(card, plan);
          const score = fused.get(card.cardId);
          if (expected === undefined) expect(score).toBeUndefined();
          else expect(Math.abs((score ?? Number.NaN) - expected)).toBeLessThan(1e-12);
        }
      }),
    );
  });

  test('gives scores from 0 to 1, which the contributions of the lanes sum to', () => {
    fc.assert(
      fc.property(scoredArb, lanesArb, (cards, plan) => {
        for (const { score, lanes } of fuse(cards, plan)) {
          const sum = lanes.reduce((all, { contribution }) => all + contribution, 0);
          expect(Math.abs(sum - score)).toBeLessThan(1e-12);
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('gives the same list whatever the order of the cards and of the lanes', () => {
    const shuffled = fc.tuple(scoredArb, lanesArb).chain(([cards, lanes]) =>
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
      fc.property(scoreArb, scoreArb, lanesArb, fc.subarray([...PERSPECTIVES]), (score, inferred, plan, present) => {
        const card = (cardId: string, has: (lane: Lane) => boolean): ScoredCard => ({
          cardId,
          scores: LANES.map((lane) => (lane.kind === 'INFERRED' ? inferred : has(lane) ? score : null)),
        });
        const cards = [card('whole', () => true), card('partial', ({ perspective }) => present.includes(perspective))];
        const [one, other] = fuse(cards, plan);
        const asked = plan.filter(({ kind }) => kind !== 'INFERRED').map(({ perspective }) => perspective);
        if (!asked.some((perspective) => present.includes(perspective))) expect(other).toBeUndefined();
        else expect(Math.abs((one?.score ?? 0) - (other?.score ?? Number.NaN))).toBeLessThan(1e-12);
      }),
    );
  });

  test('orders by score, then by the best lane that was asked for, then by card id', () => {
    fc.assert(
      fc.property(scoredArb, lanesArb, (cards, plan) => {
        const fused = fuse(cards, plan);
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
      scored('a', { 'DENSE question': 0.5, 'LEXICAL question': 0.5 }),
      scored('c', { 'DENSE question': 0.5, 'LEXICAL question': 0.5 }),
      scored('z', { 'DENSE question': 1, 'LEXICAL question': 0 }),
    ];
    const lanes: readonly LanePlan[] = [
      { kind: 'DENSE', perspective: 'question', weight: 0.5 },
      { kind: 'LEXICAL', perspective: 'question', weight: 0.5 },
    ];
    expect(fuse(cards, lanes).map(({ cardId }) => cardId)).toEqual(['z', 'a', 'c']);
  });

  test('does not let a lane of weight 0 break a tie, but shows its score', () => {
    const cards = [
      scored('a', { 'DENSE question': 0.5, 'DENSE error': 0.1, 'LEXICAL question': 0.2 }),
      scored('b', { 'DENSE question': 0.5, 'DENSE error': 0.9, 'LEXICAL question': 0.8 }),
    ];
    const [first] = fuse(cards, questionAlone);
    expect(first?.cardId).toBe('a');
    expect(first?.lanes).toEqual([
      { perspective: 'question', kind: 'DENSE', score: 0.5, weight: 1, contribution: 0.5, rank: 1 },
      { perspective: 'error', kind: 'DENSE', score: 0.1, weight: 0, contribution: 0, rank: null },
      { perspective: 'question', kind: 'LEXICAL', score: 0.2, weight: 0, contribution: 0, rank: null },
    ] satisfies readonly LaneScore[]);
  });

  test('ranks every candidate within each lane that was asked for, 1 first and without gaps', () => {
    fc.assert(
      fc.property(scoredArb, lanesArb, (all, plan) => {
        // A card without any text that was asked for has a place in the inferred lanes, and is no hit.
        const cards = all.filter((card) => naiveScore(card, plan) !== undefined);
        const fused = fuse(cards, plan);
        for (const { kind, perspective } of plan) {
          const lanes = fused.flatMap((card) =>
            card.lanes.filter((lane) => lane.kind === kind && lane.perspective === perspective),
          );
          lanes.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
          expect(lanes.map(({ rank }) => rank)).toEqual(lanes.map((_, place) => place + 1));
          lanes.slice(1).forEach(({ score }, place) => {
            expect(score).toBeLessThanOrEqual(lanes[place]?.score ?? Number.NaN);
          });
        }
      }),
    );
  });

  test('has no hit for a card without any text that was asked for, whatever its labels', () => {
    const cards = [scored('a', { 'DENSE error': 1, 'INFERRED concept': 1 }), scored('b', {})];
    const lanes: readonly LanePlan[] = [
      { kind: 'DENSE', perspective: 'question', weight: 0.6 },
      { kind: 'INFERRED', perspective: 'concept', weight: 0.4 },
    ];
    expect(fuse(cards, lanes)).toEqual([]);
  });
});

import { PERSPECTIVES } from '../domain/perspective.js';
import type { LaneScore } from '../domain/search.js';
import type { LanePlan } from './plan.js';
import type { ScoredCard } from './score.js';

/** A candidate with its fused score and every lane that it has text for. */
export interface FusedCard {
  readonly cardId: string;
  /** 0 .. 1 */
  readonly score: number;
  readonly lanes: readonly LaneScore[];
}

/**
 * Fuses by weight: the sum of weight x score over the lanes that a card has text for, divided by the sum of those weights, so
 * that a card is not punished for a text it does not have. A card without text in any planned lane is not a hit.
 *
 * Best first: by score, then by the best single lane, then by card id, so that the same query gives the same list. Pure.
 */
export function fuse(cards: readonly ScoredCard[], plan: readonly LanePlan[]): readonly FusedCard[] {
  const weights = new Map(plan.map(({ perspective, weight }) => [perspective, weight]));
  const ranks = new Map(plan.map(({ perspective }) => [perspective, ranksBy(cards, perspective)]));
  const fused = cards.flatMap(({ cardId, scores }): FusedCard[] => {
    const scored = PERSPECTIVES.flatMap((perspective) => {
      const score = scores[perspective];
      return score === null ? [] : [{ perspective, score, weight: weights.get(perspective) ?? 0 }];
    });
    const total = scored.reduce((sum, { weight }) => sum + weight, 0);
    if (total === 0) return [];
    const lanes = scored.map(({ perspective, score, weight }) => ({
      perspective,
      kind: 'DENSE' as const,
      score,
      weight,
      contribution: (weight * score) / total,
      rank: ranks.get(perspective)?.get(cardId) ?? null,
    }));
    // Rounding must not lift a sum of shares above 1.
    const score = Math.min(
      1,
      lanes.reduce((sum, { contribution }) => sum + contribution, 0),
    );
    return [{ cardId, score, lanes }];
  });
  return fused.sort((a, b) => b.score - a.score || bestLane(b) - bestLane(a) || (a.cardId < b.cardId ? -1 : 1));
}

function bestLane({ lanes }: FusedCard): number {
  return Math.max(...lanes.filter(({ weight }) => weight > 0).map(({ score }) => score));
}

/** Each card's place by one perspective alone, 1 is best, equal scores in order of card id. */
function ranksBy(
  cards: readonly ScoredCard[],
  perspective: (typeof PERSPECTIVES)[number],
): ReadonlyMap<string, number> {
  const scored = cards.flatMap(({ cardId, scores }) => {
    const score = scores[perspective];
    return score === null ? [] : [{ cardId, score }];
  });
  scored.sort((a, b) => b.score - a.score || (a.cardId < b.cardId ? -1 : 1));
  return new Map(scored.map(({ cardId }, place) => [cardId, place + 1]));
}

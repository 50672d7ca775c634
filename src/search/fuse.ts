import { LANES, type LaneScore } from '../domain/search.js';
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
 * Fuses by weight: the sum of weight x score over the lanes that a card has, divided by the sum of those weights. The weight
 * of a text that a card does not have goes to its other texts, so that it is not punished for the gap, and the inferred lanes
 * gain nothing by it. A card without any text that was asked for is not a hit, whatever its labels.
 *
 * Best first: by score, then by the best single lane, then by card id, so that the same query gives the same list. Pure.
 */
export function fuse(cards: readonly ScoredCard[], plan: readonly LanePlan[]): readonly FusedCard[] {
  const weights = weightsOf(plan);
  const planned = LANES.reduce((sum, { kind }, lane) => (kind === 'INFERRED' ? sum : sum + (weights[lane] ?? 0)), 0);
  const ranks = LANES.map((_, lane) => (weights[lane] === 0 ? null : ranksBy(cards, lane)));
  const fused = cards.flatMap(({ cardId, scores }): FusedCard[] => {
    const ofTexts = textWeight(scores, weights);
    if (ofTexts === 0) return [];
    const whole = LANES.reduce(
      (sum, { kind }, lane) => (kind === 'INFERRED' && scores[lane] != null ? sum + (weights[lane] ?? 0) : sum),
      planned,
    );
    const lanes = LANES.flatMap(({ perspective, kind }, lane): LaneScore[] => {
      const score = scores[lane] ?? null;
      if (score === null) return [];
      const weight = weights[lane] ?? 0;
      const share = (kind === 'INFERRED' ? weight : (weight / ofTexts) * planned) / whole;
      const rank = ranks[lane]?.get(cardId) ?? null;
      return [{ perspective, kind, score, weight, contribution: share * score, rank }];
    });
    // Rounding must not lift a sum of shares above 1.
    const score = Math.min(
      1,
      lanes.reduce((sum, { contribution }) => sum + contribution, 0),
    );
    return [{ cardId, score, lanes }];
  });
  return fused.sort((a, b) => b.score - a.score || bestLane(b) - bestLane(a) || (a.cardId < b.cardId ? -1 : 1));
}

/** The plan's weights in the order of LANES; 0 for a lane that was not asked for. */
export function weightsOf(plan: readonly LanePlan[]): readonly number[] {
  return LANES.map(
    ({ kind, perspective }) => plan.find((lane) => lane.kind === kind && lane.perspective === perspective)?.weight ?? 0,
  );
}

/** The sum of the weights of the dense and lexical lanes that have a score. */
export function textWeight(scores: ScoredCard['scores'], weights: readonly number[]): number {
  return LANES.reduce(
    (sum, { kind }, lane) => (kind === 'INFERRED' || scores[lane] == null ? sum : sum + (weights[lane] ?? 0)),
    0,
  );
}

function bestLane({ lanes }: FusedCard): number {
  return Math.max(...lanes.filter(({ weight }) => weight > 0).map(({ score }) => score));
}

/** Each card's place by one lane alone, 1 is best, equal scores in order of card id. */
function ranksBy(cards: readonly ScoredCard[], lane: number): ReadonlyMap<string, number> {
  const scored = cards.flatMap(({ cardId, scores }) => {
    const score = scores[lane] ?? null;
    return score === null ? [] : [{ cardId, score }];
  });
  scored.sort((a, b) => b.score - a.score || (a.cardId < b.cardId ? -1 : 1));
  return new Map(scored.map(({ cardId }, place) => [cardId, place + 1]));
}

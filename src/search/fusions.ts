import type { Fusion } from '../domain/search.js';

/**
 * What one lane says of every candidate, on a scale that lanes share: `scores` are its exact scores (`Float64Array[cards]`,
 * NaN where a card has none), the answer is as long, 0 .. 1, and NaN in the same places. Pure.
 */
export type LaneValues = (scores: Float64Array) => Float64Array;

/** The constant of Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (2009). */
const RRF_K = 60;

/** How each fusion makes lanes comparable; the weighted mean of the values is the fused score. */
export const FUSIONS: Readonly<Record<Fusion, LaneValues>> = {
  WEIGHTED: (scores) => scores,
  RRF: reciprocalRanks,
  RELATIVE: relative,
};

/**
 * 1 for the best card, 61/62 for the next: the usual 1 / (60 + rank), times 61, so that a card that leads in every lane has a
 * score of 1. Equal scores share the better place. A score of 0 is no place at all, as if the lane had not returned the card.
 */
function reciprocalRanks(scores: Float64Array): Float64Array {
  const descending = scores
    .filter((score) => score > 0)
    .sort()
    .reverse();
  const values = new Float64Array(scores.length);
  const rankOf = new Map<number, number>();
  descending.forEach((score, place) => {
    if (!rankOf.has(score)) rankOf.set(score, place + 1);
  });
  for (let card = 0; card < scores.length; card += 1) {
    const score = scores[card] as number;
    const rank = rankOf.get(score);
    values[card] = Number.isNaN(score) ? Number.NaN : rank === undefined ? 0 : (RRF_K + 1) / (RRF_K + rank);
  }
  return values;
}

/** 0 for the worst candidate of the lane, 1 for the best; where all have the same score, 1 if they have any at all. */
function relative(scores: Float64Array): Float64Array {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    if (score < least) least = score;
    if (score > most) most = score;
  }
  const range = most - least;
  return scores.map((score) => {
    if (range > 0) return (score - least) / range;
    return score > 0 ? 1 : score;
  });
}

import { type ByPerspective, PERSPECTIVES } from '../domain/perspective.js';
import type { CardVectors, ComparableVectors } from '../domain/ports/vectors.js';

/**
 * How many candidates the selection is made from, for each hit that is wanted: with no more candidates than hits it could
 * only reorder them.
 */
export const POOL_FACTOR = 3;

/** A candidate as the selection sees it. */
export interface DiversityCandidate {
  /** 0 .. 1, on the scale of the similarities that it is set against. */
  readonly score: number;
  /** Null where they are not at hand: the card is then like no other, and counts as novel. */
  readonly vectors: ComparableVectors | null;
}

/** How much novelty is wanted. */
export interface Diversity {
  /** 0: the order as given .. 1: after the first, only novelty counts. */
  readonly diversity: number;
  readonly topK: number;
}

/** How alike two cards are, 0 .. 1. */
export type CardSimilarity = (a: CardVectors, b: ComparableVectors) => number;

/**
 * Selects hits that are good and unlike each other, by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998):
 * each place goes to the candidate with the greatest
 *
 *     (1 - diversity) x score - diversity x similarity to the most similar one that was selected before
 *
 * among the best `3 x topK`; equal ones go by their order. The first candidate always stays the first.
 *
 * `candidates` are best first. Answers at most `topK` places in that list, in the order of selection. Pure; it compares
 * each selected card once with each of the rest of the pool.
 */
export function diversify(
  candidates: readonly DiversityCandidate[],
  { diversity, topK }: Diversity,
  similarity: CardSimilarity,
): readonly number[] {
  const pool = candidates.slice(0, POOL_FACTOR * topK);
  const wanted = Math.min(topK, pool.length);
  if (diversity === 0) return Array.from({ length: wanted }, (_, place) => place);
  const rest = pool.map((candidate, place) => ({ ...candidate, place, nearest: 0 }));
  const selected: number[] = [];
  for (let next = rest[0]; next !== undefined && selected.length < wanted; next = bestOf(rest, diversity)) {
    selected.push(next.place);
    rest.splice(rest.indexOf(next), 1);
    if (next.vectors === null) continue;
    // Unpacked once, to be compared with all the others.
    const { revision, passages } = next.vectors;
    for (const other of rest) {
      if (other.vectors === null) continue;
      other.nearest = Math.max(other.nearest, similarity({ revision, passages }, other.vectors));
    }
  }
  return selected;
}

function bestOf<T extends { readonly score: number; readonly nearest: number }>(
  rest: readonly T[],
  diversity: number,
): T | undefined {
  let best: T | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const candidate of rest) {
    const relevance = (1 - diversity) * candidate.score - diversity * candidate.nearest;
    if (relevance > most) {
      best = candidate;
      most = relevance;
    }
  }
  return best;
}

/**
 * How alike two cards are in the perspectives that a search asks for: the mean of the cosines of their best pairs of
 * passages, weighted as the search weighs the perspectives, over those that both cards have a text for. 0 where there is
 * no such perspective: cards that cannot be compared are not alike.
 */
export function similarityIn(weights: ByPerspective<number>): CardSimilarity {
  const asked = PERSPECTIVES.filter((perspective) => weights[perspective] > 0);
  return (a, b) => {
    let sum = 0;
    let total = 0;
    for (const perspective of asked) {
      const own = a.passages[perspective].map(({ vector }) => vector);
      const best = b.similarity(perspective, own);
      if (best === null) continue;
      sum += weights[perspective] * best;
      total += weights[perspective];
    }
    // Rounding must not lift a mean above what it is the mean of.
    return total === 0 ? 0 : Math.min(1, sum / total);
  };
}

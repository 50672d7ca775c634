import { type Card, QUALITY_GRADES, type QualityGrade } from '../domain/card.js';
import { type ByPerspective, PERSPECTIVES } from '../domain/perspective.js';
import type { CardVectors, ComparableVectors } from '../domain/ports/vectors.js';
import type { SearchRequest } from '../domain/search.js';
import { RERANK_TOP, type Rerankable } from './rerank.js';
import { weightedMean } from './weighted-mean.js';

/** Candidates for each hit wanted: from as many candidates as hits, selection could only reorder them. */
const POOL_FACTOR = 3;

/** Diversity compares each hit with each candidate: of 200 hits, 20,000 pairs, 2.7 times as many as of 50. */
const MAX_POOL = 200;

/** Scores this close are nearly equal: less than one term more or less in a question changes. */
const NEAR_TIE = 0.02;

/** How many candidates the hits are selected from. */
export function poolSize({ topK, diversity, preferQuality: graded, rerank }: SearchRequest): number {
  const wanted = diversity > 0 || graded ? poolOf(topK) : topK;
  return rerank ? Math.max(RERANK_TOP, wanted) : wanted;
}

/** `3 x topK`, at most {@link MAX_POOL}, and never fewer than `topK`. */
function poolOf(topK: number): number {
  return Math.max(topK, Math.min(MAX_POOL, POOL_FACTOR * topK));
}

/**
 * The hits among the candidates, which are best first: by quality among near-ties, and by diversity, if asked for, in
 * steps.
 */
export function* selectSteps<T extends Rerankable>(
  pool: readonly T[],
  request: Pick<SearchRequest, 'topK' | 'diversity' | 'preferQuality' | 'weights'>,
  vectors: ReadonlyMap<string, ComparableVectors>,
): Generator<void, readonly T[]> {
  const preferred = request.preferQuality ? preferQuality(pool, request.topK) : pool;
  const candidates = preferred.map(({ card, score }) => ({ score, vectors: vectors.get(card.id) ?? null }));
  const places = yield* diversifySteps(candidates, request, similarityIn(request.weights));
  return places.map((place) => preferred[place] as T);
}

export interface DiversityCandidate {
  /** 0 .. 1, on the scale of the similarities. */
  readonly score: number;
  /** Null if they cannot be read: the card then counts as novel. */
  readonly vectors: ComparableVectors | null;
}

/** 0 .. 1 */
export type CardSimilarity = (a: CardVectors, b: ComparableVectors) => number;

/**
 * Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): each place goes to the candidate with the greatest
 *
 *     (1 - diversity) x score - diversity x similarity to the most similar one that was selected before
 *
 * among the best `3 x topK`, at most 200; equal ones in their order. The first candidate stays the first.
 *
 * `candidates` are best first. Returns at most `topK` places in that list, in the order of selection. Pure; compares
 * each selected card once with each of the rest of the pool: all their passages, of which long texts have some 30, so
 * that each comparison is a step.
 */
export function* diversifySteps(
  candidates: readonly DiversityCandidate[],
  { diversity, topK }: Pick<SearchRequest, 'diversity' | 'topK'>,
  similarity: CardSimilarity,
): Generator<void, readonly number[]> {
  const pool = candidates.slice(0, poolOf(topK));
  const wanted = Math.min(topK, pool.length);
  if (diversity === 0) return Array.from({ length: wanted }, (_, place) => place);
  const rest = pool.map((candidate, place) => ({ ...candidate, place, nearest: 0 }));
  const selected: number[] = [];
  for (let next = rest[0]; next !== undefined && selected.length < wanted; next = bestOf(rest, diversity)) {
    selected.push(next.place);
    rest.splice(rest.indexOf(next), 1);
    if (next.vectors === null) continue;
    // Unpacked once, for all comparisons.
    const { revision, passages } = next.vectors;
    for (const other of rest) {
      if (other.vectors === null) continue;
      yield;
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
 * The weighted mean of the cosines of the best pairs of passages, over the perspectives with a weight that both cards
 * have a text for; 0 without any.
 */
export function similarityIn(weights: ByPerspective<number>): CardSimilarity {
  const asked = PERSPECTIVES.filter((perspective) => weights[perspective] > 0);
  return (a, b) => {
    const cosines = asked.map((perspective): [number, number | null] => [
      weights[perspective],
      b.similarity(perspective, a.passages[perspective]),
    ]);
    // Rounding must not lift a mean above 1.
    return Math.min(1, weightedMean(cosines) ?? 0);
  };
}

interface Preferable {
  readonly card: Pick<Card, 'qualityGrade' | 'occurredAt'>;
  readonly score: number;
}

/**
 * Reorders near-ties (runs of hits within 0.02 of the first) by quality grade, then the latest mistake first. Cards of
 * grade FAIR are left out if `topK` others remain. `hits` are best first. Pure.
 */
export function preferQuality<T extends Preferable>(hits: readonly T[], topK: number): readonly T[] {
  const better = hits.filter(({ card }) => card.qualityGrade !== 'FAIR');
  const runs: T[][] = [];
  for (const hit of better.length >= topK ? better : hits) {
    const run = runs.at(-1);
    const first = run?.[0];
    if (run !== undefined && first !== undefined && Math.abs(first.score - hit.score) < NEAR_TIE) run.push(hit);
    else runs.push([hit]);
  }
  return runs.flatMap((run) => run.sort(byQuality));
}

function byQuality({ card: a }: Preferable, { card: b }: Preferable): number {
  return placeOf(a.qualityGrade) - placeOf(b.qualityGrade) || b.occurredAt.getTime() - a.occurredAt.getTime();
}

/** A card without a grade is between GOOD and FAIR. */
function placeOf(grade: QualityGrade | null): number {
  return grade === null ? QUALITY_GRADES.indexOf('FAIR') - 0.5 : QUALITY_GRADES.indexOf(grade);
}

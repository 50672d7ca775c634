import { type ByPerspective, byPerspective } from '../domain/perspective.js';
import type { CardVectors } from '../ports.js';
import type { QueryVectors } from './embed.js';

/** A candidate's exact score in every perspective, 0 .. 1; null where the card or the query has no text there. */
export interface ScoredCard {
  readonly cardId: string;
  readonly scores: ByPerspective<number | null>;
}

/** Scores every card in every perspective: the best pair of a query vector and a passage counts. Pure. */
export function score(cards: ReadonlyMap<string, CardVectors>, queries: QueryVectors): readonly ScoredCard[] {
  return [...cards].map(([cardId, { passages }]) => ({
    cardId,
    scores: byPerspective((perspective) => {
      let best: number | null = null;
      for (const query of queries[perspective]) {
        for (const { vector } of passages[perspective]) best = Math.max(best ?? 0, cosine(query, vector));
      }
      return best;
    }),
  }));
}

/** Cosine similarity of two unit vectors of the same length, clamped to [0, 1]. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new Error(`vectors of ${a.length} and ${b.length} dimensions meet`);
  let dot = 0;
  for (let i = 0; i < a.length; i += 1) dot += (a[i] as number) * (b[i] as number);
  return Math.min(1, Math.max(0, dot));
}

import { LANES } from '../domain/search.js';
import type { NotebookIndex } from '../lexical/notebook-index.js';
import type { CardVectors } from '../ports.js';
import type { Query } from './query.js';

/** A candidate's exact scores, 0 .. 1, in the order of LANES; null where the card or the query has no text there. */
export interface ScoredCard {
  readonly cardId: string;
  readonly scores: readonly (number | null)[];
}

/** What the dense lanes compare with: `vectors` of the cards that have any at hand. */
export interface ScoredWith {
  readonly vectors: ReadonlyMap<string, CardVectors>;
  readonly index: NotebookIndex;
}

/**
 * Scores every card in every dense lane, by its best pair of a query vector and a passage, and in every lexical lane. The
 * inferred lanes are left null: what they believe depends on the cards that are nearest by the others. Pure.
 */
export function score(
  cardIds: readonly string[],
  { vectors, index }: ScoredWith,
  query: Pick<Query, 'vectors' | 'features'>,
): readonly ScoredCard[] {
  const byLane = LANES.map(({ kind, perspective }): readonly (number | null)[] | null => {
    if (kind === 'INFERRED') return null;
    if (kind === 'DENSE') {
      const asked = query.vectors[perspective];
      return cardIds.map((id) => bestPair(asked, vectors.get(id)?.passages[perspective] ?? []));
    }
    const features = query.features[perspective];
    return features.length === 0 ? null : index.scores(perspective, features, cardIds);
  });
  return cardIds.map((cardId, place) => ({ cardId, scores: byLane.map((scores) => scores?.[place] ?? null) }));
}

function bestPair(
  queries: readonly Float32Array[],
  passages: readonly { readonly vector: Float32Array }[],
): number | null {
  let best: number | null = null;
  for (const query of queries) {
    for (const { vector } of passages) best = Math.max(best ?? 0, cosine(query, vector));
  }
  return best;
}

/** Cosine similarity of two unit vectors of the same length, clamped to [0, 1]. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new Error(`vectors of ${a.length} and ${b.length} dimensions meet`);
  let dot = 0;
  for (let i = 0; i < a.length; i += 1) dot += (a[i] as number) * (b[i] as number);
  return Math.min(1, Math.max(0, dot));
}

import { LANES } from '../domain/search.js';
import type { NotebookIndex } from '../lexical/notebook-index.js';
import type { ComparableVectors } from '../ports.js';
import type { Query } from './query.js';

/** A candidate's exact scores, 0 .. 1, in the order of LANES; null where the card or the query has no text there. */
export interface ScoredCard {
  readonly cardId: string;
  readonly scores: readonly (number | null)[];
}

/** What the dense lanes compare with: `vectors` of the cards that have any at hand. */
export interface ScoredWith {
  readonly vectors: ReadonlyMap<string, ComparableVectors>;
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
      return cardIds.map((id) => vectors.get(id)?.similarity(perspective, asked) ?? null);
    }
    const features = query.features[perspective];
    return features.length === 0 ? null : index.scores(perspective, features, cardIds);
  });
  return cardIds.map((cardId, place) => ({ cardId, scores: byLane.map((scores) => scores?.[place] ?? null) }));
}

import type { ComparableVectors } from '../domain/ports/vectors.js';
import { LANES } from '../domain/search.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import type { Query } from './query.js';
import type { ScoreMatrix } from './score-matrix.js';

/** What candidates are compared with the query by: `vectors` of the cards that have any at hand. */
export interface ScoredWith {
  readonly vectors: ReadonlyMap<string, ComparableVectors>;
  readonly index: LexicalIndex;
}

/**
 * Scores every card in the dense lanes that are `asked` (by place in LANES), by its best pair of a query vector and a
 * passage, and in the lexical ones. The inferred lanes are left out: what they labelPosterior depends on the cards that are nearest
 * by the others. Pure.
 */
export function score(
  cardIds: readonly string[],
  { vectors, index }: ScoredWith,
  query: Pick<Query, 'vectors' | 'features' | 'expanded'>,
  asked: (lane: number) => boolean,
): ScoreMatrix {
  const comparable = cardIds.map((id) => vectors.get(id));
  const lanes = LANES.map(({ kind, perspective }, lane): Float64Array | null => {
    if (kind === 'INFERRED' || !asked(lane)) return null;
    if (kind === 'DENSE') {
      const queries = query.vectors[perspective];
      return Float64Array.from(comparable, (card) => card?.similarity(perspective, queries) ?? Number.NaN);
    }
    const byWords = lexicalScores(index, perspective, query.features[perspective], cardIds);
    const expanded = query.expanded[perspective];
    if (expanded.length === 0) return byWords;
    const byMoreWords = lexicalScores(index, perspective, expanded, cardIds);
    // More words must not take anything from a card that says just what was asked.
    return byWords.map((score, row) => Math.max(score, byMoreWords[row] as number));
  });
  return { cardIds, lanes };
}

function lexicalScores(
  index: LexicalIndex,
  perspective: Parameters<LexicalIndex['scores']>[0],
  features: readonly string[],
  cardIds: readonly string[],
): Float64Array {
  if (features.length === 0) return new Float64Array(cardIds.length).fill(Number.NaN);
  return Float64Array.from(index.scores(perspective, features, cardIds), (score) => score ?? Number.NaN);
}

import { type Card, perspectiveTexts } from '../domain/card.js';
import { type ByPerspective, byPerspective } from '../domain/perspective.js';
import type { LabelPerspective } from '../domain/search.js';
import { INFERRED_DEPTH } from '../lexical/inferred-lane.js';
import type { NotebookIndex } from '../lexical/notebook-index.js';
import type { InferredLabel } from '../lexical/profiles.js';
import type { QueryVectors } from './embed.js';

/** What is known of the query's labels: a card that has some is not asked what else it might be about. */
export type QueryLabels =
  | { readonly kind: 'known'; readonly labels: readonly string[] }
  | { readonly kind: 'inferred'; readonly labels: readonly InferredLabel[] };

/** What each lane is asked with. */
export interface Query {
  readonly vectors: QueryVectors;
  /** What the words of each perspective are compared with. */
  readonly features: ByPerspective<readonly string[]>;
  readonly labels: Readonly<Record<LabelPerspective, QueryLabels>>;
}

/** A text asks every perspective with the same words. */
export function queryOfText(index: NotebookIndex, text: string, vectors: QueryVectors): Query {
  const features = index.featuresOf([text]);
  const inferred = (perspective: LabelPerspective): QueryLabels => ({
    kind: 'inferred',
    labels: index.infer(perspective, features, INFERRED_DEPTH),
  });
  return {
    vectors,
    features: byPerspective(() => features),
    labels: { concept: inferred('concept'), error: inferred('error') },
  };
}

/** A card asks each perspective with its own text there; labels that it lacks are inferred from its question and solutions. */
export function queryOfCard(index: NotebookIndex, card: Card, vectors: QueryVectors): Query {
  const texts = perspectiveTexts(card);
  const features = byPerspective((perspective) => index.featuresOf(texts[perspective]));
  const labelsOf = (perspective: LabelPerspective, labels: readonly string[]): QueryLabels => {
    if (labels.length > 0) return { kind: 'known', labels };
    const prose = [...features.question, ...features.solution];
    return { kind: 'inferred', labels: index.infer(perspective, prose, INFERRED_DEPTH) };
  };
  return {
    vectors,
    features,
    labels: { concept: labelsOf('concept', card.topicTags), error: labelsOf('error', card.errorTypes) },
  };
}

import type { Card } from '../domain/card.js';
import type { LabelPerspective } from '../domain/search.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import { termsOfLabels } from './query/label-lookup.js';
import type { Query } from './query/query.js';
import { weightedMean } from './weighted-mean.js';

/** Labels of the perspective that is searched, labels of the other one, subject and grade. */
const WEIGHTS = { own: 0.4, other: 0.35, place: 0.25 } as const;

export type Structured = Pick<Card, 'topicTags' | 'errorTypes' | 'subject' | 'grade'>;

export interface StructureQuery {
  /** None if the query has no such labels. */
  readonly terms: Readonly<Record<LabelPerspective, ReadonlySet<string>>>;
  /** Subject and grade of the card that is searched from; null for a text. */
  readonly place: Pick<Card, 'subject' | 'grade'> | null;
  readonly termsOf: (label: string) => readonly string[];
}

/** A text is compared with labels by its terms, a card by the labels that it has. */
export function structureOf(index: LexicalIndex, { card, terms }: Query): StructureQuery {
  const termsOf = (labels: readonly string[]): ReadonlySet<string> => new Set(index.termsOf(labels));
  return {
    terms: {
      concept: card === null ? new Set(terms.concept) : termsOf(card.topicTags),
      error: card === null ? new Set(terms.error) : termsOf(card.errorTypes),
    },
    place: card,
    termsOf: termsOfLabels(index),
  };
}

/**
 * The similarity of a card's labels, subject and grade to the query's: the weighted mean of those that both sides have,
 * 0 .. 1. NaN if either side has no label in the perspective that is searched. Pure.
 */
export function structureScore(query: StructureQuery, perspective: LabelPerspective, card: Structured): number {
  const own = labelMatch(query, perspective, card);
  if (own === null) return Number.NaN;
  const other = labelMatch(query, perspective === 'concept' ? 'error' : 'concept', card);
  const mean = weightedMean([
    [WEIGHTS.own, own],
    [WEIGHTS.other, other],
    [WEIGHTS.place, placeMatch(query.place, card)],
  ]);
  return mean ?? Number.NaN;
}

/** The share of the best matching label's terms that the query has. */
function labelMatch(
  { terms, termsOf }: StructureQuery,
  perspective: LabelPerspective,
  card: Structured,
): number | null {
  const labels = perspective === 'concept' ? card.topicTags : card.errorTypes;
  const asked = terms[perspective];
  if (labels.length === 0 || asked.size === 0) return null;
  let best = 0;
  for (const label of labels) {
    const own = new Set(termsOf(label));
    if (own.size === 0) continue;
    let shared = 0;
    for (const term of own) if (asked.has(term)) shared += 1;
    best = Math.max(best, shared / own.size);
  }
  return best;
}

function placeMatch(place: StructureQuery['place'], { subject, grade }: Structured): number | null {
  if (place === null) return null;
  if (place.grade === null || grade === null) return place.subject === subject ? 1 : 0;
  return (Number(place.subject === subject) + Number(place.grade === grade)) / 2;
}

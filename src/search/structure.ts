import type { Card } from '../domain/card.js';
import type { LabelPerspective } from '../domain/search.js';

/** What labels, subject and grade weigh in the likeness of two cards' structure. */
const WEIGHTS = { own: 0.4, other: 0.35, place: 0.25 } as const;

/** What of a card its structure is read from. */
export type Structured = Pick<Card, 'topicTags' | 'errorTypes' | 'subject' | 'grade'>;

/** What structures are compared with. */
export interface StructureQuery {
  /** The words of the query by label perspective; none where it has no such labels. */
  readonly features: Readonly<Record<LabelPerspective, ReadonlySet<string>>>;
  /** Where the query is a card, its subject and grade; null for a text, which has none. */
  readonly place: Pick<Card, 'subject' | 'grade'> | null;
  /** The words of a label. */
  readonly termsOf: (label: string) => readonly string[];
}

/**
 * How alike a card's structure is to the query's, 0 .. 1: the names of its labels in the perspective that is searched weigh
 * .4, those in the other one .35, subject and grade .25. What either side lacks is left out, and the rest weighs more. NaN
 * where the card or the query has no label in the perspective that is searched. Pure.
 */
export function structureScore(query: StructureQuery, perspective: LabelPerspective, card: Structured): number {
  const other = perspective === 'concept' ? 'error' : 'concept';
  const own = labelMatch(query, perspective, card);
  if (own === null) return Number.NaN;
  const parts: readonly (readonly [weight: number, score: number | null])[] = [
    [WEIGHTS.own, own],
    [WEIGHTS.other, labelMatch(query, other, card)],
    [WEIGHTS.place, placeMatch(query.place, card)],
  ];
  let sum = 0;
  let total = 0;
  for (const [weight, score] of parts) {
    if (score === null) continue;
    sum += weight * score;
    total += weight;
  }
  return sum / total;
}

/** How much of the card's best fitting label's name the query has: 1 where it has every word of it. */
function labelMatch(
  { features, termsOf }: StructureQuery,
  perspective: LabelPerspective,
  card: Structured,
): number | null {
  const labels = perspective === 'concept' ? card.topicTags : card.errorTypes;
  const asked = features[perspective];
  if (labels.length === 0 || asked.size === 0) return null;
  let best = 0;
  for (const label of labels) {
    const words = new Set(termsOf(label));
    if (words.size === 0) continue;
    let shared = 0;
    for (const word of words) if (asked.has(word)) shared += 1;
    best = Math.max(best, shared / words.size);
  }
  return best;
}

function placeMatch(place: StructureQuery['place'], { subject, grade }: Structured): number | null {
  if (place === null) return null;
  if (place.grade === null || grade === null) return place.subject === subject ? 1 : 0;
  return (Number(place.subject === subject) + Number(place.grade === grade)) / 2;
}

import { type Card, perspectiveTexts, questionOf } from '../../domain/card.js';
import { LABEL_PERSPECTIVES, type LabelPerspective, type SearchOperation } from '../../domain/search.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';

export type LabelledCards = Pick<LexicalIndex, 'size' | 'cards' | 'profiles'>;

/** What a card asks a search for, and by which labels other cards are relevant. */
interface NotebookQuery {
  readonly labels: LabelPerspective;
  /** Null: the card has no such text. */
  readonly textOf: (card: Card) => string | null;
  /** Whether half of the cards ask with the name of their first topic tag instead, as users of this search do. */
  readonly byName?: boolean;
}

const byQuestion: NotebookQuery = { labels: 'concept', textOf: questionOf };

export const NOTEBOOK_QUERIES: Readonly<Record<SearchOperation, NotebookQuery>> = {
  similarQuestions: byQuestion,
  bySolution: {
    labels: 'concept',
    textOf: (card) => perspectiveTexts(card).solution[0] ?? null,
  },
  byConcept: { ...byQuestion, byName: true },
  byError: {
    labels: 'error',
    textOf: (card) => (card.studentSolutionText === null ? null : `${questionOf(card)}\n${card.studentSolutionText}`),
  },
  hybridSearch: byQuestion,
};

/** A card that shares all labels of the query's card has this grade; at least 1 if it shares one. */
const BEST_GRADE = 3;

/** nDCG@10 compares with the ten best grades: of the relevant cards that no lane found, only so many are graded. */
const IDEAL = 10;

/** In the order of the index. */
export function labelledCards(index: LabelledCards): readonly string[] {
  return index.cards.ids().filter((cardId) => {
    const doc = index.cards.docOf(cardId);
    return doc !== undefined && LABEL_PERSPECTIVES.some((perspective) => index.profiles[perspective].hasLabel(doc));
  });
}

/**
 * The grades of the other cards that share a label with a card: the share of the information, ln(cards / cards with the
 * label), of its labels that they have too. All `candidates` are graded, and of the others as many as an ideal list
 * has; empty if no other card shares a label that tells cards apart.
 */
export function gradesByLabels(
  index: LabelledCards,
  perspective: LabelPerspective,
  cardId: string,
  candidates: Iterable<string>,
): ReadonlyMap<string, number> {
  const profiles = index.profiles[perspective];
  const information = new Map<string, number>();
  for (const label of profiles.labelsOf(cardId)) {
    const cards = profiles.countOf(label);
    const told = Math.log(index.size / cards);
    if (cards > 1 && told > 0) information.set(label, told);
  }
  const total = [...information.values()].reduce((sum, told) => sum + told, 0);
  const grades = new Map<string, number>();
  const grade = (other: string): void => {
    if (other === cardId || grades.has(other)) return;
    const shared = profiles.labelsOf(other).reduce((sum, label) => sum + (information.get(label) ?? 0), 0);
    if (shared > 0) grades.set(other, Math.max(1, Math.round((BEST_GRADE * shared) / total)));
  };
  if (total === 0) return grades;
  for (const candidate of candidates) grade(candidate);
  const rarestFirst = [...information].sort(([, a], [, b]) => b - a);
  for (const [label] of rarestFirst) {
    for (const other of profiles.cardIdsOf(label)) {
      if (grades.size >= IDEAL) return grades;
      grade(other);
    }
  }
  return grades;
}

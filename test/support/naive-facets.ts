import type { Card } from '../../src/domain/card.js';
import type { CardFacets, FacetCount } from '../../src/domain/ports/cards.js';

function count(values: readonly string[]): readonly FacetCount[] {
  return [...new Set(values)]
    .map((value) => ({ value, count: values.filter((other) => other === value).length }))
    .sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1));
}

/** The facets of cards that have few values. */
export function naiveFacets(cards: readonly Card[]): CardFacets {
  const lists = {
    subject: count(cards.map((card) => card.subject)),
    grade: count(cards.flatMap((card) => card.grade ?? [])),
    difficulty: count(cards.map((card) => String(card.difficulty))),
    topicTag: count(cards.flatMap((card) => card.topicTags)),
    errorType: count(cards.flatMap((card) => card.errorTypes)),
  };
  return {
    total: cards.length,
    ...lists,
    distinctSubjects: lists.subject.length,
    distinctGrades: lists.grade.length,
    distinctTopicTags: lists.topicTag.length,
    distinctErrorTypes: lists.errorType.length,
  };
}

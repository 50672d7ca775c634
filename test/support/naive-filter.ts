import { isDeepStrictEqual } from 'node:util';
import type { Card, CardContent } from '../../src/domain/card.js';
import type { CardFilter } from '../../src/domain/search.js';

const meets = <T>(wanted: readonly T[] | undefined, has: readonly (T | null)[]): boolean =>
  wanted === undefined || wanted.some((value) => has.includes(value));

/** What filters ask of a card; one that is yet to be created has no owner, and may have no id. */
export type Filterable = CardContent & { readonly id: string | null } & Partial<Pick<Card, 'ownerId'>>;

/** Whether a filter lets a card through, condition by condition. */
export function naivelyMatches(filter: CardFilter, card: Filterable): boolean {
  return (
    meets(filter.grade, [card.grade]) &&
    meets(filter.subject, [card.subject]) &&
    card.difficulty >= (filter.difficultyMin ?? 1) &&
    card.difficulty <= (filter.difficultyMax ?? 5) &&
    meets(filter.topicTags, card.topicTags) &&
    meets(filter.errorTypes, card.errorTypes) &&
    (filter.allTopicTags ?? []).every((tag) => card.topicTags.includes(tag)) &&
    (filter.allErrorTypes ?? []).every((type) => card.errorTypes.includes(type)) &&
    meets(filter.owners, [card.ownerId ?? null]) &&
    meets(filter.sources, [card.source]) &&
    meets(filter.languages, [/\p{Script=Han}/u.test(card.questionText) ? 'zh' : 'en']) &&
    (filter.hasSolution === undefined || filter.hasSolution === (card.goldSolutionBrief !== null)) &&
    (filter.unlabelled === undefined ||
      filter.unlabelled === (card.topicTags.length === 0 && card.errorTypes.length === 0)) &&
    meets(filter.qualityGrade, [card.qualityGrade]) &&
    (filter.occurredAfter === undefined || card.occurredAt >= filter.occurredAfter) &&
    (filter.occurredBefore === undefined || card.occurredAt < filter.occurredBefore) &&
    (filter.metadata ?? []).every((one) => card.metadata.some((own) => isDeepStrictEqual(own, one))) &&
    !(card.id !== null && filter.excludeCardIds?.includes(card.id))
  );
}

import type { Card } from './card.js';
import { questionLanguage } from './language.js';
import type { CardFilter } from './search.js';

type FilterValues = Required<CardFilter>;
type Conditions = { readonly [Key in keyof FilterValues]: (card: Card, value: FilterValues[Key]) => boolean };

const hasOne = (wanted: readonly string[], names: readonly string[]): boolean =>
  names.some((name) => wanted.includes(name));

const CONDITIONS: Conditions = {
  grade: ({ grade }, wanted) => grade !== null && wanted.includes(grade),
  subject: ({ subject }, wanted) => wanted.includes(subject),
  difficultyMin: ({ difficulty }, min) => difficulty >= min,
  difficultyMax: ({ difficulty }, max) => difficulty <= max,
  topicTags: ({ topicTags }, wanted) => hasOne(wanted, topicTags),
  errorTypes: ({ errorTypes }, wanted) => hasOne(wanted, errorTypes),
  allTopicTags: ({ topicTags }, wanted) => wanted.every((name) => topicTags.includes(name)),
  allErrorTypes: ({ errorTypes }, wanted) => wanted.every((name) => errorTypes.includes(name)),
  owners: ({ ownerId }, wanted) => wanted.includes(ownerId),
  sources: ({ source }, wanted) => source !== null && wanted.includes(source),
  languages: ({ questionText }, wanted) => wanted.includes(questionLanguage(questionText)),
  hasSolution: ({ goldSolutionBrief }, isThere) => (goldSolutionBrief !== null) === isThere,
  unlabelled: ({ topicTags, errorTypes }, is) => (topicTags.length + errorTypes.length === 0) === is,
  qualityGrade: ({ qualityGrade }, wanted) => qualityGrade !== null && wanted.includes(qualityGrade),
  occurredAfter: ({ occurredAt }, after) => occurredAt >= after,
  occurredBefore: ({ occurredAt }, before) => occurredAt < before,
  metadata: ({ metadata }, wanted) =>
    wanted.every(({ key, value }) => metadata.some((entry) => entry.key === key && entry.value === value)),
  excludeCardIds: ({ id }, excluded) => !excluded.includes(id),
};

/** Whether the filter matches a card that has been read: as PostgreSQL and the filter bitmaps decide it. */
export function matchesFilter(card: Card, filter: CardFilter): boolean {
  const keys = Object.keys(CONDITIONS) as (keyof CardFilter)[];
  return keys.every((key) => matches(card, filter, key));
}

function matches<Key extends keyof FilterValues>(card: Card, filter: Partial<FilterValues>, key: Key): boolean {
  const value = filter[key];
  return value === undefined || CONDITIONS[key](card, value);
}

import type { CardFields } from '../generated/operations.js';

/** The API lists the newest first; any other order needs all cards. */
export const SORTS = {
  newest: null,
  occurred: (a, b) => b.occurredAt.localeCompare(a.occurredAt),
  difficult: (a, b) => b.difficulty - a.difficulty,
  easy: (a, b) => a.difficulty - b.difficulty,
  frequent: (a, b) => b.occurrences - a.occurrences,
  subject: (a, b) =>
    a.subject.localeCompare(b.subject) || (a.grade ?? '').localeCompare(b.grade ?? '', 'en', { numeric: true }),
} as const satisfies Readonly<Record<string, ((a: CardFields, b: CardFields) => number) | null>>;

export type Sort = keyof typeof SORTS;

export function sorted(cards: readonly CardFields[], sort: Sort): readonly CardFields[] {
  const compare = SORTS[sort];
  return compare === null ? cards : [...cards].sort(compare);
}

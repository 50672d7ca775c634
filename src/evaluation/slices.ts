import { type GoldenCase, PERSPECTIVE_OF } from '../domain/golden.js';

/** Dimensions by which cases are grouped, so that a gain in one group cannot hide a loss in another. */
export const SLICES = ['operation', 'perspective', 'grade', 'subject', 'language'] as const;
export type Slice = (typeof SLICES)[number];

/** The group of a case in each dimension. */
export type CaseSlices = Readonly<Record<Slice, string>>;

/** Card fields that a slice is chosen by. */
export interface Placed {
  readonly grade: string | null;
  readonly subject: string;
}

const UNKNOWN = 'unknown';

/**
 * The groups of a case. Perspective: the one that it names, else that of its operation; `all` for hybridSearch. Grade
 * and subject: those of the query card, else the most common ones of its relevant cards. `text` is the query, or the
 * question of the card.
 */
export function groupsOf(one: GoldenCase, text: string, placeOf: (cardId: string) => Placed | undefined): CaseSlices {
  const cardIds =
    one.subject.kind === 'card'
      ? [one.subject.cardId]
      : one.judgements.filter(({ grade }) => grade > 0).map(({ cardId }) => cardId);
  const places = cardIds.map(placeOf).filter((place) => place !== undefined);
  return {
    operation: one.operation,
    perspective: one.perspective ?? PERSPECTIVE_OF[one.operation] ?? 'all',
    grade: mostCommon(places.flatMap(({ grade }) => grade ?? [])),
    subject: mostCommon(places.map(({ subject }) => subject)),
    language: languageOf(text),
  };
}

/** `zh` if a text has a Chinese character, else `en` if it has a Latin word, else `formula`. */
export function languageOf(text: string): 'zh' | 'en' | 'formula' {
  if (/\p{Script=Han}/u.test(text)) return 'zh';
  // Names of LaTeX commands and letters of formulas do not count.
  return /\p{Script=Latin}{2,}/u.test(text.replace(/\\[a-zA-Z]+/g, ' ')) ? 'en' : 'formula';
}

/** The most frequent value; ties in alphabetical order. */
function mostCommon(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [first] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return first?.[0] ?? UNKNOWN;
}

import { type GoldenCase, PERSPECTIVE_OF } from '../domain/golden.js';

/** By what cases are put together, so that a gain here cannot hide a loss there. */
export const SLICES = ['operation', 'perspective', 'grade', 'subject', 'language'] as const;
/** One of {@link SLICES}. */
export type Slice = (typeof SLICES)[number];

/** The group of a case in each slicing. */
export type CaseSlices = Readonly<Record<Slice, string>>;

/** What of a card its place is read from. */
export interface Placed {
  readonly grade: string | null;
  readonly subject: string;
}

/** Where nothing is known. */
const UNKNOWN = 'unknown';

/**
 * Which groups a case belongs to. Perspective: the one that it names, else that of its operation, `all` for the search that
 * weighs them. Grade and subject: those of the card that is searched from, else those that most of its relevant cards have.
 * `text` is the query, or the question of the card.
 */
export function slicesOf(one: GoldenCase, text: string, placeOf: (cardId: string) => Placed | undefined): CaseSlices {
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

/** `zh` where a text has a Chinese character, `en` where it has a Latin word but none, `formula` where it has neither. */
export function languageOf(text: string): 'zh' | 'en' | 'formula' {
  if (/\p{Script=Han}/u.test(text)) return 'zh';
  // The names of LaTeX's commands are no language, nor are the letters of a formula.
  return /\p{Script=Latin}{2,}/u.test(text.replace(/\\[a-zA-Z]+/g, ' ')) ? 'en' : 'formula';
}

/** The value that is there most often, of equally frequent ones the first in alphabetical order. */
function mostCommon(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [first] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return first?.[0] ?? UNKNOWN;
}

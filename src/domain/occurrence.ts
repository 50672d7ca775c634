import type { CardContent } from './card.js';

/** Occurrences of one card: whoever changes the card reads and writes all of them. */
export const MAX_OCCURRENCES = 200;

/** What a card says of itself and not of one time that the mistake was made. */
export type LastingContent = Omit<CardContent, 'studentSolutionText' | 'errorTypes' | 'occurredAt'>;

/** What a card that was merged into another one said, and the other one does not say. */
export type MergedContent = Partial<LastingContent>;

/** One time that a mistake was made, as it is written. */
export interface NewOccurrence {
  readonly occurredAt: Date;
  readonly wrongSolution: string | null;
  readonly errorTypes: readonly string[];
  /** The id that this had as a card of its own, before it was merged; null where it was none. */
  readonly mergedId: string | null;
  readonly merged: MergedContent | null;
}

/** One time that a mistake was made. */
export interface Occurrence extends NewOccurrence {
  /** 1, 2, ... within the card, in the order in which they were stored. */
  readonly number: number;
}

/** The time of which a card itself tells, where it was made only once. */
export function ownOccurrence({
  occurredAt,
  studentSolutionText,
  errorTypes,
}: Pick<CardContent, 'occurredAt' | 'studentSolutionText' | 'errorTypes'>): NewOccurrence {
  return { occurredAt, wrongSolution: studentSolutionText, errorTypes, mergedId: null, merged: null };
}

/** Whether two say the same of what happened: when, what was written and what went wrong, in whatever order. */
export function isSameTime(a: NewOccurrence, b: NewOccurrence): boolean {
  return a.occurredAt.getTime() === b.occurredAt.getTime() && isSameMistake(a, b);
}

/** As {@link isSameTime}, whatever the moment. Blanks and widths make no difference: programs that save a table change them. */
export function isSameMistake(
  a: Pick<NewOccurrence, 'wrongSolution' | 'errorTypes'>,
  b: Pick<NewOccurrence, 'wrongSolution' | 'errorTypes'>,
): boolean {
  return isSameSet(a.errorTypes, b.errorTypes) && plain(a.wrongSolution) === plain(b.wrongSolution);
}

/** The length of what a card and its occurrences say, in UTF-16 units, with some for each of them. */
export function tellingChars(content: CardContent, occurrences: readonly NewOccurrence[]): number {
  const { questionText, studentSolutionText, goldSolutionBrief, notes, topicTags, errorTypes } = content;
  const texts = [questionText, studentSolutionText, goldSolutionBrief, notes, ...topicTags, ...errorTypes];
  for (const { wrongSolution, errorTypes: types, merged } of occurrences) {
    texts.push(wrongSolution, ...types, merged === null ? null : JSON.stringify(merged));
  }
  return texts.reduce((chars, text) => chars + (text?.length ?? 0), 500 * (1 + occurrences.length));
}

function plain(text: string | null): string | null {
  return text === null ? null : text.normalize('NFKC').replace(/[\s\u200b\u200c\u2060\ufeff]+/g, '');
}

/** Whether two lists without repetitions hold the same values. */
export function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value) => b.includes(value));
}

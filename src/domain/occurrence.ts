import type { CardContent } from './card.js';

/** Limit of occurrences of one card: each change of the card reads and writes all of them. */
export const MAX_OCCURRENCES = 200;

/** Card fields that do not depend on one occurrence of the mistake. */
export type LastingContent = Omit<CardContent, 'studentSolutionText' | 'errorTypes' | 'occurredAt'>;

/** Fields of a merged card that differ from the card it was merged into. */
export type MergedContent = Partial<LastingContent>;

/** An occurrence to store. */
export interface NewOccurrence {
  readonly occurredAt: Date;
  readonly wrongSolution: string | null;
  readonly errorTypes: readonly string[];
  /** Id of the card that was merged into this occurrence, or null. */
  readonly mergedId: string | null;
  readonly merged: MergedContent | null;
}

/** One occurrence of a mistake. */
export interface Occurrence extends NewOccurrence {
  /** 1, 2, ... within the card, in the order of storing. */
  readonly number: number;
}

/** The occurrence that the card's own fields describe, if the mistake was made once. */
export function ownOccurrence({
  occurredAt,
  studentSolutionText,
  errorTypes,
}: Pick<CardContent, 'occurredAt' | 'studentSolutionText' | 'errorTypes'>): NewOccurrence {
  return { occurredAt, wrongSolution: studentSolutionText, errorTypes, mergedId: null, merged: null };
}

/** True if time, wrong solution and error types (as a set) are equal. */
export function isSameTime(a: NewOccurrence, b: NewOccurrence): boolean {
  return a.occurredAt.getTime() === b.occurredAt.getTime() && isSameMistake(a, b);
}

/** As {@link isSameTime} without the time. Spacing and character width are ignored: spreadsheet programs change them. */
export function isSameMistake(
  a: Pick<NewOccurrence, 'wrongSolution' | 'errorTypes'>,
  b: Pick<NewOccurrence, 'wrongSolution' | 'errorTypes'>,
): boolean {
  return isSameSet(a.errorTypes, b.errorTypes) && plain(a.wrongSolution) === plain(b.wrongSolution);
}

/** Size of a card and its occurrences in UTF-16 units, with an overhead for each occurrence. */
export function tellingChars(content: CardContent, occurrences: readonly NewOccurrence[]): number {
  const { questionText, studentSolutionText, goldSolutionBrief, notes, topicTags, errorTypes, metadata } = content;
  const texts = [questionText, studentSolutionText, goldSolutionBrief, notes, ...topicTags, ...errorTypes];
  for (const { key, value } of metadata) texts.push(key, value);
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

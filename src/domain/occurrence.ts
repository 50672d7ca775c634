import {
  CARD_CONTENT,
  type CardContent,
  CONTENT_FIELDS,
  type ContentField,
  type OccurrenceField,
} from './card-content.js';
import { type FieldKinds } from './card-values.js';

/** Limit of occurrences of one card: each change of the card reads and writes all of them. */
export const MAX_OCCURRENCES = 200;

/** Card fields that do not depend on one occurrence of the mistake. */
export type LastingContent = Omit<CardContent, OccurrenceField>;

/** Fields of a merged card that differ from the card it was merged into. */
export type MergedContent = Partial<LastingContent>;

export interface NewOccurrence {
  readonly occurredAt: Date;
  readonly wrongSolution: string | null;
  readonly errorTypes: readonly string[];
  /** Id of the card that was merged into this occurrence, or null. */
  readonly mergedId: string | null;
  readonly merged: MergedContent | null;
}

export interface Occurrence extends NewOccurrence {
  /** 1, 2, ... within the card, in the order of storing. */
  readonly number: number;
}

/** The occurrence that the card's own fields describe, if the mistake was made once. */
export function ownOccurrence({
  occurredAt,
  studentSolutionText,
  errorTypes,
}: Pick<CardContent, OccurrenceField>): NewOccurrence {
  return { occurredAt, wrongSolution: studentSolutionText, errorTypes, mergedId: null, merged: null };
}

/** True if time, wrong solution and error types (as a set) are equal. */
export function isSameTime(a: NewOccurrence, b: NewOccurrence): boolean {
  return a.occurredAt.getTime() === b.occurredAt.getTime() && isSameMistake(a, b);
}

/**
 * As {@link isSameTime} without the time. Spacing and character width are ignored: spreadsheet programs change them.
 */
export function isSameMistake(
  a: Pick<NewOccurrence, 'wrongSolution' | 'errorTypes'>,
  b: Pick<NewOccurrence, 'wrongSolution' | 'errorTypes'>,
): boolean {
  return isSameSet(a.errorTypes, b.errorTypes) && plain(a.wrongSolution) === plain(b.wrongSolution);
}

/** The card as it was at this occurrence. */
export function atOccurrence<T extends CardContent>(card: T, one: NewOccurrence): T {
  const { occurredAt, wrongSolution: studentSolutionText, errorTypes } = one;
  return { ...card, occurredAt, studentSolutionText, errorTypes };
}

/** Long values of a content, by kind; of the other kinds each card has few characters. */
const LONG_TEXTS: { readonly [Kind in keyof FieldKinds]?: (value: FieldKinds[Kind]) => readonly string[] } = {
  text: (text) => [text],
  labels: (labels) => labels,
  choices: (choices) => choices,
  metadata: (entries) => entries.flatMap(({ key, value }) => [key, value]),
  attachments: (all) => all.flatMap(({ url, altText }) => [url ?? '', altText ?? '']),
};

function longTexts(content: CardContent, field: ContentField): readonly string[] {
  const texts = LONG_TEXTS[CARD_CONTENT[field].kind] as ((value: unknown) => readonly string[]) | undefined;
  const value = content[field];
  return texts === undefined || value === null ? [] : texts(value);
}

/** Size of a card and its occurrences in UTF-16 units, with an overhead for each occurrence. */
export function contentChars({
  content,
  occurrences,
}: {
  readonly content: CardContent;
  readonly occurrences: readonly NewOccurrence[];
}): number {
  const texts: (string | null)[] = CONTENT_FIELDS.flatMap((field) => longTexts(content, field));
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

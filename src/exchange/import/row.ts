import type { CardContent } from '../../domain/card-content.js';
import { splitOptions } from '../../domain/choices.js';
import type { Owner } from '../../domain/duplicates.js';
import type { LabelKind, LabelSpelling } from '../../domain/labels.js';
import { type NewOccurrence, ownOccurrence } from '../../domain/occurrence.js';
import { choices as choicesOf } from '../../domain/parse/scalars.js';
import type { WantedCards } from '../../domain/ports/imports.js';
import { type QuestionKeys, questionKeys } from '../../text/duplicate-questions.js';
import type { GoodRow } from '../formats/rows.js';

/** A row with the keys that it is compared by. */
export interface PreparedRow extends GoodRow, QuestionKeys {
  /** Identifies the row when it is imported again: a hash of its content and its number among equal rows. */
  readonly origin: string;
}

/** The occurrences of a row, at least one. */
export function occurrencesOf(row: GoodRow): readonly NewOccurrence[] {
  return row.occurrences ?? [ownOccurrence(row.card)];
}

/** The uploaded files that rows name, and the size of those that they hold. */
export function filesOf(rows: readonly GoodRow[]): Pick<WantedCards, 'files' | 'heldBytes'> {
  const named = rows.flatMap(({ card }) => card.attachments.filter(({ contentType }) => contentType === null));
  const held = rows.flatMap(({ files }) => files);
  return {
    files: [...new Set(named.flatMap(({ sha256 }) => sha256 ?? []))],
    heldBytes: held.reduce((sum, { content }) => sum + content.length, 0),
  };
}

/** The labels that rows name, of the cards and of their occurrences. */
export function labelsOf(rows: readonly GoodRow[]): Readonly<Record<LabelKind, readonly string[]>> {
  const topicTags = rows.flatMap(({ card }) => card.topicTags);
  const errorTypes = rows.flatMap((row) => [row.card, ...occurrencesOf(row)].flatMap((one) => one.errorTypes));
  return { topicTags: [...new Set(topicTags)], errorTypes: [...new Set(errorTypes)] };
}

/**
 * The row of an older file, whose question has the options in its text, for a card that has them as choices: divided
 * like the card, which would have them twice otherwise. Any other row as it is.
 */
export function dividedAs({ choices }: Pick<CardContent, 'choices'>, row: PreparedRow, owner: Owner): PreparedRow {
  if (choices.length === 0 || row.card.choices.length > 0) return row;
  const { stem, options } = splitOptions(row.card.questionText);
  const read = choicesOf.safeParse(options.map((option) => option.replace(OPENED, '')));
  const questionText = stem.replace(OPENED, '');
  if (questionText === '' || !read.success || read.data.length === 0) return row;
  const card = { ...row.card, questionText, choices: read.data };
  return { ...row, card, ...questionKeys(owner, card) };
}

/** Between two options: blanks, and the bracket before the next letter. */
const OPENED = /\s*[(（]?\s*$/;

/** The origin stays: it is that of the row as it was written. */
export function spelledAsStored(row: PreparedRow, spelling: LabelSpelling): PreparedRow {
  const { card, occurrences } = row;
  return {
    ...row,
    card: {
      ...card,
      topicTags: spelling.of('topicTags', card.topicTags),
      errorTypes: spelling.of('errorTypes', card.errorTypes),
    },
    occurrences: occurrences?.map((one) => ({ ...one, errorTypes: spelling.of('errorTypes', one.errorTypes) })) ?? null,
  };
}

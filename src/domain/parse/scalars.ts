import { z } from 'zod';
import { MAX_LABELS, MAX_METADATA } from '../card.js';
import { letterOf, MAX_CHOICE_CHARS, MAX_CHOICES, withoutLetters } from '../choices.js';
import { BadInputError } from '../errors.js';
import { gradeOf, subjectOf } from '../school-names.js';
import { parserOf } from './parse.js';

/** One text of a card, in bytes of UTF-8: the longest document that a hosted Chroma stores. */
const MAX_TEXT_BYTES = 16_384;

/** Entries of a filter's list: each is a bound value of an SQL statement. */
const MAX_FILTER_VALUES = 100;

/**
 * A text that every store keeps unchanged: PostgreSQL refuses NUL and replaces lone surrogates, so both are refused
 * here. A leading byte order mark is dropped, because stores differ in whether they keep it.
 */
const storable = z
  .string()
  .overwrite((text) => text.replace(/^\uFEFF+/, ''))
  .refine((text) => !text.includes('\0'), { error: 'must not hold the character U+0000', abort: true })
  .refine((text) => !/\p{Surrogate}/u.test(text), { error: 'must not hold half of a surrogate pair', abort: true });

/** Whether a text has more than blanks and zero-width characters. */
function isVisible(text: string): boolean {
  return /[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);
}

const filled = storable.refine(isVisible, { error: 'must not be empty', abort: true });

/** The code points of a text; the length in UTF-16 units counts some characters twice. */
function codePoints(text: string): number {
  return [...text].length;
}

/** A name on one card: trimmed, 1 .. `max` code points. */
export function name(max: number) {
  return trimmed(filled, max);
}

function trimmed(text: z.ZodString, max: number) {
  return text
    .overwrite((given) => given.trim())
    .refine((given) => codePoints(given) <= max, `must have at most ${max} characters`);
}

/** The composed form, as most keyboards write it: names in files of a Mac have é as e and an accent. */
const composed = (text: string): string => text.normalize('NFC');

/** A name of a few words. */
export const shortName = name(100).overwrite(composed);

/** A subject in the vocabulary of {@link subjectOf}. */
export const subject = shortName.overwrite(subjectOf);

/** A grade in the vocabulary of {@link gradeOf}: a text, or the number of the year. */
export const grade = z.preprocess(
  (value) => (Number.isInteger(value) ? String(value) : value),
  shortName.overwrite(gradeOf),
);

/**
 * A topic tag or an error type: teachers describe a misconception in a sentence, up to 376 characters in a published
 * collection.
 */
export const label = name(400);

/** A text of a card, or of a search, that must be there; kept as it is. */
export const requiredText = filled.refine(fitsText, { error: textProblem });

/** An empty text is a mistake: absence is null, or an omitted field. */
const filledIfGiven = storable.refine((text) => text.trim() !== '', {
  error: 'must not be empty: leave it out, or pass null',
  abort: true,
});

/** A text of a card that may be absent. */
export const optionalText = filledIfGiven.refine(fitsText, { error: textProblem });

/** A name of a card that may be absent: trimmed, 1 .. `max` code points. */
export function optionalName(max: number) {
  return trimmed(filledIfGiven, max);
}

/** Where a question came from, in code points: the long name of an examination paper and its number. */
const MAX_SOURCE_CHARS = 500;
export const source = name(MAX_SOURCE_CHARS).overwrite(composed);
export const optionalSource = optionalName(MAX_SOURCE_CHARS).overwrite(composed);

function fitsText(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_TEXT_BYTES;
}

function textProblem(issue: { readonly input?: unknown }): string {
  const bytes = Buffer.byteLength(String(issue.input));
  return `must have at most ${MAX_TEXT_BYTES} bytes in UTF-8, and has ${bytes}`;
}

export const MAX_ID_CHARS = 100;

/** A card's id: its record ids in the index add `#`, so that may not be part of it. */
export const cardId = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,${MAX_ID_CHARS - 1}}$`),
    `must be 1 to ${MAX_ID_CHARS} letters, digits, dots, underscores, colons or hyphens, the first one a letter or a digit`,
  );

/** A card's topic tags or error types: each once, in the order given. */
export const labels = listOf(label, MAX_LABELS).transform(eachOnce);

const choice = name(MAX_CHOICE_CHARS).refine((text) => !/[\r\n]/.test(text), 'must be one line');

/** The choices of a question, as a list of texts or as an object by letter; without their letters. */
export const choices = z
  .preprocess((value, context) => (isObject(value) ? byLetter(value, context) : value), listOf(choice, MAX_CHOICES))
  .refine(({ length }) => length !== 1, 'must have at least 2 entries, or none')
  .transform((texts): readonly string[] => withoutLetters(texts));

const metadataEntry = z.strictObject({ key: name(100), value: name(1_000) });
const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1);

/** Metadata, as a list of entries or as an object of texts; sorted by key. */
export const metadata = z
  .preprocess(
    (value) => (isObject(value) ? Object.entries(value).map(([key, entry]) => ({ key, value: entry })) : value),
    listOf(metadataEntry, MAX_METADATA),
  )
  .refine((entries) => new Set(entries.map(({ key }) => key)).size === entries.length, 'must have each key once')
  .transform((entries) => entries.toSorted(byKey));

/** `{"B": "15", "A": "12"}` is 12, 15. Without a letter in between, the later ones would be other answers. */
function byLetter(value: object, context: z.RefinementCtx): readonly unknown[] {
  const entries = Object.entries(value).map(([key, text]): [string, unknown] => [key.trim().toUpperCase(), text]);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (sorted.some(([letter], place) => letter !== letterOf(place))) {
    context.addIssue({ code: 'custom', message: 'must have the letters A, B, C, ... as keys, each once' });
  }
  return sorted.map(([, text]) => text);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list of at most `max` entries. They are counted first: parsing 20,000 wrong ones takes 250 ms (by hand). */
export function listOf<T extends z.ZodType>(entry: T, max: number) {
  return counted(max).pipe(z.array(entry));
}

/** A list of 1 to `max` entries. */
export function filledListOf<T extends z.ZodType>(entry: T, max: number, ifEmpty = 'must not be empty') {
  return counted(max).min(1, ifEmpty).pipe(z.array(entry));
}

function counted(max: number) {
  return z.array(z.unknown()).max(max, `must have at most ${max} entries`);
}

export function eachOnce<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** A non-empty list of a filter, such as "any of these" or "none of these", without repetitions. */
export function anyOf<T extends z.ZodType>(value: T) {
  const ifEmpty = 'must not be empty: leave it out to let every card through';
  return filledListOf(value, MAX_FILTER_VALUES, ifEmpty).transform(eachOnce<z.output<T>>);
}

/** A number in a range, both ends included. */
export function between(min: number, max: number) {
  const range = `must be from ${min} to ${max}`;
  return z.number().min(min, range).max(max, range);
}

/** A whole number in a range, both ends included. */
export function whole(min: number, max: number) {
  const range = `must be a whole number from ${min} to ${max}`;
  return z.number().refine((value) => Number.isInteger(value) && value >= min && value <= max, range);
}

/** A card's difficulty: 1 (easiest) .. 5. */
export const difficulty = whole(1, 5);

/** A moment between the years 1900 and 9999: a Date, or an RFC 3339 text with a time zone. */
export const instant = z
  .union([z.date(), z.iso.datetime({ offset: true }).transform((text) => new Date(text))], { error: instantProblem })
  .refine((moment) => moment.getUTCFullYear() >= 1900 && moment.getUTCFullYear() <= 9999, { error: instantProblem });

function instantProblem(issue: { readonly input?: unknown }): string {
  if (issue.input === null) return 'must not be null';
  return 'must be a moment from the year 1900 to 9999 with a time zone, such as 2026-03-01T08:30:00Z';
}

/**
 * The id of a card, or of something that the gateway made, such as an import: well-formed; whether there is such a
 * thing is for its store to say.
 */
export const parseId = parserOf(cardId);

/** Printable ASCII without spaces: what every client can send and every log can show. */
const REQUEST_KEY = /^[\x21-\x7e]{1,200}$/;

/** The value of an Idempotency-Key header; null if there is none. BadInputError (`Idempotency-Key`). */
export function parseRequestKey(header: unknown): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && REQUEST_KEY.test(header)) return header;
  throw new BadInputError('Idempotency-Key', 'must be 1 to 200 printable ASCII characters without spaces');
}

/** Whoever issues tokens names tenants and owners: `auth0|6f1c`, `school-7`, an e-mail address. */
export const who = withoutControls(name(200));

export function withoutControls(text: z.ZodString) {
  return text.refine((value) => !/\p{Cc}/u.test(value), 'must not hold a control character');
}

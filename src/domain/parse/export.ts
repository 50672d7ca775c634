import { z } from 'zod';
import { LANGUAGES, type Language } from '../language.js';
import type { CardFilter } from '../search.js';
import { cardFilter } from './filter.js';
import { parse, parserOf } from './parse.js';
import { cardId, eachOnce, filledListOf, name, who } from './scalars.js';

/** The forms in which cards are given out, by what the names of their files end in. */
export const EXPORT_FORMATS = ['jsonl', 'csv', 'xlsx', 'md', 'html', 'anki'] as const;
/**
 * One of {@link EXPORT_FORMATS}: the first is complete, the next two are tables, two are papers to print, the last is a
 * text file that Anki imports.
 */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Header of the response if no card was found. */
export const EMPTY_HEADER = 'x-errata-empty';

/** Whether cards of the format are read by people: then mistakes may be left out of it. */
export function isForReaders(format: string): boolean {
  return format === 'md' || format === 'html' || format === 'anki';
}

/** Cards that are named one by one, as those of a search. */
export const MAX_NAMED_CARDS = 500;

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly filter: CardFilter;
  /** These cards in this order; null: all that the filter lets through, by their ids. */
  readonly cardIds: readonly string[] | null;
  /** The title of a paper; null: the language's own. */
  readonly title: string | null;
  /** Of headers and papers. */
  readonly language: Language;
  /** Whether JSON Lines hold uploaded files, and not only their digests. */
  readonly embedFiles: boolean;
  /**
   * Whether a paper, or a file for Anki, is without the mistakes and the notes of the cards' students. Null: a paper of
   * several students' cards is, because papers are handed out.
   */
  readonly withoutMistakes: boolean | null;
  /** The only student whose mistakes and notes a paper, or a file for Anki, has; null: as `withoutMistakes` says. */
  readonly mistakesOf: string | null;
}

const request = z
  .strictObject({
    format: z.enum(EXPORT_FORMATS),
    filter: cardFilter.optional(),
    cardIds: filledListOf(cardId, MAX_NAMED_CARDS).transform(eachOnce).optional(),
    title: name(200).optional(),
    language: z.enum(LANGUAGES).default('en'),
    embedFiles: z.boolean().default(false),
    withoutMistakes: z.boolean().optional(),
    mistakesOf: who.optional(),
  })
  .refine(({ format, embedFiles }) => !embedFiles || format === 'jsonl', {
    path: ['embedFiles'],
    error: 'is for the format jsonl alone',
  })
  .refine(({ format, withoutMistakes }) => withoutMistakes !== true || isForReaders(format), {
    path: ['withoutMistakes'],
    error: 'is for the formats md, html and anki alone',
  })
  .refine(({ format, mistakesOf }) => mistakesOf === undefined || isForReaders(format), {
    path: ['mistakesOf'],
    error: 'is for the formats md, html and anki alone',
  })
  .refine(({ withoutMistakes, mistakesOf }) => withoutMistakes !== true || mistakesOf === undefined, {
    path: ['mistakesOf'],
    error: 'must not be given together with withoutMistakes',
  })
  .refine(({ filter, cardIds }) => filter === undefined || cardIds === undefined, {
    path: ['cardIds'],
    error: 'must not be given together with filter: cards are chosen by one or the other',
  });

/** BadInputError. */
export function parseExport(value: unknown): ExportRequest {
  const { filter = {}, cardIds = null, title = null, mistakesOf = null, ...rest } = parse(request, value, '');
  const withoutMistakes = rest.withoutMistakes ?? (mistakesOf === null ? null : false);
  return { ...rest, filter, cardIds, title, withoutMistakes, mistakesOf };
}

/** The language of a template; Chinese, where a client names none. */
export const parseTemplateLanguage = parserOf(z.enum(LANGUAGES).default('zh'));

import { CONTENT_FIELDS } from './card-content.js';
import type { OnDuplicate } from './duplicates.js';

/** Importable file formats, by file name extension. */
export const FILE_FORMATS = ['xlsx', 'csv', 'json', 'jsonl'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** The fields of a card that a column of a file can hold. */
export const CARD_FIELDS = ['id', ...CONTENT_FIELDS, 'occurrences'] as const;
export type CardField = (typeof CARD_FIELDS)[number];

/**
 * CHECKING: the file is validated, and nothing stored. REFUSED: the file is invalid; nothing was stored. FAILED: see
 * `problem`. CANCELLED: by a user; rows that were stored stay.
 */
export type ImportState = 'CHECKING' | 'RUNNING' | 'DONE' | 'REFUSED' | 'FAILED' | 'CANCELLED';

/**
 * User-supplied mapping of columns and values that the gateway does not recognise by itself. A header or
 * the text of a cell is a key in two forms: as given, and normalised by `cleanText` or `cleanName`.
 */
export interface ColumnMapping {
  /** Column header -> field of a card; null: the column is skipped without a notice. */
  readonly columns: Readonly<Record<string, CardField | null>>;
  /** Field -> default value. */
  readonly defaults: Readonly<Partial<Record<CardField, unknown>>>;
  /** Field -> text of a cell -> value. */
  readonly values: Readonly<Partial<Record<CardField, Readonly<Record<string, unknown>>>>>;
  /** How to read 3/4/2026; such dates are refused without it. */
  readonly dateOrder?: DateOrder;
}

export type DateOrder = 'day' | 'month';

export interface ImportOptions {
  readonly onDuplicate: OnDuplicate;
  /**
   * Every row is validated, and nothing stored. Each chunk is compared with the stored cards only: two duplicates in
   * different chunks both count as created.
   */
  readonly dryRun: boolean;
  readonly mapping: ColumnMapping;
}

export interface FileToImport {
  /** As the client gave it. */
  readonly name: string;
  readonly format: FileFormat;
  readonly options: ImportOptions;
}

/** Rows by outcome; the five sum to `read`. */
export interface ImportCounts {
  readonly read: number;
  readonly created: number;
  readonly updated: number;
  /** Rows that became an occurrence of an existing card. */
  readonly merged: number;
  /** Rows that exist already, unchanged. */
  readonly skipped: number;
  readonly failed: number;
}

export type RowOutcome = Exclude<keyof ImportCounts, 'read'>;

/** A row of a request, and the card that it became or belongs to. */
export interface ImportedRow {
  readonly outcome: RowOutcome;
  /** Null for a failed row, and where a dry run would create the card. */
  readonly cardId: string | null;
}

export const NO_COUNTS: ImportCounts = { read: 0, created: 0, updated: 0, merged: 0, skipped: 0, failed: 0 };

/** In UTF-16 units: enough to recognise a row by. */
const MAX_ROW_CONTENT = 200;

/** The values of a row on one line, shortened. */
export function rowContent(values: readonly (readonly [header: string, value: unknown])[]): string {
  const said = values.flatMap(([header, value]) => {
    if (value == null || value === '' || (Array.isArray(value) && value.length === 0)) return [];
    // A longer value would be cut anyway.
    const text = (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, MAX_ROW_CONTENT);
    return `${header}: ${text.replace(/\s+/g, ' ')}`;
  });
  const line = said.join(', ');
  return line.length > MAX_ROW_CONTENT ? `${line.slice(0, MAX_ROW_CONTENT - 1)}…` : line;
}

export interface RowPlace {
  /** The sheet of a workbook; null for other files. */
  readonly sheet: string | null;
  /** The row of a table, the line of a JSON Lines file, or the entry of a JSON list; the first one is 1. */
  readonly row: number;
}

/** A problem of a row; a row that was not imported has one for each invalid value. */
export interface RowProblem extends RowPlace {
  /** False: the row was imported nevertheless. */
  readonly failed: boolean;
  /** Header of the column, or name of the field if the file has no headers; null: the row as a whole. */
  readonly column: string | null;
  readonly reason: string;
  /**
   * What the row says, at most {@link MAX_ROW_CONTENT} characters; null for a row that was imported or could not be
   * read.
   */
  readonly content: string | null;
}

/** One import: a file, or the rows of one request. */
export interface ImportJob extends ImportCounts {
  readonly id: string;
  /** The file's name as the client gave it. */
  readonly name: string;
  readonly format: FileFormat | 'rows';
  readonly options: ImportOptions;
  readonly state: ImportState;
  /** Why the job was refused or failed, or null. */
  readonly problem: string | null;
  /** Parts of the file that were skipped: columns, sheets. */
  readonly notices: readonly string[];
  /** Rows in the file; null until it has been read once. */
  readonly total: number | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

import type { OnDuplicate } from './duplicates.js';

/** The kinds of file that are imported, by what their names end in. */
export const FILE_FORMATS = ['xlsx', 'csv', 'json', 'jsonl'] as const;
/** One of {@link FILE_FORMATS}. */
export type FileFormat = (typeof FILE_FORMATS)[number];

/** The fields of a card that a column of a file can hold, and `options`, which become part of the question. */
export const CARD_FIELDS = [
  'id',
  'subject',
  'grade',
  'difficulty',
  'questionText',
  'options',
  'studentSolutionText',
  'goldSolutionBrief',
  'topicTags',
  'errorTypes',
  'qualityGrade',
  'source',
  'notes',
  'occurredAt',
  'occurrences',
] as const;
/** One of {@link CARD_FIELDS}. */
export type CardField = (typeof CARD_FIELDS)[number];

/**
 * CHECKING: the file is read once, and nothing stored. REFUSED: it cannot be used; nothing was stored. FAILED: see `problem`.
 * CANCELLED: somebody ended it; the rows that were read stay stored.
 */
export type ImportState = 'CHECKING' | 'RUNNING' | 'DONE' | 'REFUSED' | 'FAILED' | 'CANCELLED';

/** What a person says of columns and values that the gateway does not know by itself. */
export interface ColumnMapping {
  /** Column header -> field of a card; null: the column is passed over without a notice. */
  readonly columns: Readonly<Record<string, CardField | null>>;
  /** Field -> the value of rows that have none. */
  readonly defaults: Readonly<Partial<Record<CardField, unknown>>>;
  /** Field -> a cell's text -> what it means. */
  readonly values: Readonly<Partial<Record<CardField, Readonly<Record<string, unknown>>>>>;
}

/** How an import is done. */
export interface ImportOptions {
  readonly onDuplicate: OnDuplicate;
  /**
   * Everything is read and judged, and nothing stored. Each chunk is judged beside what is stored: of two doubles in different
   * chunks both count as created.
   */
  readonly dryRun: boolean;
  readonly mapping: ColumnMapping;
}

/** A file to import. */
export interface FileToImport {
  /** As the client gave it. */
  readonly name: string;
  readonly format: FileFormat;
  readonly options: ImportOptions;
}

/** What came of the rows that were read; the five sum to `read`. */
export interface ImportCounts {
  readonly read: number;
  readonly created: number;
  readonly updated: number;
  /** Rows that became an occurrence of a card that existed. */
  readonly merged: number;
  /** Rows that were there already, as they are. */
  readonly skipped: number;
  readonly failed: number;
}

/** An import before its first row. */
export const NO_COUNTS: ImportCounts = { read: 0, created: 0, updated: 0, merged: 0, skipped: 0, failed: 0 };

/** Something to say of a row; of a row that was not imported, everything that is wrong with it. */
export interface RowProblem {
  /** False: the row was imported all the same. */
  readonly failed: boolean;
  /** The sheet of a workbook; null for other files. */
  readonly sheet: string | null;
  /** The row of a table, the line of a JSON Lines file, or the entry of a JSON list; the first one is 1. */
  readonly row: number;
  /** The column's header, or the field's name where the file has no headers; null: the row as a whole. */
  readonly column: string | null;
  readonly reason: string;
}

/** One import: a file, or the rows of one request. */
export interface ImportJob extends ImportCounts {
  readonly id: string;
  /** The file's name as the client gave it. */
  readonly name: string;
  readonly format: FileFormat | 'rows';
  readonly options: ImportOptions;
  readonly state: ImportState;
  /** Why a job was refused or has failed; else null. */
  readonly problem: string | null;
  /** What was passed over in the file: columns, sheets. */
  readonly notices: readonly string[];
  /** Rows in the file; null until it has been read once. */
  readonly total: number | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

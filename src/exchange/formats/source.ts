import type { RowPlace } from '../../domain/import.js';

/** An error value of a formula: `#DIV/0!`. */
export class CellError {
  constructor(readonly text: string) {}
}

/** A number that a workbook shows with fixed decimals, with a unit or as a fraction. */
export class ShownNumber {
  constructor(
    readonly value: number,
    /** As it is shown, without thousands separators: `3.50`, `30°`, `1 1/2`. */
    readonly text: string,
  ) {}
}

/** Value of a table's cell or a JSON object's key; null if empty. */
export type CellValue = unknown;

export function isEmpty(value: CellValue): boolean {
  return value == null || (typeof value === 'string' && value.trim() === '');
}

export interface Cell {
  /** As in the file: a column's header, or a key. */
  readonly header: string;
  readonly value: CellValue;
}

/** One row of a file, before its fields are known. */
export type SourceRow = RowPlace & ({ readonly cells: readonly Cell[] } | { readonly problem: string });

/**
 * A row of a table whose header is not known yet: the values of its cells, from the first column on; null for empty
 * ones.
 */
export interface TableRow extends RowPlace {
  readonly values: readonly CellValue[];
}

/** Receives messages about skipped parts of a file, each once. */
export type Notice = (text: string) => void;

/** The longest row, in bytes: a card of full texts has 80 kB, and three times that where Chinese is escaped. */
export const MAX_ROW_BYTES = 1024 * 1024;

/** The longest row of a JSON format, which may hold files in base64. */
export const MAX_JSON_ROW_BYTES = 16 * 1024 * 1024;

/** Limit of non-empty rows of one file. */
export const MAX_ROWS = 200_000;

/** Limit of lines of a file, including empty ones: that of rows in a spreadsheet. */
export const MAX_LINES = 1_048_576;

/** Longer names of sheets and categories are truncated: they are in every problem of their rows. Excel allows 31. */
export const MAX_SHEET_NAME_CHARS = 100;

/** Limit of columns; a card has 17 fields. */
export const MAX_COLUMNS = 256;

/** The number of a column of a workbook by its letters: A is 0. */
export function columnOf(letters: string): number {
  let number = 0;
  for (const letter of letters) number = number * 26 + letter.charCodeAt(0) - 64;
  return number - 1;
}

/** A cell that says that its formula could not be computed: `#DIV/0!`. */
export class CellError {
  constructor(readonly text: string) {}
}

/** What a cell of a table, or a key of a JSON object, holds; null where it is empty. */
export type CellValue = unknown;

/** Whether a cell says nothing: blanks are nothing. */
export function isEmpty(value: CellValue): boolean {
  return value == null || (typeof value === 'string' && value.trim() === '');
}

/** One named value of a row. */
export interface Cell {
  /** As the file writes it: a column's header, or a key. */
  readonly header: string;
  readonly value: CellValue;
}

/** One row of a file, before anything is known of what it means. */
export type SourceRow = RowPlace & ({ readonly cells: readonly Cell[] } | { readonly problem: string });

/** Where a row stands. */
export interface RowPlace {
  /** The sheet of a workbook; null for other files. */
  readonly sheet: string | null;
  /** The row of a table, the line of a JSON Lines file, or the entry of a JSON list; the first one is 1. */
  readonly row: number;
}

/** A row of a table whose header is not known yet: the values of its cells, from the first column on; null for empty ones. */
export interface TableRow extends RowPlace {
  readonly values: readonly CellValue[];
}

/** Who hears what is passed over in a file. Each is told once. */
export type Notice = (text: string) => void;

/** The longest row, in bytes: a card of full texts has 80 kB, and three times that where Chinese is escaped. */
export const MAX_ROW_BYTES = 1024 * 1024;

/** Rows of one file that are not empty. */
export const MAX_ROWS = 200_000;

/** Lines of a file, empty ones among them: a sheet of a spreadsheet has no more rows. */
export const MAX_LINES = 1_048_576;

/** The last column that may hold something; a card has 15 fields. */
export const MAX_COLUMNS = 256;

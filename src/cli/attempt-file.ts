import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { ATTEMPT_FIELDS, type AttemptKind } from '../domain/practice.js';
import { plainNumber } from '../exchange/formats/card-input.js';
import { csvRows } from '../exchange/formats/read/csv.js';
import type { CsvRow } from '../exchange/formats/read/csv-parser.js';
import { readJsonl } from '../exchange/formats/read/jsonl.js';
import { CellError, type CellValue, isEmpty, ShownNumber } from '../exchange/formats/source.js';
import { unguarded } from '../exchange/formats/values/guard.js';
import { momentOf, textOfMoment } from '../exchange/formats/values/moments.js';

/** A row as an AttemptInput, or its problem; or a message about the header. */
export type AttemptRow = { readonly row: number } & (
  | { readonly attempt: Readonly<Record<string, unknown>> }
  | { readonly problem: string }
  | { readonly notice: string }
);

/** Readers of cells that are not texts. */
const READERS: Readonly<Partial<Record<AttemptKind, (cell: string) => unknown>>> = {
  flag,
  hints: Number,
  milliseconds: Number,
  moment,
};

/** Fields by column name, in lower case without punctuation. */
const COLUMNS: ReadonlyMap<string, readonly [field: string, read: (cell: string) => unknown]> = new Map(
  Object.entries(ATTEMPT_FIELDS).map(([field, { kind }]) => {
    const read = READERS[kind] ?? String;
    // An answer keeps the blanks around it: an exported one is imported as it was.
    return [field.toLowerCase(), [field, kind === 'text' ? read : (cell) => read(cell.trim())]];
  }),
);

/** StartupError (66) for a file whose name says another format. */
export function refuseOtherFormat(file: string): void {
  if (!/\.(json|xls)$/i.test(file)) return;
  throw new StartupError(`${file} cannot be read: attempts are imported from .csv, .xlsx and .jsonl files`, EXIT.input);
}

/** The attempts of a .csv, .xlsx or .jsonl file. StartupError (66) if it cannot be read. */
export async function* readAttemptFile(file: string): AsyncGenerator<AttemptRow> {
  try {
    if (/\.jsonl$/i.test(file)) yield* readLines(file);
    else yield* readTable(file, /\.xlsx$/i.test(file) ? sheetRows(file) : csvRows(file, isKnown));
  } catch (thrown) {
    if (thrown instanceof StartupError) throw thrown;
    throw new StartupError(`${file} cannot be read: ${(thrown as Error).message}`, EXIT.input, { cause: thrown });
  }
}

async function* readTable(file: string, rows: AsyncIterable<CsvRow | string>): AsyncGenerator<AttemptRow> {
  let header: readonly (string | null)[] | null = null;
  for await (const read of rows) {
    if (typeof read === 'string') {
      yield { row: 1, notice: read };
      continue;
    }
    const { row, cells } = read;
    // Spreadsheets save rows that were cleared as separators alone.
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (header !== null) yield rowOf(row, header, cells);
    else {
      header = headerOf(cells, file);
      yield* skippedColumns(row, header, cells);
    }
  }
  if (header === null) throw new StartupError(`${file} has no header`, EXIT.input);
}

/** The rows of the first visible sheet with values, with their cells as texts, and notices of what is skipped. */
async function* sheetRows(file: string): AsyncGenerator<CsvRow | string> {
  const { readXlsx } = await import('../exchange/formats/read/xlsx.js');
  let first: string | null | undefined;
  const others = new Set<string | null>();
  for await (const { sheet, row, values } of readXlsx(file, () => undefined)) {
    if (values.every(isEmpty)) continue;
    first ??= sheet;
    if (sheet === first) yield { row, cells: Array.from(values, cellText) };
    else if (!others.has(sheet)) {
      others.add(sheet);
      yield `the sheet ${JSON.stringify(sheet)} is skipped: only the first one is read`;
    }
  }
}

function cellText(value: CellValue): string {
  if (value instanceof Date) return textOfMoment(value);
  if (value instanceof ShownNumber) return plainNumber(value.value);
  if (value instanceof CellError) return value.text;
  return typeof value === 'number' ? plainNumber(value) : String(value ?? '');
}

async function* readLines(file: string): AsyncGenerator<AttemptRow> {
  for await (const read of readJsonl(createReadStream(file))) {
    if ('problem' in read) yield { row: read.row, problem: read.problem };
    else
      yield {
        row: read.row,
        attempt: withKey(Object.fromEntries(read.cells.map((cell) => [cell.header, cell.value]))),
      };
  }
}

/** Its key in {@link COLUMNS}; null for an unknown header. */
function columnOf(header: string): string | null {
  const name = header.toLowerCase().replace(/[^a-z]/g, '');
  return COLUMNS.has(name) ? name : null;
}

function isKnown(header: string): boolean {
  return columnOf(header) !== null;
}

function headerOf(cells: readonly string[], file: string): readonly (string | null)[] {
  const known = cells.map(columnOf);
  for (const needed of ['cardid', 'correct', 'at']) {
    if (!known.includes(needed)) {
      throw new StartupError(`${file} has no column ${COLUMNS.get(needed)?.[0]}`, EXIT.input);
    }
  }
  return known.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
}

function skippedColumns(row: number, header: readonly (string | null)[], cells: readonly string[]): AttemptRow[] {
  return header.flatMap((name, place) => {
    if (name !== null) return [];
    const cell = cells[place]?.trim() ?? '';
    const column = cell === '' ? `column ${place + 1}` : `the column ${JSON.stringify(cell.slice(0, 100))}`;
    const reason = cell === '' ? 'it has no header' : 'it is not a field of an attempt';
    return [{ row, notice: `${column} is skipped: ${reason}` }];
  });
}

function rowOf(row: number, header: readonly (string | null)[], cells: readonly string[]): AttemptRow {
  const beyond = cells.findIndex((cell, place) => place >= header.length && cell.trim() !== '');
  if (beyond !== -1) {
    const end = `where the header ends at ${header.length}: is a comma not in quotes?`;
    return { row, problem: `has a value in column ${beyond + 1}, ${end}` };
  }
  const attempt: Record<string, unknown> = {};
  for (const [place, name] of header.entries()) {
    const cell = unguarded(cells[place] ?? '');
    const column = name === null ? undefined : COLUMNS.get(name);
    if (column === undefined || cell.trim() === '') continue;
    attempt[column[0]] = column[1](cell);
  }
  return { row, attempt: withKey(attempt) };
}

/** A row without a key gets one from its contents, so that an attempt is stored once, however often it is imported. */
function withKey(attempt: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (attempt.key !== undefined && attempt.key !== null) return attempt;
  const said = JSON.stringify(Object.entries(attempt).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...attempt, key: createHash('sha256').update(said).digest('base64url').slice(0, 22) };
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', '1', '对', '是', '√', '✓', '✔'].map((word): [string, boolean] => [word, true]),
  ...['false', 'no', '0', '错', '否', '×', '✗', '✘'].map((word): [string, boolean] => [word, false]),
]);

/** Other values are returned unchanged, so that the parser of attempts names the field. */
function flag(cell: string): unknown {
  return FLAGS.get(cell.toLowerCase()) ?? cell;
}

function moment(cell: string): unknown {
  return momentOf(cell)?.toISOString() ?? cell;
}

import { cleanText } from '../../src/domain/clean-text.js';
import {
  fieldOf,
  HEADER_WITHIN,
  isHeaderBelow,
  repeats,
  withSecondNames,
} from '../../src/exchange/formats/header-names.js';
import { CsvParser, type CsvRow, DELIMITERS, namesBy } from '../../src/exchange/formats/read/csv-parser.js';
import { big5Evidence, isWindows1252, markedEncoding, withMarks } from '../../src/exchange/formats/read/encodings.js';

/** The beginning of a file or of a sheet, as a table. */
export interface Table {
  /** Of a workbook. */
  readonly sheet?: string;
  /** Empty for a sheet that cannot be shown. */
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const ROWS = 5;

/** Enough rows of a table to find its header and those below it. */
export const TABLE_ROWS = HEADER_WITHIN + ROWS;

type TextFormat = 'csv' | 'json' | 'jsonl';

/** Of the beginning of a text; null if there is no row. `isCut`: the file has more. SyntaxError for other JSON. */
export function firstRows(text: string, format: TextFormat, isCut: boolean): Table | null {
  if (format === 'csv') return tableOf(csvRows(text, delimiterOf(text), TABLE_ROWS));
  return objectTable(format === 'json' ? jsonObjects(text) : jsonLines(isCut ? text.replace(/[^\n]*$/, '') : text));
}

/** The text of the first bytes of a file, in the encoding that the gateway detects. */
export function decoded(bytes: Uint8Array): string {
  const marked = markedEncoding(bytes);
  if (marked !== null) return new TextDecoder(marked).decode(bytes);
  try {
    // As a stream: the last character may be cut.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    const encoding = isWindows1252(bytes) ? 'windows-1252' : big5Evidence(bytes) > 0 ? 'big5' : 'gb18030';
    return withMarks(new TextDecoder(encoding).decode(bytes), encoding);
  }
}

/** Of the first rows of a table, with what may be above its header. */
export function tableOf(rows: readonly (readonly string[])[]): Table | null {
  const filled = rows.filter(isFilled);
  const place = headerPlace(filled);
  const names = filled[place];
  if (names === undefined) return null;
  const whole = withSecondNames(names, filled[place + 1] ?? [], fieldOfName)?.map((name) => name ?? '');
  const headers = whole ?? names;
  const below = filled.slice(place + (whole === undefined ? 1 : 2));
  const shown = below.filter((row) => !repeats(headers, row));
  const next = shown.findIndex((row) => isHeaderBelow(headers, row, fieldOfName));
  return { headers, rows: shown.slice(0, next === -1 ? ROWS : Math.min(next, ROWS)) };
}

export const isFilled = (row: readonly string[]): boolean => row.some((cell) => cell.trim() !== '');

/** The one that gives one of the first lines most known names, as in the gateway; else the first line most cells. */
function delimiterOf(text: string): string {
  const lines = text.split(/\r\n|\n|\r/, HEADER_WITHIN);
  const names = (delimiter: string): number => namesBy(delimiter, lines, isKnownName);
  const cells = (delimiter: string): number => csvRows(text, delimiter, 1)[0]?.length ?? 0;
  return DELIMITERS.reduce((best, delimiter) =>
    (names(delimiter) - names(best) || cells(delimiter) - cells(best)) > 0 ? delimiter : best,
  );
}

/** The first rows of a CSV text; of one that the gateway refuses, those above the row that is wrong. */
function csvRows(text: string, delimiter: string, count: number): readonly (readonly string[])[] {
  const parser = new CsvParser(delimiter);
  const rows: (readonly string[])[] = [];
  const add = (read: readonly CsvRow[]): void => void rows.push(...read.map(({ cells }) => cells).filter(isFilled));
  try {
    for (const line of text.split(/(?<=[\r\n])/)) {
      if (rows.length === count) return rows;
      add(parser.push(line));
    }
    add(parser.end());
  } catch {
    // The end is cut, perhaps; else the gateway says what is wrong.
  }
  return rows;
}

type Row = Readonly<Record<string, unknown>>;

function jsonLines(text: string): readonly Row[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(0, ROWS).map((line) => JSON.parse(line));
}

/** The first complete entries of one list, or of lists by category. */
function jsonObjects(text: string): readonly Row[] {
  const around = text.trimStart().startsWith('{') ? 2 : 1;
  const objects: Row[] = [];
  let depth = 0;
  let begin = 0;
  let inText = false;
  for (let place = 0; place < text.length && objects.length < ROWS; place += 1) {
    const sign = text[place];
    if (inText) {
      if (sign === '\\') place += 1;
      else if (sign === '"') inText = false;
    } else if (sign === '"') inText = true;
    else if (sign === '{' || sign === '[') {
      if (depth === around) begin = place;
      depth += 1;
    } else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth === around) objects.push(JSON.parse(text.slice(begin, place + 1)));
    }
  }
  return objects;
}

function objectTable(objects: readonly Row[]): Table | null {
  const headers = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const shown = (value: unknown): string =>
    value == null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return headers.length === 0 ? null : { headers, rows: objects.map((one) => headers.map((name) => shown(one[name]))) };
}

/** The field of a name in a file; null for a row counter, undefined for an unknown name. */
const fieldOfName = (name: string): ReturnType<typeof fieldOf> => fieldOf(cleanText(name));

const isQuestion = (name: string): boolean => fieldOfName(name) === 'questionText';

export const isKnownName = (name: string): boolean => fieldOfName(name) != null;

/** True for names of the question and of another column: then the gateway reads the rows below them as cards. */
export function isHeader(names: readonly string[]): boolean {
  return names.some(isQuestion) && names.filter(isKnownName).length > 1;
}

/**
 * The place of the header among rows without empty ones. A row in which only the question is known may be a sentence:
 * it is the header if no other row has more known names. Without a name of the question beside others, the gateway is
 * to be told which column it is, and the row with most known names is the header; if there are none, the first row of
 * more than one cell, since a title has one.
 */
function headerPlace(rows: readonly (readonly string[])[]): number {
  const known = rows.slice(0, HEADER_WITHIN).map((row) => ({
    names: row.filter(isKnownName).length,
    hasQuestion: row.some(isQuestion),
  }));
  const whole = known.findIndex(({ names, hasQuestion }) => hasQuestion && names > 1);
  if (whole !== -1) return whole;
  const most = Math.max(...known.map(({ names }) => names));
  if (most === 0) {
    const first = rows.slice(0, HEADER_WITHIN).findIndex((row) => row.filter((cell) => cell.trim() !== '').length > 1);
    return Math.max(0, first);
  }
  const alone = known.findIndex(({ hasQuestion }) => hasQuestion);
  return alone !== -1 && most === 1 ? alone : known.findIndex(({ names }) => names === most);
}

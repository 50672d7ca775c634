import { cleanText } from '../../domain/clean-text.js';
import { BadInputError } from '../../domain/errors.js';
import type { CardField, ColumnMapping } from '../../domain/import.js';
import { knownSubject } from '../../domain/school-names.js';
import { fieldOfHeader } from './card-input.js';
import { mayRepeat } from './columns.js';
import { type CellValue, isEmpty, type TableRow } from './source.js';

/** Limit of columns with a header; a card has a quarter as many fields. */
const MAX_HEADERS = 64;

/** The header of a table: the names of its columns, and its row. */
export interface Header {
  readonly row: number;
  readonly columns: readonly (string | null)[];
  /** By place: whether it is a field of a card. */
  readonly isField: readonly boolean[];
  /** Messages about columns without a name that are not reported yet, by their place. */
  readonly unnamed: Map<number, string>;
}

/**
 * Reads a row as a header; undefined if no cell is a name of the question column. A row in which only that cell is
 * known is no header, because cards need more fields: it may be a sentence. Then the error of such a header is
 * returned.
 */
export function headerOf({ sheet, row, values }: TableRow, mapping: ColumnMapping): Header | BadInputError | undefined {
  const columns = values.map((value) => (typeof value === 'string' && !isEmpty(value) ? cleanText(value) : null));
  const fields = columns.map((name) => (name === null ? undefined : fieldOfHeader(name, mapping)));
  if (!fields.includes('questionText')) return undefined;
  const where = `${sheet === null ? '' : `sheet ${JSON.stringify(sheet)}, `}row ${row}`;
  if (columns.filter((name) => name !== null).length > MAX_HEADERS) {
    throw new BadInputError('file', `has more than ${MAX_HEADERS} columns (${where})`);
  }
  columns.forEach((name, place) => {
    const field = fields[place];
    if (name === null || field == null) return;
    const before = columns.findIndex((other, at) => at < place && (other === name || fields[at] === field));
    if (before === -1 || mayRepeat(field)) return;
    const [first, second] = [before + 1, place + 1];
    throw new BadInputError(
      'file',
      columns[before] === name
        ? `columns ${first} and ${second}: both are called ${name} (${where}); rename one`
        : `columns ${first} and ${second}: ${columns[before]} and ${name} both mean ${field} (${where}); rename one, or give a mapping`,
    );
  });
  const has = (field: CardField): boolean => fields.includes(field) || mapping.defaults[field] !== undefined;
  const hasSubject = has('subject') || (sheet !== null && knownSubject(sheet) !== undefined);
  const lacking = [...(hasSubject ? [] : ['subject']), ...(has('difficulty') ? [] : ['difficulty'])];
  if (lacking.length > 0) {
    const example = lacking.map((field) => `${field}=${field === 'subject' ? 'math' : '3'}`).join(', ');
    const problem = new BadInputError(
      'file',
      `has no column for ${lacking.join(' and ')} (${where}): add it, or give a default: ${example}`,
    );
    if (fields.filter((field) => field != null).length === 1) return problem;
    throw problem;
  }
  const last = columns.findLastIndex((name) => name !== null);
  const unnamed = columns
    .slice(0, last)
    .flatMap((name, place): [number, string][] =>
      name === null ? [[place, `column ${place + 1} is skipped: it has no header (${where})`]] : [],
    );
  const isField = fields.map((field) => field != null);
  return { row, columns: columns.slice(0, last + 1), isField, unnamed: new Map(unnamed) };
}

/**
 * The header of another part of the sheet, such as that of the fill-in questions below the multiple-choice ones;
 * undefined for other rows. Each of its cells is a known name or one of the header above, and a known one is in both: a
 * row of data may hold names too, such as the words of an English lesson.
 */
export function headerBelow({ columns }: Header, row: TableRow, mapping: ColumnMapping): Header | undefined {
  const names = row.values.flatMap((value) =>
    isEmpty(value) ? [] : typeof value === 'string' ? cleanText(value) : null,
  );
  const isAbove = names.map((name) => name !== null && columns.includes(name));
  if (!isAbove.includes(true)) return undefined;
  const fields = names.map((name) => (name === null ? undefined : fieldOfHeader(name, mapping)));
  const isHeader =
    fields.every((field, place) => field !== undefined || isAbove[place]) &&
    fields.some((field, place) => field !== undefined && isAbove[place]) &&
    fields.filter((field) => field === 'questionText').length === 1 &&
    fields.some((field) => field != null && field !== 'questionText');
  if (!isHeader) return undefined;
  const header = headerOf(row, mapping);
  if (header instanceof BadInputError) throw header;
  return header;
}

export function repeats({ columns }: Header, values: readonly CellValue[]): boolean {
  return values.every(
    (value, place) => isEmpty(value) || (typeof value === 'string' && cleanText(value) === columns[place]),
  );
}

/**
 * The header with the names of its second row, such as A, B, C and D below 选项; undefined if the row is none: then it
 * has no value in a column without a name, or one that is no known name. The subject or the difficulty, merged over
 * both rows, tell that it is one, whatever its other names. A known name of the first row stays above an unknown one.
 */
export function withSecondRow(header: Header, row: TableRow, mapping: ColumnMapping): Header | undefined {
  const { values } = row;
  const isName = (value: CellValue | undefined): boolean =>
    typeof value === 'string' && fieldOfHeader(cleanText(value), mapping) !== undefined;
  const isMissing = (value: CellValue, place: number): boolean => !isEmpty(value) && header.columns[place] == null;
  const isMerged = (value: CellValue, place: number): boolean => {
    const name = typeof value === 'string' ? cleanText(value) : null;
    if (name === null || name !== header.columns[place]) return false;
    return ['subject', 'difficulty'].includes(String(fieldOfHeader(name, mapping)));
  };
  if (!values.some(isMissing)) return undefined;
  if (!values.some(isMerged) && !values.every((value) => isEmpty(value) || isName(value))) return undefined;
  const width = Math.max(values.length, header.columns.length);
  const names = Array.from({ length: width }, (_, place): CellValue => {
    const first = header.columns[place] ?? null;
    const second = values[place] ?? null;
    return isEmpty(second) || (isName(first) && !isName(second)) ? first : second;
  });
  const whole = headerOf({ ...row, values: names }, mapping);
  return whole instanceof BadInputError ? undefined : whole;
}

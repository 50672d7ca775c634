import { cleanText } from '../../domain/clean-text.js';
import { BadInputError } from '../../domain/errors.js';
import type { CardField, ColumnMapping, RowPlace } from '../../domain/import.js';
import { namedAfter } from '../../domain/school-names.js';
import { fieldOfHeader } from './card-input.js';
import { mayRepeat } from './columns.js';
import { isHeaderBelow, withSecondNames } from './header-names.js';
import { type CellValue, isEmpty, type TableRow } from './source.js';

/** Limit of columns with a header; a card has a quarter as many fields. */
const MAX_HEADERS = 64;

/** The header of a table: the names of its columns. */
export interface Header {
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
export function headerOf(given: TableRow, mapping: ColumnMapping): Header | BadInputError | undefined {
  const { sheet, values } = given;
  const columns = values.map((value) => (typeof value === 'string' && !isEmpty(value) ? cleanText(value) : null));
  const fields = columns.map((name) => (name === null ? undefined : fieldOfHeader(name, mapping)));
  if (!fields.includes('questionText')) return undefined;
  const where = placeOf(given);
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
  const hasSubject = has('subject') || namedAfter(sheet ?? '').subject !== undefined;
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
  return { columns: columns.slice(0, last + 1), isField, unnamed: new Map(unnamed) };
}

/** For messages: `sheet "7B", row 3`. */
export function placeOf({ sheet, row }: RowPlace): string {
  return `${sheet === null ? '' : `sheet ${JSON.stringify(sheet)}, `}row ${row}`;
}

/** The header of another part of the sheet; undefined for other rows. See {@link isHeaderBelow}. */
export function headerBelow({ columns }: Header, row: TableRow, mapping: ColumnMapping): Header | undefined {
  if (!isHeaderBelow(columns, row.values, (name) => fieldOfHeader(name, mapping))) return undefined;
  const header = headerOf(row, mapping);
  if (header instanceof BadInputError) throw header;
  return header;
}

/** The header with the names of its second row; undefined if the row is none. See {@link withSecondNames}. */
export function withSecondRow({ columns }: Header, row: TableRow, mapping: ColumnMapping): Header | undefined {
  const values = withSecondNames<CellValue>(columns, row.values, (name) => fieldOfHeader(name, mapping));
  const whole = values && headerOf({ ...row, values }, mapping);
  return whole instanceof BadInputError ? undefined : whole;
}

import { cleanText } from '../../domain/clean-text.js';
import { BadInputError } from '../../domain/errors.js';
import type { CardField, ColumnMapping } from '../../domain/import.js';
import { knownSubject } from '../../domain/school-names.js';
import { fieldOfHeader } from './card-input.js';
import { mayRepeat } from './columns.js';
import { type CellValue, isEmpty, type Notice, type SourceRow, type TableRow } from './source.js';

/** Above the header there may be a title and a line or two about the class. */
const HEADER_WITHIN = 20;
/** Limit of columns with a header; a card has a quarter as many fields. */
const MAX_HEADERS = 64;

/** The header of a table: the names of its columns, and its row. */
interface Header {
  readonly row: number;
  readonly columns: readonly (string | null)[];
  /** By place: whether it is a field of a card. */
  readonly isField: readonly boolean[];
  /** Messages about columns without a name that are not reported yet, by their place. */
  readonly unnamed: Map<number, string>;
}

/**
 * The rows of one table below its header, which is the first row with a name of the question column. Empty rows are
 * skipped. A sheet without a header is skipped with a notice; a file without any, or with an ambiguous one, is refused.
 * BadInputError (`file`).
 */
export async function* headed(
  rows: AsyncIterable<TableRow>,
  mapping: ColumnMapping,
  onNotice: Notice,
): AsyncGenerator<SourceRow> {
  let header: Header | undefined;
  /** Whether the next row may be the second one of the header. */
  let isOpen = false;
  let sheet: string | null | undefined;
  let seen = 0;
  let hasHeader = false;
  let doubt: BadInputError | undefined;
  const passOver = (): void => {
    if (sheet == null) return;
    onNotice(`the sheet ${JSON.stringify(sheet)} is skipped: no column of it names the question`);
  };
  for await (const { sheet: current, row, values } of withoutTitles(rows, mapping)) {
    if (current !== sheet) {
      if (sheet !== undefined && header === undefined) passOver();
      sheet = current;
      header = undefined;
      seen = 0;
    }
    if (values.every(isEmpty)) continue;
    seen += 1;
    if (header !== undefined) {
      if (isOpen) {
        isOpen = false;
        const whole = withSecondRow(header, current, row, values, mapping);
        if (whole !== undefined) {
          header = whole;
          continue;
        }
      }
      // A header over two rows, or one repeated on each page.
      if (repeats(header, values)) continue;
      for (const [place, notice] of header.unnamed) {
        // An empty column is no loss.
        if (isEmpty(values[place])) continue;
        header.unnamed.delete(place);
        onNotice(notice);
      }
      if (hasContent(header, values)) yield underHeader(header, current, row, values);
    } else if (seen <= HEADER_WITHIN) {
      const found = headerOf(current, row, values, mapping);
      if (found instanceof BadInputError) doubt ??= found;
      else header = found;
      isOpen = header !== undefined;
      hasHeader ||= header !== undefined;
    } else if (sheet === null) {
      break;
    }
  }
  if (header === undefined) passOver();
  if (hasHeader) return;
  if (doubt !== undefined) throw doubt;
  const where = sheet == null ? 'no header' : 'no sheet with a header';
  throw new BadInputError(
    'file',
    `has ${where} that names the question: call a column 题目 or question, or give a mapping`,
  );
}

/**
 * Leaves out titles such as 错题: rows whose only known name is that of the question, with the rows below them, if a row
 * with more names follows among the first ones of the sheet.
 */
async function* withoutTitles(rows: AsyncIterable<TableRow>, mapping: ColumnMapping): AsyncGenerator<TableRow> {
  let sheet: string | null | undefined;
  let seen = 0;
  let hasHeader = false;
  /** The title, if it is one, and the rows below it. */
  let held: TableRow[] = [];
  for await (const row of rows) {
    if (row.sheet !== sheet) {
      yield* held;
      held = [];
      sheet = row.sheet;
      seen = 0;
      hasHeader = false;
    }
    const isBlank = row.values.every(isEmpty);
    if (isBlank && held.length > 0) continue;
    if (!hasHeader && !isBlank) {
      seen += 1;
      const fields = row.values.map((value) =>
        typeof value === 'string' && !isEmpty(value) ? fieldOfHeader(cleanText(value), mapping) : undefined,
      );
      const isQuestion = fields.includes('questionText');
      const isAlone = fields.filter((field) => field != null).length === 1;
      if (isQuestion && !isAlone) held = [];
      hasHeader = (isQuestion && !isAlone) || seen >= HEADER_WITHIN;
      if (!hasHeader && (isQuestion || held.length > 0)) {
        held.push(row);
        continue;
      }
    }
    yield* held;
    held = [];
    yield row;
  }
  yield* held;
}

function repeats({ columns }: Header, values: readonly CellValue[]): boolean {
  return values.every(
    (value, place) => isEmpty(value) || (typeof value === 'string' && cleanText(value) === columns[place]),
  );
}

/**
 * The header with the names of its second row, such as A, B, C and D below 选项; undefined if the row is none: then it
 * has no value in a column without a name, or one that is no known name. The subject or the difficulty, merged over
 * both rows, tell that it is one, whatever its other names. A known name of the first row stays above an unknown one.
 */
function withSecondRow(
  header: Header,
  sheet: string | null,
  row: number,
  values: readonly CellValue[],
  mapping: ColumnMapping,
): Header | undefined {
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
  const whole = headerOf(sheet, row, names, mapping);
  return whole instanceof BadInputError ? undefined : whole;
}

/** False for a row with values only in columns that are not read, such as the numbers of a form with spare rows. */
function hasContent({ columns, isField }: Header, values: readonly CellValue[]): boolean {
  return values.some((value, place) => !isEmpty(value) && (place >= columns.length || isField[place]));
}

function underHeader({ columns }: Header, sheet: string | null, row: number, values: readonly CellValue[]): SourceRow {
  const beyond = values.findIndex((value, place) => place >= columns.length && !isEmpty(value));
  if (beyond !== -1) {
    const cause = sheet === null ? ': is a comma not in quotes?' : '';
    return {
      sheet,
      row,
      problem: `has a value in column ${beyond + 1}, where the header ends at ${columns.length}${cause}`,
    };
  }
  const cells = columns.flatMap((header, place) => (header === null ? [] : [{ header, value: values[place] ?? null }]));
  return { sheet, row, cells };
}

/**
 * Reads a row as a header; undefined if no cell is a name of the question column. A row in which only that cell is
 * known is no header, because cards need more fields: it may be a sentence. Then the error of such a header is
 * returned.
 */
function headerOf(
  sheet: string | null,
  row: number,
  values: readonly CellValue[],
  mapping: ColumnMapping,
): Header | BadInputError | undefined {
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

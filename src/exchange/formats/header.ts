import { cleanText } from '../../domain/clean-text.js';
import { BadInputError } from '../../domain/errors.js';
import type { ColumnMapping } from '../../domain/import.js';
import { fieldOfHeader } from './card-input.js';
import { HEADER_WITHIN, repeats } from './header-names.js';
import { type Header, headerBelow, headerOf, placeOf, withSecondRow } from './header-row.js';
import { sectionIn, totalIn } from './rows-without-cards.js';
import { type CellValue, isEmpty, type Notice, type SourceRow, type TableRow } from './source.js';

/**
 * The rows of one table below its header, which is the first row with a name of the question column; below another
 * header, as of a second table in the sheet, they are read by that. Empty rows are skipped. Rows of totals, titles of
 * sections and sheets without a header are skipped with a notice; a file without any row or header, or with an
 * ambiguous one, is refused. BadInputError (`file`).
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
  const skipped = new Map<keyof typeof NO_CARDS, SkippedRows>();
  const skip = (kind: keyof typeof NO_CARDS, name: string, row: TableRow): void => {
    const { first = row, rows = 0, ...earlier } = skipped.get(kind) ?? {};
    skipped.set(kind, { name, ...earlier, first, rows: rows + 1 });
  };
  const tellSkipped = (): void => {
    for (const [kind, rows] of skipped) onNotice(noticeOf(kind, rows));
    skipped.clear();
  };
  const passOver = (): void => {
    if (sheet == null) return;
    onNotice(`the sheet ${JSON.stringify(sheet)} is skipped: no column of it names the question`);
  };
  for await (const row of withoutTitles(rows, mapping)) {
    const { values } = row;
    if (row.sheet !== sheet) {
      if (sheet !== undefined && header === undefined) passOver();
      tellSkipped();
      sheet = row.sheet;
      header = undefined;
      seen = 0;
    }
    if (values.every(isEmpty)) continue;
    seen += 1;
    if (header !== undefined) {
      if (isOpen) {
        isOpen = false;
        const whole = withSecondRow(header, row, mapping);
        if (whole !== undefined) {
          header = whole;
          continue;
        }
      }
      // A header over two rows, or one repeated on each page.
      if (repeats(header.columns, values)) continue;
      const next = headerBelow(header, row, mapping);
      if (next !== undefined) {
        header = next;
        isOpen = true;
        continue;
      }
      const total = totalIn(header.columns, values, mapping);
      if (total !== undefined) {
        skip('totals', total, row);
        continue;
      }
      for (const [place, notice] of header.unnamed) {
        // An empty column is no loss.
        if (isEmpty(values[place])) continue;
        header.unnamed.delete(place);
        onNotice(notice);
      }
      if (!hasContent(header, values)) continue;
      const section = sectionIn(values);
      if (section !== undefined) skip('sections', section, row);
      else yield underHeader(header, row);
    } else if (seen <= HEADER_WITHIN) {
      const found = headerOf(row, mapping);
      if (found instanceof BadInputError) doubt ??= found;
      else header = found;
      isOpen = header !== undefined;
      hasHeader ||= header !== undefined;
    } else if (sheet === null) {
      break;
    }
  }
  if (header === undefined) passOver();
  tellSkipped();
  if (hasHeader) return;
  if (sheet === undefined) throw new BadInputError('file', 'has no rows');
  if (doubt !== undefined) throw doubt;
  const where = sheet == null ? 'no header' : 'no sheet with a header';
  throw new BadInputError(
    'file',
    `has ${where} that names the question: call a column 题目 or question, or give a mapping`,
  );
}

/** What rows that are no cards have: one row, and several. */
const NO_CARDS = {
  totals: ['it has totals or averages', 'they have totals or averages'],
  sections: ['it is the title of a section', 'they are titles of sections'],
} as const;

/** Such rows of one sheet. */
interface SkippedRows {
  /** Of the first one. */
  readonly name: string;
  readonly first: TableRow;
  readonly rows: number;
}

/** One for each sheet, not each row: a file has a limit of notices, and many tables have a subtotal for each topic. */
function noticeOf(kind: keyof typeof NO_CARDS, { name, first, rows }: SkippedRows): string {
  const [one, several] = NO_CARDS[kind];
  const row = `the row ${JSON.stringify(name)}`;
  const skipped = rows === 1 ? `${row} is skipped: ${one}` : `${row} and ${rows - 1} more are skipped: ${several}`;
  return `${skipped} (${placeOf(first)})`;
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

/** False for a row with values only in columns that are not read, such as the numbers of a form with spare rows. */
function hasContent({ columns, isField }: Header, values: readonly CellValue[]): boolean {
  return values.some((value, place) => !isEmpty(value) && (place >= columns.length || isField[place]));
}

function underHeader({ columns }: Header, { sheet, row, values }: TableRow): SourceRow {
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

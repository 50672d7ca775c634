/** What a row of names says about a table. The preview of the studio reads headers by this module too. */
import { cleanText } from '../../domain/clean-text.js';
import type { CardField as Field } from '../../domain/import.js';
import { simplified } from '../../domain/simplified.js';
import { FILE_FIELDS } from './file-fields.js';
import { type CellValue, isEmpty } from './source.js';

/** Above the header there may be a title and a line or two about the class. */
export const HEADER_WITHIN = 20;

/** Longer headers are sentences, and folding takes quadratic time for unclosed brackets. */
export const MAX_HEADER_CHARS = 100;

const BY_NAME: ReadonlyMap<string, Field> = new Map(
  Object.entries(FILE_FIELDS).flatMap(([field, { names }]) =>
    names.split(' ').map((name): [string, Field] => [name, field as Field]),
  ),
);

/** Row counters: they are no ids, and are skipped without a notice. */
const COUNTERS: ReadonlySet<string> = new Set(['序号', '编号', '题号', '#', 'no', 'no.', 'nr', 'number', 'index']);

/** Columns that say whose mistake it was: all cards of a file belong to its importer. */
const STUDENTS: ReadonlySet<string> = new Set(
  '姓名 学生 学生姓名 学生名字 学员 学员姓名 学号 学籍号 考号 准考证号 student studentname studentid'.split(' '),
);

/** Whether a header that is no field of a card is that of the names or numbers of students. */
export function namesStudent(header: string): boolean {
  return header.length <= MAX_HEADER_CHARS && STUDENTS.has(foldHeader(header));
}

const BRACKETS = /[([【](.*?)[)\]】]/g;

/**
 * A header in simplified Chinese, without case, blanks, marks of required columns and hints in brackets. One that is
 * all in brackets is the text of the first ones: 【题目】.
 */
export function foldHeader(header: string): string {
  const text = simplified(header).normalize('NFKC');
  return bare(text.replace(BRACKETS, '')) || bare([...text.matchAll(BRACKETS)][0]?.[1] ?? '');
}

function bare(text: string): string {
  return text.replace(/[\s_\-*:：/、.]+/g, '').toLowerCase();
}

/** The field of a header; null for a row counter, undefined for an unknown header. */
export function fieldOf(header: string): Field | null | undefined {
  if (header.length > MAX_HEADER_CHARS) return undefined;
  const folded = foldHeader(header);
  return BY_NAME.get(folded) ?? (COUNTERS.has(folded) ? null : undefined);
}

/** As {@link fieldOf}, of a name that {@link cleanText} has normalised. */
type FieldOf = (name: string) => Field | null | undefined;

/** Null for a cell that is no text. */
function nameIn(value: CellValue): string | null {
  return typeof value === 'string' ? cleanText(value) : null;
}

/** Whether a row repeats the names above it, as a header that is merged over two rows or printed on each page does. */
export function repeats(columns: readonly CellValue[], row: readonly CellValue[]): boolean {
  return row.every((value, at) => isEmpty(value) || (nameIn(value) !== null && nameIn(value) === nameIn(columns[at])));
}

/**
 * The names of a header with those of its second row, such as A, B, C and D below 选项; undefined if the row is none:
 * then it has no value in a column without a name, or one that is no known name. The subject or the difficulty, merged
 * over both rows, tell that it is one, whatever its other names. A known name of the first row stays above an unknown
 * one.
 */
export function withSecondNames<Value extends CellValue>(
  columns: readonly Value[],
  row: readonly Value[],
  fieldOf: FieldOf,
): readonly (Value | null)[] | undefined {
  const isName = (value: CellValue): boolean => {
    const name = nameIn(value);
    return name !== null && fieldOf(name) !== undefined;
  };
  const isMissing = (value: Value, at: number): boolean => !isEmpty(value) && isEmpty(columns[at]);
  const isMerged = (value: Value, at: number): boolean => {
    const name = nameIn(value);
    if (name === null || name !== nameIn(columns[at])) return false;
    return ['subject', 'difficulty'].includes(String(fieldOf(name)));
  };
  if (!row.some(isMissing)) return undefined;
  if (!row.some(isMerged) && !row.every((value) => isEmpty(value) || isName(value))) return undefined;
  return Array.from({ length: Math.max(row.length, columns.length) }, (_, at) => {
    const [first = null, second = null] = [columns[at], row[at]];
    return isEmpty(second) || (isName(first) && !isName(second)) ? first : second;
  });
}

/**
 * Whether a row is the header of another part of the sheet, such as that of the fill-in questions below the
 * multiple-choice ones. Each of its cells is a known name or one of the header above, and a known one is in both: a row
 * of data may hold names too, such as the words of an English lesson.
 */
export function isHeaderBelow(columns: readonly CellValue[], row: readonly CellValue[], fieldOf: FieldOf): boolean {
  const above = new Set(columns.map(nameIn));
  const names = row.filter((value) => !isEmpty(value)).map(nameIn);
  const isAbove = names.map((name) => name !== null && above.has(name));
  if (!isAbove.includes(true)) return false;
  const fields = names.map((name) => (name === null ? undefined : fieldOf(name)));
  return (
    fields.every((field, at) => field !== undefined || isAbove[at]) &&
    fields.some((field, at) => field !== undefined && isAbove[at]) &&
    fields.filter((field) => field === 'questionText').length === 1 &&
    fields.some((field) => field != null && field !== 'questionText')
  );
}

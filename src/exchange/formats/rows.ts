import type { FileLimits } from '../../domain/attachment.js';
import type { NewCard } from '../../domain/card.js';
import { MAX_METADATA } from '../../domain/card-values.js';
import { type ColumnMapping, type RowPlace, type RowProblem, rowContent } from '../../domain/import.js';
import { type ImportedCard, parseImportedCard } from '../../domain/parse/card.js';
import { classNamed, namedAfter } from '../../domain/school-names.js';
import { cardInput } from './card-input.js';
import { isNamed } from './columns.js';
import { CellError, type CellValue, ShownNumber, type SourceRow } from './source.js';

export interface GoodRow extends RowPlace, ImportedCard {
  /** What to check in the card. */
  readonly notices: readonly RowProblem[];
}

export interface BadRow extends RowPlace {
  readonly problems: readonly RowProblem[];
}

export type CardRow = GoodRow | BadRow;

export interface RowParts {
  readonly mapping: ColumnMapping;
  /** True for a format with typed values, as JSON: then names are not normalised. */
  readonly typed: boolean;
  /** Default time of a mistake. */
  readonly now: Date;
  /** Of files that a row holds. */
  readonly limits: FileLimits;
}

/** Limit of reported problems of one row. */
const MAX_PROBLEMS = 20;

/** The card that a row describes, or its problems in the order of its cells, each under the header of its column. */
export function cardRow(source: SourceRow, { mapping, typed, now, limits }: RowParts): CardRow {
  const { sheet, row } = source;
  const content =
    'cells' in source ? rowContent(source.cells.map(({ header, value }) => [header, written(value)])) : null;
  const problem = (column: string | null, reason: string): RowProblem => ({
    failed: true,
    sheet,
    row,
    column,
    reason,
    content,
  });
  if ('problem' in source) return { sheet, row, problems: [problem(null, source.problem)] };
  const { subject, grade } = namedAfter(sheet ?? '');
  const rowMapping = withoutDefaults(mapping, { subject, grade });
  const { input, headers, problems, notices } = cardInput(source.cells, rowMapping, typed);
  // A row with an id gets no default grade or source, because its card may have none on purpose.
  const isNew = input.id === undefined;
  const named = {
    ...(isNew && sheet !== null && isNamed(sheet) && { source: sheet }),
    ...(isNew && grade !== undefined && { grade }),
    ...(subject !== undefined && { subject }),
    ...input,
  };
  const parsed = parseImportedCard(named, '', { now, limits });
  if ('data' in parsed && problems.size === 0) {
    const said = notices.map(({ header, reason }) => ({ ...problem(header, reason), failed: false, content: null }));
    // Data of a program are kept as they are, and so is the grade of a row with an id: its metadata would replace those
    // of its card.
    const isKept = !isNew || (typed && headers.get('grade') === 'grade');
    const card = isKept ? parsed.data.card : withClassApart(parsed.data.card);
    return { sheet, row, ...parsed.data, card, notices: said };
  }
  const found = [...problems].map(([field, reason]) => ({ field, name: field, reason }));
  for (const { field: path, problem: reason } of 'problems' in parsed ? parsed.problems : []) {
    const field = /^\w+/.exec(path)?.[0] ?? '';
    // Do not report a field as missing if its cell could not be read.
    if (!problems.has(field)) found.push({ field, name: path, reason });
  }
  const fields = [...headers.keys()];
  const place = (field: string): number => (headers.has(field) ? fields.indexOf(field) : fields.length);
  found.sort((a, b) => place(a.field) - place(b.field));
  const shown = found
    .slice(0, MAX_PROBLEMS)
    .map(({ field, name, reason }) => problem(headers.get(field) ?? name, reason));
  const more = found.length - shown.length;
  return { sheet, row, problems: more === 0 ? shown : [...shown, problem(null, `has ${more} more problems`)] };
}

/** The card with a grade instead of a class, 初二 instead of 初二(3)班, and the class in its metadata. */
function withClassApart(card: NewCard): NewCard {
  const named = classNamed(card.grade ?? '');
  if (named === undefined || card.metadata.length === MAX_METADATA) return card;
  const { grade, entry } = named;
  const isKnown = card.metadata.some(({ key }) => key === entry.key);
  const metadata = isKnown ? card.metadata : [...card.metadata, entry].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { ...card, grade, metadata };
}

/** An error of a cell is the reason of a problem already. */
function written(value: CellValue): unknown {
  if (value instanceof ShownNumber) return value.text;
  return value instanceof CellError ? null : value;
}

/** The mapping of a sheet whose name says these fields, which comes before the defaults. */
function withoutDefaults(mapping: ColumnMapping, named: Readonly<Record<string, string | undefined>>): ColumnMapping {
  const defaults = Object.entries(mapping.defaults).filter(([field]) => named[field] === undefined);
  return { ...mapping, defaults: Object.fromEntries(defaults) };
}

import type { FileLimits } from '../../domain/attachment.js';
import { type ColumnMapping, type RowPlace, type RowProblem, rowContent } from '../../domain/import.js';
import { type ImportedCard, parseImportedCard } from '../../domain/parse/card.js';
import { knownSubject } from '../../domain/school-names.js';
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
  const subject = sheet === null ? undefined : knownSubject(sheet);
  const rowMapping = subject === undefined ? mapping : withoutSubject(mapping);
  const { input, headers, problems, notices } = cardInput(source.cells, rowMapping, typed);
  // A row with an id gets no default source, because its card may have none on purpose.
  const isSource = sheet !== null && input.id === undefined && isNamed(sheet);
  const named = { ...(isSource && { source: sheet }), ...(subject !== undefined && { subject }), ...input };
  const parsed = parseImportedCard(named, '', { now, limits });
  if ('data' in parsed && problems.size === 0) {
    const said = notices.map(({ header, reason }) => ({ ...problem(header, reason), failed: false, content: null }));
    return { sheet, row, ...parsed.data, notices: said };
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

/** An error of a cell is the reason of a problem already. */
function written(value: CellValue): unknown {
  if (value instanceof ShownNumber) return value.text;
  return value instanceof CellError ? null : value;
}

/** The mapping of a sheet that is named after a subject, which comes before the default. */
function withoutSubject(mapping: ColumnMapping): ColumnMapping {
  const { subject: _, ...defaults } = mapping.defaults;
  return { ...mapping, defaults };
}

import type { ColumnMapping, RowProblem } from '../../domain/import.js';
import { type ImportedCard, parseImportedCard } from '../../domain/parse/card.js';
import { cardInput, type SpelledNames } from './card-input.js';
import { SHEET_NAMES } from './columns.js';
import type { RowPlace, SourceRow } from './source.js';
import { knownSubject } from './values/names.js';

/** A row that is a card. */
export interface GoodRow extends RowPlace, ImportedCard {
  readonly spelled: SpelledNames;
}

/** A row that is no card, and everything that is wrong with it. */
export interface BadRow extends RowPlace {
  readonly problems: readonly RowProblem[];
}

/** A row of a file, parsed. */
export type CardRow = GoodRow | BadRow;

/** How rows become cards. */
export interface RowParts {
  readonly mapping: ColumnMapping;
  /** Whether the file has types of its own, as JSON has: then names are not translated. */
  readonly typed: boolean;
  /** The moment of a mistake whose row has none. */
  readonly now: Date;
}

/** Problems of one row that are reported: a list of a thousand bad labels is one mistake of whoever wrote it. */
const MAX_PROBLEMS = 20;

/** The card that a row describes, or its problems in the order of its cells, each under the header of its column. */
export function cardRow(source: SourceRow, { mapping, typed, now }: RowParts): CardRow {
  const { sheet, row } = source;
  const problem = (column: string | null, reason: string): RowProblem => ({
    failed: true,
    sheet,
    row,
    column,
    reason,
  });
  if ('problem' in source) return { sheet, row, problems: [problem(null, source.problem)] };
  const { input, headers, problems, spelled } = cardInput(source.cells, mapping, typed);
  const named = sheet === null ? input : { ...ofSheet(sheet, input.id !== undefined), ...input };
  const parsed = parseImportedCard(named, '', now);
  if ('data' in parsed && problems.size === 0) return { sheet, row, spelled, ...parsed.data };
  const found = [...problems].map(([field, reason]) => ({ field, name: field, reason }));
  for (const { field: path, problem: reason } of 'problems' in parsed ? parsed.problems : []) {
    const field = /^\w+/.exec(path)?.[0] ?? '';
    // That a field is missing whose cell could not be read says nothing new.
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

/**
 * Fields that the name of a sheet gives to rows that leave them out: the subject where it is one, and the source. A row with an id
 * is about a card that may have no source on purpose.
 */
function ofSheet(sheet: string, hasId: boolean): Readonly<Record<string, unknown>> {
  const subject = knownSubject(sheet);
  const isSource = !hasId && !Object.values(SHEET_NAMES).includes(sheet);
  return { ...(isSource ? { source: sheet } : {}), ...(subject === undefined ? {} : { subject }) };
}

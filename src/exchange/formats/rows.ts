import { BadInputError } from '../../domain/errors.js';
import type { ColumnMapping, RowProblem } from '../../domain/import.js';
import { type ImportedCard, parseImportedCard } from '../../domain/parse/card.js';
import { CellProblem, cardInput } from './card-input.js';
import type { RowPlace, SourceRow } from './source.js';
import { knownSubject } from './values/names.js';

/** A row that is a card, or why it is none. */
export type CardRow = RowPlace & (({ readonly problem: null } & ImportedCard) | { readonly problem: RowProblem });

/** How rows become cards. */
export interface RowParts {
  readonly mapping: ColumnMapping;
  /** Whether the file has types of its own, as JSON has: then a text is taken as it is. */
  readonly typed: boolean;
  /** When a mistake happened of which a row says nothing. */
  readonly now: Date;
}

/** What a row says. The first thing that is wrong with it is named, by the column's own header. */
export function cardRow(source: SourceRow, { mapping, typed, now }: RowParts): CardRow {
  const { sheet, row } = source;
  const bad = (column: string | null, reason: string): CardRow => ({
    sheet,
    row,
    problem: { failed: true, sheet, row, column, reason },
  });
  if ('problem' in source) return bad(null, source.problem);
  try {
    const { input, headers } = cardInput(source.cells, mapping, typed);
    try {
      const named = sheet === null ? input : { ...ofSheet(sheet), ...input };
      return { sheet, row, problem: null, ...parseImportedCard(named, '', now) };
    } catch (thrown) {
      if (!(thrown instanceof BadInputError)) throw thrown;
      const field = /^\w+/.exec(thrown.field)?.[0] ?? '';
      return bad(headers.get(field) ?? thrown.field, thrown.problem);
    }
  } catch (thrown) {
    if (!(thrown instanceof CellProblem)) throw thrown;
    return bad(thrown.header, thrown.message);
  }
}

/** What the name of its sheet says of a row that does not say it itself: where it comes from, and the subject where it is one. */
function ofSheet(sheet: string): Readonly<Record<string, unknown>> {
  const subject = knownSubject(sheet);
  return subject === undefined ? { source: sheet } : { source: sheet, subject };
}

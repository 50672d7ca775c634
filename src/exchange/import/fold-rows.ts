import { randomUUID } from 'node:crypto';
import type { OnDuplicate, Owner } from '../../domain/duplicates.js';
import type { Folded, NotebookView, QuestionJudge, WantedCards } from '../../domain/ports/notebooks.js';
import type { BadRow, CardRow } from '../formats/rows.js';
import { fold } from './fold.js';
import { type PreparedRow, RowPreparer } from './row.js';

/** What the rows of one import are folded with. */
export interface RowFolderParts {
  readonly judge: QuestionJudge;
  readonly owner: Owner;
  readonly onDuplicate: OnDuplicate;
  /** See {@link RowPreparer}. */
  readonly scope: string;
}

/** A row that is ready to be folded; a bad one stays as it is. */
export type FoldableRow = PreparedRow | BadRow;

/** Folds the rows of one import in their order, chunk by chunk, and remembers their ids from chunk to chunk. */
export class RowFolder {
  readonly #preparer: RowPreparer;
  readonly #ids = new Set<string>();

  constructor(private readonly parts: RowFolderParts) {
    this.#preparer = new RowPreparer(parts.owner, parts.judge, parts.scope);
  }

  /** The row with what it is compared by; to be called for every row, in order. */
  prepare(row: CardRow): FoldableRow {
    return 'card' in row ? this.#preparer.prepare(row) : row;
  }

  /** The cards that a chunk of rows may concern. */
  wantedBy(rows: readonly FoldableRow[]): WantedCards {
    const cards = rows.filter((row) => 'card' in row);
    return {
      ids: cards.flatMap(({ card }) => card.id ?? []),
      keys: cards.map(({ prints }) => prints.key),
      bands: [...new Set(cards.flatMap(({ prints }) => prints.bands))],
      origins: cards.map(({ origin }) => origin),
    };
  }

  /** Folds a chunk of rows into the cards that it may concern; with the same cards once more where it could not be stored. */
  fold(rows: readonly FoldableRow[], view: NotebookView): Folded {
    const { judge, owner, onDuplicate } = this.parts;
    return fold(rows, view, { owner, onDuplicate, judge, earlierIds: this.#ids, newId: randomUUID });
  }

  /** To be called once the rows are stored. */
  remember(rows: readonly FoldableRow[]): void {
    for (const row of rows) if ('card' in row && row.card.id !== null) this.#ids.add(row.card.id);
  }
}

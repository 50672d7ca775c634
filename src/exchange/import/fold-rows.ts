import { randomUUID } from 'node:crypto';
import type { OnDuplicate, Owner } from '../../domain/duplicates.js';
import type { Folded, StoredCards, WantedCards } from '../../domain/ports/imports.js';
import type { BadRow, CardRow, GoodRow } from '../formats/rows.js';
import { fold } from './fold.js';
import { filesOf, labelsOf, type PreparedRow, RowPreparer } from './row.js';

export interface RowFolderParts {
  readonly owner: Owner;
  readonly onDuplicate: OnDuplicate;
  /** See {@link RowPreparer}. */
  readonly scope: string;
}

export type FoldableRow = PreparedRow | BadRow;

/** Folds the rows of one import in order, chunk by chunk, and remembers their ids across chunks. */
export class RowFolder {
  readonly #preparer: RowPreparer;
  readonly #ids = new Set<string>();

  constructor(private readonly parts: RowFolderParts) {
    this.#preparer = new RowPreparer(parts.owner, parts.scope);
  }

  /** Computes the keys of a row; call it for every row, in order. */
  prepare(row: GoodRow): PreparedRow;
  prepare(row: CardRow): FoldableRow;
  prepare(row: CardRow): FoldableRow {
    return 'card' in row ? this.#preparer.prepare(row) : row;
  }

  /** Keys of the cards that a chunk of rows may affect. */
  wantedBy(rows: readonly FoldableRow[]): WantedCards {
    const cards = rows.filter((row) => 'card' in row);
    return {
      ids: cards.flatMap(({ card }) => card.id ?? []),
      keys: cards.map(({ fingerprints }) => fingerprints.key),
      bands: [...new Set(cards.flatMap(({ fingerprints }) => fingerprints.bands))],
      origins: cards.map(({ origin }) => origin),
      labels: labelsOf(cards),
      ...filesOf(cards),
    };
  }

  /** Folds a chunk of rows into the cards that it may affect; may be repeated if storing failed. */
  fold(rows: readonly FoldableRow[], view: StoredCards): Folded {
    const { owner, onDuplicate } = this.parts;
    return fold(rows, view, { owner, onDuplicate, earlierIds: this.#ids, newId: randomUUID });
  }

  /** Call it after the rows are stored. */
  remember(rows: readonly FoldableRow[]): void {
    for (const row of rows) if ('card' in row && row.card.id !== null) this.#ids.add(row.card.id);
  }
}

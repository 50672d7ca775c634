import { createHash, randomUUID } from 'node:crypto';
import { cleanText } from '../../domain/clean-text.js';
import type { OnDuplicate, Owner } from '../../domain/duplicates.js';
import type { Folded, StoredCards, WantedCards } from '../../domain/ports/imports.js';
import { questionKeys } from '../../text/duplicate-questions.js';
import type { BadRow, CardRow, GoodRow } from '../formats/rows.js';
import { fold } from './fold.js';
import { moreKept } from './kept-fields.js';
import { filesOf, labelsOf, type PreparedRow } from './row.js';

export interface RowFolderParts {
  readonly owner: Owner;
  readonly onDuplicate: OnDuplicate;
  /**
   * Set if equal rows without a date are separate occurrences: two requests of an app are two mistakes, while a file
   * that is imported again is the same file.
   */
  readonly scope: string;
}

export type FoldableRow = PreparedRow | BadRow;

/** Folds the rows of one import in order, chunk by chunk, and remembers their ids across chunks. */
export class RowFolder {
  readonly #ids = new Set<string>();
  /** Equal rows so far, by their digest. */
  readonly #counts = new Map<string, number>();
  /** Of the latest new id, in 4,096ths of a millisecond. */
  #tick = 0n;
  /** Notices of kept fields in earlier chunks since the gateway's start, and in the current one. */
  #kept = 0;
  #keptNow = 0;

  constructor(private readonly parts: RowFolderParts) {}

  /** Computes the keys of a row; call it for every row, in order, because equal rows are numbered. */
  prepare(row: GoodRow): PreparedRow;
  prepare(row: CardRow): FoldableRow;
  prepare(row: CardRow): FoldableRow {
    if (!('card' in row)) return row;
    const keys = questionKeys(this.parts.owner, row.card);
    return { ...row, ...keys, origin: this.#origin(row, keys.fingerprints.key) };
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
  fold(rows: readonly FoldableRow[], view: StoredCards, isLast = false): Folded {
    const { owner, onDuplicate } = this.parts;
    const earlier = { earlierIds: this.#ids, earlierKept: this.#kept };
    const options = { owner, onDuplicate, ...earlier, newId: () => this.#newId() };
    const { kept, ...folded } = fold(rows, view, options);
    this.#keptNow = kept;
    const last = isLast ? rows.at(-1) : undefined;
    const more = last === undefined ? [] : moreKept(this.#kept + kept, last);
    return { ...folded, problems: [...folded.problems, ...more] };
  }

  /** Call it after the rows are stored. */
  remember(rows: readonly FoldableRow[]): void {
    for (const row of rows) if ('card' in row && row.card.id !== null) this.#ids.add(row.card.id);
    this.#kept += this.#keptNow;
    this.#keptNow = 0;
  }

  /**
   * A UUID of version 7 (RFC 9562), greater than that of the row before: exports and papers, which are in the order of
   * ids, have the order of the file.
   */
  #newId(): string {
    const now = BigInt(Date.now()) * 4_096n;
    this.#tick = now > this.#tick ? now : this.#tick + 1n;
    const digits = this.#tick.toString(16).padStart(15, '0');
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(12)}-${randomUUID().slice(19)}`;
  }

  #origin({ card, dated }: GoodRow, key: string): string {
    const { owner, scope } = this.parts;
    const facts = JSON.stringify([
      owner.ownerId,
      dated ? card.occurredAt.toISOString() : scope,
      card.id ?? '',
      key,
      // Spreadsheet programs change blanks when they save a table.
      cleanText(card.studentSolutionText ?? ''),
      card.errorTypes.map(cleanText).sort(),
    ]);
    const digest = createHash('sha256').update(facts).digest('base64url').slice(0, 22);
    const count = (this.#counts.get(digest) ?? 0) + 1;
    this.#counts.set(digest, count);
    return `${digest}.${count}`;
  }
}

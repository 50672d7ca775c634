import type { OnDuplicate, Owner } from '../../../domain/duplicates.js';
import { BadInputError } from '../../../domain/errors.js';
import type { DateOrder, FileFormat } from '../../../domain/import.js';
import type { Folded, StoredCards, WantedCards } from '../../../domain/ports/imports.js';
import { fieldOfHeader } from '../../formats/card-input.js';
import { namesStudent } from '../../formats/header-names.js';
import { READERS, TYPED } from '../../formats/read/file.js';
import { type CardRow, cardRow, type RowParts } from '../../formats/rows.js';
import { MAX_ROWS, type Notice, type SourceRow } from '../../formats/source.js';
import { dateOrdersOf } from '../../formats/values/moments.js';
import { type FoldableRow, RowFolder } from '../fold-rows.js';

/** Rows in a transaction: some 200 ms, during which the owner's other imports wait. */
const CHUNK_ROWS = 500;
/** Limit of the texts of one chunk, in UTF-16 units: serialising 1 MB blocks the event loop for some 10 ms. */
const CHUNK_CHARS = 1_000_000;
/** A label takes as long as so many of them: its key is made, and looked up. */
const LABEL_CHARS = 100;
/** Limit of notices of one file. */
const MAX_NOTICES = 50;
/** Limit of invalid rows of one file: with more, it is the wrong file. */
const MAX_BAD_ROWS = 10_000;

export interface FileToRead extends Omit<RowParts, 'typed'> {
  readonly path: string;
  readonly format: FileFormat;
  readonly owner: Owner;
  readonly onDuplicate: OnDuplicate;
  /** Number of rows stored by an earlier run. */
  readonly stored: number;
}

interface CheckedFile {
  readonly rows: number;
  /** Messages about skipped parts of the file. */
  readonly notices: readonly string[];
}

/**
 * Reads a file twice: once to validate it, and once to return its rows in chunks; before either once more, if a date
 * such as 3/4/2026 has to be read as the other dates of the file.
 */
export class FileChunks {
  readonly #folder: RowFolder;
  readonly #rows: AsyncGenerator<FoldableRow>;
  #chunk: readonly FoldableRow[] = [];
  /** Of all dates of the file; null if they differ or tell nothing, undefined before it is needed. */
  #dateOrder: DateOrder | null | undefined;
  /** The row after the chunk. */
  #ahead: IteratorResult<FoldableRow> | undefined;

  constructor(private readonly file: FileToRead) {
    this.#folder = new RowFolder({ owner: file.owner, onDuplicate: file.onDuplicate, scope: '' });
    this.#rows = this.#foldable();
  }

  /** Validates the whole file without keeping rows. BadInputError (`file`). */
  async check(): Promise<CheckedFile> {
    const notices = new Set<string>();
    const notice = (text: string): void => {
      if (notices.size < MAX_NOTICES) notices.add(text);
    };
    const unknown = new Set<string>();
    let rows = 0;
    let bad = 0;
    for await (const row of this.#source(notice)) {
      rows += 1;
      if (rows > MAX_ROWS) throw new BadInputError('file', `has more than ${MAX_ROWS} rows: split the file`);
      for (const { header } of 'cells' in row ? row.cells : []) {
        if (unknown.has(header) || unknown.size >= MAX_NOTICES) continue;
        if (fieldOfHeader(header, this.file.mapping) === undefined) {
          unknown.add(header);
          const reason = namesStudent(header)
            ? 'all cards of a file belong to whoever imports it'
            : 'it is not a field of a card';
          notice(`the column ${JSON.stringify(header.slice(0, 100))} is skipped: ${reason}`);
        }
      }
      const card = await this.#card(row, notice);
      if ('card' in card) continue;
      bad += 1;
      if (bad > MAX_BAD_ROWS) {
        const last = card.problems.map(({ column, reason }) => (column === null ? reason : `${column}: ${reason}`))[0];
        throw new BadInputError('file', `has more than ${MAX_BAD_ROWS} invalid rows, such as row ${card.row}: ${last}`);
      }
    }
    if (rows === 0) throw new BadInputError('file', 'has no rows');
    return { rows, notices: [...notices] };
  }

  /**
   * Reads the next chunk of rows that are not stored yet; returns the keys of the cards that they may affect, null
   * after the last.
   */
  async next(): Promise<WantedCards | null> {
    this.#folder.remember(this.#chunk);
    const chunk: FoldableRow[] = [];
    let chars = 0;
    this.#ahead ??= await this.#rows.next();
    while (this.#ahead.done !== true && chunk.length < CHUNK_ROWS && chars < CHUNK_CHARS) {
      chunk.push(this.#ahead.value);
      chars += charsOf(this.#ahead.value);
      this.#ahead = await this.#rows.next();
    }
    this.#chunk = chunk;
    return chunk.length === 0 ? null : this.#folder.wantedBy(chunk);
  }

  /** Folds the current chunk; may be repeated if storing failed. */
  fold(view: StoredCards): Folded {
    return this.#folder.fold(this.#chunk, view, this.#ahead?.done);
  }

  /** The rows after the stored ones, which are also prepared, because the origin of a row counts its repetitions. */
  async *#foldable(): AsyncGenerator<FoldableRow> {
    let place = 0;
    for await (const source of this.#source(() => undefined)) {
      const row = this.#folder.prepare(await this.#card(source));
      place += 1;
      if (place <= this.file.stored) this.#folder.remember([row]);
      else yield row;
    }
  }

  #source(onNotice: Notice): AsyncIterable<SourceRow> {
    const { format, path, mapping } = this.file;
    return READERS[format]({ path, mapping, onNotice });
  }

  async #card(row: SourceRow, onNotice?: Notice): Promise<CardRow> {
    const { format, now, limits, mapping } = this.file;
    if (this.#dateOrder === undefined && this.#ordersIn(row).some((orders) => orders.length === 2)) {
      this.#dateOrder = await this.#orderOfDates();
      if (this.#dateOrder !== null) onNotice?.(`dates with the year last are read with the ${this.#dateOrder} first`);
    }
    const dateOrder = this.#dateOrder ?? undefined;
    const parts = { mapping: dateOrder === undefined ? mapping : { ...mapping, dateOrder }, now, limits };
    return cardRow(row, { ...parts, typed: TYPED.has(format) });
  }

  /** Depends on the whole file, not on how much of it is stored or read. */
  async #orderOfDates(): Promise<DateOrder | null> {
    const certain = new Set<DateOrder>();
    for await (const row of this.#source(() => undefined)) {
      for (const [order, other] of this.#ordersIn(row)) {
        if (order !== undefined && other === undefined) certain.add(order);
      }
      if (certain.size > 1) return null;
    }
    return [...certain][0] ?? null;
  }

  /** How the dates of a row can be read. */
  #ordersIn(row: SourceRow): readonly (readonly DateOrder[])[] {
    if (!('cells' in row)) return [];
    return row.cells.flatMap(({ header, value }) => {
      const orders = typeof value === 'string' ? dateOrdersOf(value) : [];
      return orders.length > 0 && fieldOfHeader(header, this.file.mapping) === 'occurredAt' ? [orders] : [];
    });
  }
}

/** Size of the row in the statements that store it. */
function charsOf(row: FoldableRow): number {
  if ('problems' in row) return JSON.stringify(row.problems).length;
  const files = row.files.reduce((sum, { content }) => sum + content.length, 0);
  const labels = LABEL_CHARS * (row.card.topicTags.length + row.card.errorTypes.length);
  return files + labels + JSON.stringify([row.card, row.occurrences]).length;
}

import { BadInputError } from '../../../domain/errors.js';
import type { Folded, NotebookView, QuestionJudge, WantedCards } from '../../../domain/ports/notebooks.js';
import { fieldOfHeader } from '../../formats/card-input.js';
import { readFileRows, TYPED } from '../../formats/read/file.js';
import { type CardRow, cardRow } from '../../formats/rows.js';
import { MAX_ROWS, type Notice, type SourceRow } from '../../formats/source.js';
import { type FoldableRow, RowFolder } from '../fold-rows.js';
import type { CheckedFile, FileToRead } from './file.js';

/** Rows a transaction: some 200 ms, during which the owner's other imports wait. */
const CHUNK_ROWS = 500;
/** The texts of one chunk, in UTF-16 units, however few its rows are: the gateway's thread writes 1 MB in some 10 ms. */
const CHUNK_CHARS = 1_000_000;
/** Notices of one file; what is worth saying more often is no notice. */
const MAX_NOTICES = 50;
/** Rows of one file that are no cards: past this it is not the file that was meant. */
const MAX_BAD_ROWS = 10_000;

/** Reads a file from its first row to its last: once to check it, and once to give its rows out by the chunk. */
export class FileChunks {
  readonly #file: FileToRead;
  readonly #folder: RowFolder;
  readonly #rows: AsyncGenerator<FoldableRow>;
  /** The rows that were given out last. */
  #chunk: readonly FoldableRow[] = [];

  constructor(file: FileToRead, judge: QuestionJudge) {
    this.#file = file;
    this.#folder = new RowFolder({ judge, owner: file.owner, onDuplicate: file.onDuplicate, scope: '' });
    this.#rows = this.#foldable();
  }

  /** Reads the whole file and keeps nothing. BadInputError (`file`) where it cannot be used. */
  async check(): Promise<CheckedFile> {
    const notices = new Set<string>();
    const notice = (text: string): void => {
      if (notices.size < MAX_NOTICES) notices.add(text);
    };
    const headers = new Set<string>();
    let rows = 0;
    let bad = 0;
    for await (const row of this.#source(notice)) {
      rows += 1;
      if (rows > MAX_ROWS) throw new BadInputError('file', `has more than ${MAX_ROWS} rows: cut it in two`);
      for (const { header } of 'cells' in row ? row.cells : []) {
        if (headers.has(header) || headers.size >= MAX_NOTICES) continue;
        headers.add(header);
        if (fieldOfHeader(header, this.#file.mapping) === undefined) {
          notice(`the column ${JSON.stringify(header.slice(0, 100))} is passed over: it is no field of a card`);
        }
      }
      const card = this.#card(row);
      if ('card' in card) continue;
      bad += 1;
      if (bad > MAX_BAD_ROWS) {
        const last = card.problems.map(({ column, reason }) => (column === null ? reason : `${column}: ${reason}`))[0];
        throw new BadInputError(
          'file',
          `has more than ${MAX_BAD_ROWS} rows that are no cards, such as row ${card.row}: ${last}`,
        );
      }
    }
    if (rows === 0) throw new BadInputError('file', 'holds no rows');
    return { rows, notices: [...notices] };
  }

  /** Reads the next chunk of rows that are not stored yet, and answers which cards they may concern; null after the last. */
  async next(): Promise<WantedCards | null> {
    this.#folder.remember(this.#chunk);
    const chunk: FoldableRow[] = [];
    let chars = 0;
    while (chunk.length < CHUNK_ROWS && chars < CHUNK_CHARS) {
      const next = await this.#rows.next();
      if (next.done === true) break;
      chunk.push(next.value);
      chars += charsOf(next.value);
    }
    this.#chunk = chunk;
    return chunk.length === 0 ? null : this.#folder.wantedBy(chunk);
  }

  /** Folds the rows that were read last; again where they could not be stored. */
  fold(view: NotebookView): Folded {
    return this.#folder.fold(this.#chunk, view);
  }

  /** The rows after those that are stored; these count, because a row may come again. */
  async *#foldable(): AsyncGenerator<FoldableRow> {
    let place = 0;
    for await (const source of this.#source(() => undefined)) {
      const row = this.#folder.prepare(this.#card(source));
      place += 1;
      if (place <= this.#file.stored) this.#folder.remember([row]);
      else yield row;
    }
  }

  #source(onNotice: Notice): AsyncIterable<SourceRow> {
    const { format, path, mapping } = this.#file;
    return readFileRows(format, { path, mapping, onNotice });
  }

  #card(row: SourceRow): CardRow {
    const { format, mapping, now } = this.#file;
    return cardRow(row, { mapping, typed: TYPED.has(format), now });
  }
}

/** As long as the row is in the statements that it becomes part of. */
function charsOf(row: FoldableRow): number {
  return JSON.stringify('problems' in row ? row.problems : [row.card, row.occurrences]).length;
}

import { BadInputError } from '../../../domain/errors.js';
import { groupedBy } from '../../../domain/grouped.js';
import { columnOf } from '../source.js';

/** Merged cells of one column: the value is in the first and applies to all. */
interface ColumnMerge {
  readonly column: number;
  readonly fromRow: number;
  readonly toRow: number;
}

/** Limits of merged cells of one sheet, and of the rows of one; more indicates that the sheet is no table. */
const MAX_MERGES = 20_000;
const MAX_MERGED_ROWS = 1_000;
const MAX_MERGED_COLUMNS = 256;

const MERGE = /<(?:\w+:)?mergeCell\s[^<>]{0,200}?ref\s*=\s*"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g;
/** Overlap of two chunks: longer than a tag can be. */
const OVERLAP = 300;

/**
 * The merged cells of a sheet. They come after its rows, so the whole part is scanned for their tags before it is read
 * as XML. BadInputError (`file`) for merges that no table has.
 */
export async function readMerges(sheet: string, bytes: AsyncIterable<Buffer>): Promise<MergedColumns> {
  const merges: ColumnMerge[] = [];
  let count = 0;
  let rest = '';
  for await (const chunk of bytes) {
    const text = rest + chunk.toString('latin1');
    let end = 0;
    for (const match of text.matchAll(MERGE)) {
      end = match.index + match[0].length;
      count += 1;
      const [, fromColumn, fromRow, toColumn, toRow] = match as unknown as [string, string, string, string, string];
      const [rows, columns] = [Number(toRow) - Number(fromRow) + 1, columnOf(toColumn) - columnOf(fromColumn) + 1];
      if (rows > MAX_MERGED_ROWS || columns > MAX_MERGED_COLUMNS || count > MAX_MERGES) {
        throw new BadInputError('file', `the sheet ${JSON.stringify(sheet)} has too many merged cells: unmerge them`);
      }
      if (rows > 1) merges.push({ column: columnOf(fromColumn), fromRow: Number(fromRow), toRow: Number(toRow) });
    }
    rest = text.slice(Math.max(end, text.length - OVERLAP));
  }
  return new MergedColumns(merges);
}

/** Fills merged cells with their value, row by row. */
class MergedColumns {
  readonly #startingAt: ReadonlyMap<number, readonly ColumnMerge[]>;
  #active: { readonly merge: ColumnMerge; readonly value: unknown }[] = [];

  constructor(merges: readonly ColumnMerge[]) {
    this.#startingAt = groupedBy(merges, ({ fromRow }) => fromRow);
  }

  /** Fills the values of a row; to be called for every row, in order. */
  fill(row: number, values: unknown[]): void {
    this.#active = this.#active.filter(({ merge }) => merge.toRow >= row);
    for (const { merge, value } of this.#active) values[merge.column] ??= value;
    for (const merge of this.#startingAt.get(row) ?? [])
      this.#active.push({ merge, value: values[merge.column] ?? null });
  }
}

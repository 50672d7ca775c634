import { FILE_TYPES } from '../../src/domain/attachment.js';
import type { ColumnMapping, FileFormat, RowProblem } from '../../src/domain/import.js';
import { NO_MAPPING } from '../../src/domain/parse/import.js';
import { fieldOfHeader } from '../../src/exchange/formats/card-input.js';
import { READERS, TYPED } from '../../src/exchange/formats/read/file.js';
import { type CardRow, cardRow, type GoodRow } from '../../src/exchange/formats/rows.js';
import type { SourceRow } from '../../src/exchange/formats/source.js';

export { type Folder, makeFolder } from './folder.js';

/** The moment of rows that say none. */
export const IMPORTED_AT = new Date('2026-03-05T06:07:08.000Z');

/** As by default. */
export const FILE_LIMITS = { maxBytes: 5 * 2 ** 20, types: FILE_TYPES };

/** What a file is found to hold. */
export interface ReadFile {
  readonly rows: readonly CardRow[];
  readonly notices: readonly string[];
}

/** Reads a file as an import does. BadInputError if it is refused. */
export async function readAll(path: string, mapping: ColumnMapping = NO_MAPPING): Promise<ReadFile> {
  const notices: string[] = [];
  const format = formatOf(path);
  const rows: CardRow[] = [];
  for await (const row of READERS[format]({ path, mapping, onNotice: (text) => notices.push(text) })) {
    for (const { header } of 'cells' in row ? row.cells : []) {
      if (fieldOfHeader(header, mapping) === undefined) notices.push(`unknown: ${header}`);
    }
    rows.push(cardRow(row, { mapping, typed: TYPED.has(format), now: IMPORTED_AT, limits: FILE_LIMITS }));
  }
  return { rows, notices };
}

/** The rows of a file as they stand there. */
export async function sourceRows(path: string, mapping: ColumnMapping = NO_MAPPING): Promise<readonly SourceRow[]> {
  const rows: SourceRow[] = [];
  const parts = { path, mapping, onNotice: () => undefined };
  for await (const row of READERS[formatOf(path)](parts)) rows.push(row);
  return rows;
}

function formatOf(path: string): FileFormat {
  return path.slice(path.lastIndexOf('.') + 1) as FileFormat;
}

/** The card of a row; throws where the row is none. */
export function cardOf(row: CardRow | undefined): GoodRow['card'] {
  if (row === undefined || 'problems' in row) throw new Error(`no card: ${JSON.stringify(row)}`);
  return row.card;
}

/** The problems of a row; none where it is a card. */
export function problemsOf(row: CardRow | undefined): readonly RowProblem[] {
  return row !== undefined && 'problems' in row ? row.problems : [];
}

/** A text in the encoding that Chinese programs call ANSI: characters of two bytes, and ASCII. */
export const inGb18030 = encoderOf('gb18030');

/** A text as programs in traditional Chinese write it. */
export const inBig5 = encoderOf('big5');

function encoderOf(encoding: 'gb18030' | 'big5'): (text: string) => Uint8Array {
  let made: ReadonlyMap<string, readonly number[]> | undefined;
  return (text) => {
    made ??= twoByteCharacters(encoding);
    const table = made;
    return Uint8Array.from(
      [...text].flatMap((char) => {
        const code = char.charCodeAt(0);
        const bytes = code < 0x80 ? [code] : table.get(char);
        if (bytes === undefined) throw new Error(`${char} has no two bytes in ${encoding}`);
        return bytes;
      }),
    );
  };
}

/** Node decodes such an encoding and does not encode it: the table is what it decodes. */
function twoByteCharacters(encoding: string): ReadonlyMap<string, readonly number[]> {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, readonly number[]>();
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      if (trail === 0x7f) continue;
      const char = decoder.decode(Uint8Array.of(lead, trail));
      if ([...char].length === 1 && char !== '\ufffd' && !table.has(char)) table.set(char, [lead, trail]);
    }
  }
  return table;
}

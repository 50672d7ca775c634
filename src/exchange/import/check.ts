import { BadInputError } from '../../domain/errors.js';
import type { ColumnMapping, FileFormat } from '../../domain/import.js';
import { fieldOfHeader } from '../formats/card-input.js';
import { readFileRows } from '../formats/read/file.js';
import { MAX_ROWS } from '../formats/source.js';
import { pace } from './pace.js';

/** Notices of one file; what is worth saying more often is no notice. */
const MAX_NOTICES = 50;

/** A file that can be imported. */
export interface CheckedFile {
  readonly rows: number;
  /** What is passed over in it, for people. */
  readonly notices: readonly string[];
}

/** Reads a file from its first row to its last, and stores nothing. BadInputError (`file`) where it cannot be used. */
export async function checkFile(
  path: string,
  format: FileFormat,
  mapping: ColumnMapping,
  signal: AbortSignal,
): Promise<CheckedFile> {
  const notices = new Set<string>();
  const onNotice = (text: string): void => {
    if (notices.size < MAX_NOTICES) notices.add(text);
  };
  const headers = new Set<string>();
  const breathe = pace();
  let rows = 0;
  for await (const row of readFileRows(format, { path, mapping, onNotice })) {
    rows += 1;
    if (rows > MAX_ROWS) throw new BadInputError('file', `has more than ${MAX_ROWS} rows: cut it in two`);
    for (const { header } of 'cells' in row ? row.cells : []) {
      if (headers.has(header) || headers.size >= MAX_NOTICES) continue;
      headers.add(header);
      if (fieldOfHeader(header, mapping) === undefined) {
        onNotice(`the column ${JSON.stringify(header.slice(0, 100))} is passed over: it is no field of a card`);
      }
    }
    signal.throwIfAborted();
    await breathe();
  }
  if (rows === 0) throw new BadInputError('file', 'holds no rows');
  return { rows, notices: [...notices] };
}

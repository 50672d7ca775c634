import { BadInputError } from '../../../domain/errors.js';
import { type Cell, MAX_COLUMNS, MAX_JSON_ROW_BYTES, MAX_LINES, type SourceRow } from '../source.js';
import { lines } from './lines.js';

/** The rows of a JSON Lines file: one object a line, empty lines are skipped. A bad line is a row with a problem. */
export async function* readJsonl(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceRow> {
  for await (const { number, bytes } of lines(chunks, MAX_JSON_ROW_BYTES)) {
    if (number > MAX_LINES) throw new BadInputError('file', `has more than ${MAX_LINES} lines`);
    if (bytes !== null && isBlank(bytes)) continue;
    yield jsonRow(number, bytes);
  }
}

/** JSON's own blanks, and the byte order mark that some editors write before them. */
function isBlank(bytes: Buffer): boolean {
  return bytes.every(
    (byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0xef || byte === 0xbb || byte === 0xbf,
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Problem of a row that exceeds the size limit. */
const TOO_LONG = `is longer than ${MAX_JSON_ROW_BYTES / 2 ** 20} MB`;

/** Parses the bytes of one JSON object as a row, with its keys as headers. */
export function jsonRow(row: number, bytes: Buffer | null): SourceRow {
  if (bytes === null) return { sheet: null, row, problem: TOO_LONG };
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { sheet: null, row, problem: 'is not valid UTF-8' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return { sheet: null, row, problem: `is not valid JSON: ${(thrown as Error).message}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { sheet: null, row, problem: 'is not a JSON object' };
  }
  const cells = Object.entries(value).map(([header, held]): Cell => ({ header, value: held }));
  if (cells.length > MAX_COLUMNS) return { sheet: null, row, problem: `has more than ${MAX_COLUMNS} fields` };
  return { sheet: null, row, cells };
}

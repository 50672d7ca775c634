import { BadInputError } from '../../../domain/errors.js';
import { MAX_JSON_ROW_BYTES, MAX_LINES, type SourceRow } from '../source.js';
import { jsonRow } from './json-rows.js';
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

import type { ColumnMapping } from '../../../domain/import.js';
import { fieldOfHeader } from '../card-input.js';
import { HEADER_WITHIN } from '../header-names.js';
import { MAX_ROW_BYTES, type TableRow } from '../source.js';
import { unguarded } from '../values/guard.js';
import { CsvParser, type CsvRow, DELIMITERS, namesBy } from './csv-parser.js';
import { decoded, encodingOf } from './encoding.js';
import type { Encoding } from './encodings.js';

/** The rows of a CSV file of cards, without blank ones. BadInputError (`file`) if it cannot be read. */
export async function* readCsv(path: string, mapping: ColumnMapping): AsyncGenerator<TableRow> {
  for await (const { row, cells } of csvRows(path, (name) => fieldOfHeader(name, mapping) != null)) {
    yield { sheet: null, row, values: cells.map((cell) => (cell === '' ? null : unguarded(cell))) };
  }
}

/** The rows of a CSV file whose header has names that `isKnown`. BadInputError (`file`) if it cannot be read. */
export async function* csvRows(path: string, isKnown: (header: string) => boolean): AsyncGenerator<CsvRow> {
  const encoding = await encodingOf(path);
  const parser = new CsvParser(await delimiterOf(path, encoding, isKnown));
  for await (const text of decoded(path, encoding)) yield* parser.push(text);
  yield* parser.end();
}

/** The delimiter that gives one of the first lines the most known headers. */
async function delimiterOf(path: string, encoding: Encoding, isKnown: (header: string) => boolean): Promise<string> {
  let text = '';
  for await (const piece of decoded(path, encoding)) {
    text += piece;
    if (text.split('\n').length > HEADER_WITHIN || text.length > MAX_ROW_BYTES) break;
  }
  const lines = text.split(/\r\n|\n|\r/).slice(0, HEADER_WITHIN);
  const known = (delimiter: string): number => namesBy(delimiter, lines, isKnown);
  return DELIMITERS.reduce((best, delimiter) => (known(delimiter) > known(best) ? delimiter : best));
}

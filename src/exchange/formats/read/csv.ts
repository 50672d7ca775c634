import { Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { BadInputError } from '../../../domain/errors.js';
import type { ColumnMapping } from '../../../domain/import.js';
import { fieldOfHeader } from '../card-input.js';
import { MAX_ROW_BYTES, type TableRow } from '../source.js';
import { decoded, type Encoding, encodingOf } from './encoding.js';

/** What stands between two cells: a comma, or what programs of other countries write. */
const DELIMITERS = [',', '\t', ';'] as const;
/** The lines in which the header is looked for, to see what stands between its names. */
const FIRST_LINES = 20;

/** An apostrophe that keeps a spreadsheet from computing what follows; it is no part of the text. */
const GUARD = /^'(?='*[=+\-@\t\r\n])/;

/** The rows of a table in a CSV file. A row's place is its number in a spreadsheet. BadInputError (`file`) where it cannot be read. */
export async function* readCsv(path: string, mapping: ColumnMapping): AsyncGenerator<TableRow> {
  const encoding = await encodingOf(path);
  const parser = parse({
    delimiter: await delimiterOf(path, encoding, mapping),
    info: true,
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
  });
  const source = Readable.from(decoded(path, encoding));
  source.once('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let row = 0;
  try {
    for await (const { record } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      row += 1;
      yield { sheet: null, row, values: record.map((cell) => (cell === '' ? null : cell.replace(GUARD, ''))) };
    }
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    throw new BadInputError('file', `row ${Number(thrown.records) + 1} ${reasonOf(thrown)}`);
  } finally {
    source.destroy();
  }
}

function reasonOf({ code, lines }: CsvError & { readonly lines?: number }): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'begins a quoted cell that does not end before the file does: a quote is missing';
    case 'CSV_MAX_RECORD_SIZE':
      return `is longer than ${MAX_ROW_BYTES / 1024} kB: is a quote not closed?`;
    default:
      return `cannot be read (line ${lines ?? 'unknown'}): a cell with quotes must be in quotes, and those in it be written twice`;
  }
}

/** The delimiter under which most names of one of the first lines are known. */
async function delimiterOf(path: string, encoding: Encoding, mapping: ColumnMapping): Promise<string> {
  let text = '';
  for await (const piece of decoded(path, encoding)) {
    text += piece;
    if (text.split('\n').length > FIRST_LINES || text.length > MAX_ROW_BYTES) break;
  }
  const lines = text.split(/\r?\n/).slice(0, FIRST_LINES);
  const known = (delimiter: string): number =>
    Math.max(
      ...lines.map((line) => {
        const names = line.split(delimiter).map((name) => name.replace(/^\s*"|"\s*$/g, ''));
        return names.filter((name) => fieldOfHeader(name, mapping) != null).length;
      }),
    );
  return DELIMITERS.reduce((best, delimiter) => (known(delimiter) > known(best) ? delimiter : best));
}

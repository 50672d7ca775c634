import { createHash } from 'node:crypto';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { ATTEMPT_FIELDS, type AttemptKind } from '../domain/practice.js';
import { CsvParser } from '../exchange/formats/read/csv-parser.js';
import { decoded, encodingOf } from '../exchange/formats/read/encoding.js';
import { momentOf } from '../exchange/formats/values/moments.js';

/** A row as an AttemptInput, or its problem. */
export type AttemptRow = { readonly row: number } & (
  | { readonly attempt: Readonly<Record<string, unknown>> }
  | { readonly problem: string }
);

/** Readers of cells that are not texts. */
const READERS: Readonly<Partial<Record<AttemptKind, (cell: string) => unknown>>> = {
  flag,
  hints: Number,
  milliseconds: Number,
  moment,
};

/** Fields by column name, in lower case without punctuation. */
const COLUMNS: Readonly<Record<string, readonly [field: string, read: (cell: string) => unknown]>> = Object.fromEntries(
  Object.entries(ATTEMPT_FIELDS).map(([field, { kind }]) => [field.toLowerCase(), [field, READERS[kind] ?? String]]),
);

const DELIMITERS = [',', '\t', ';'] as const;

/** The attempts of a .csv or .jsonl file. StartupError (66) if it cannot be read. */
export async function* readAttemptFile(file: string): AsyncGenerator<AttemptRow> {
  try {
    yield* /\.jsonl?$/i.test(file) ? readLines(file) : readTable(file);
  } catch (thrown) {
    if (thrown instanceof StartupError) throw thrown;
    throw new StartupError(`${file} cannot be read: ${(thrown as Error).message}`, EXIT.input, { cause: thrown });
  }
}

async function* readTable(file: string): AsyncGenerator<AttemptRow> {
  let parser: CsvParser | null = null;
  let header: readonly (keyof typeof COLUMNS | null)[] | null = null;
  let start = '';
  for await (const piece of decoded(file, await encodingOf(file))) {
    if (parser === null) {
      start += piece;
      const end = start.search(/[\r\n]/);
      if (end === -1) continue;
      parser = new CsvParser(delimiterOf(start.slice(0, end)));
    }
    for (const { row, cells } of parser.push(start === '' ? piece : start)) {
      if (header === null) header = headerOf(cells, file);
      else yield rowOf(row, header, cells);
    }
    start = '';
  }
  for (const { row, cells } of parser?.end() ?? []) {
    if (header !== null) yield rowOf(row, header, cells);
  }
  if (header === null) throw new StartupError(`${file} has no header`, EXIT.input);
}

async function* readLines(file: string): AsyncGenerator<AttemptRow> {
  let rest = '';
  let row = 0;
  const lineOf = (line: string): AttemptRow | null => {
    row += 1;
    if (line.trim() === '') return null;
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return { row, problem: 'must be a JSON object' };
      }
      return { row, attempt: withKey(value as Record<string, unknown>) };
    } catch (thrown) {
      return { row, problem: `is not JSON: ${(thrown as Error).message}` };
    }
  };
  for await (const piece of decoded(file, await encodingOf(file))) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const read = lineOf(line);
      if (read !== null) yield read;
    }
  }
  const last = lineOf(rest);
  if (last !== null) yield last;
}

function delimiterOf(header: string): string {
  const count = (delimiter: string): number => header.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}

function headerOf(cells: readonly string[], file: string): readonly (string | null)[] {
  const names = cells.map((cell) => cell.toLowerCase().replace(/[^a-z]/g, ''));
  const known = names.map((name) => (Object.hasOwn(COLUMNS, name) ? name : null));
  for (const needed of ['cardid', 'correct', 'at']) {
    if (!known.includes(needed)) {
      throw new StartupError(`${file} has no column ${COLUMNS[needed]?.[0]}`, EXIT.input);
    }
  }
  return known;
}

function rowOf(row: number, header: readonly (string | null)[], cells: readonly string[]): AttemptRow {
  const attempt: Record<string, unknown> = {};
  for (const [place, name] of header.entries()) {
    const cell = cells[place]?.trim() ?? '';
    const column = name === null ? undefined : COLUMNS[name];
    if (column === undefined || cell === '') continue;
    attempt[column[0]] = column[1](cell);
  }
  return { row, attempt: withKey(attempt) };
}

/** A row without a key gets one from its contents, so that an attempt is stored once, however often it is imported. */
function withKey(attempt: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (attempt.key !== undefined && attempt.key !== null) return attempt;
  const said = JSON.stringify(Object.entries(attempt).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...attempt, key: createHash('sha256').update(said).digest('base64url').slice(0, 22) };
}

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  '1': true,
  对: true,
  是: true,
  false: false,
  no: false,
  '0': false,
  错: false,
  否: false,
};

/** Other values are returned unchanged, so that the parser of attempts names the field. */
function flag(cell: string): unknown {
  return FLAGS[cell.toLowerCase()] ?? cell;
}

function moment(cell: string): unknown {
  return momentOf(cell)?.toISOString() ?? cell;
}

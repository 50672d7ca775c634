import { BadInputError } from '../../../domain/errors.js';
import { MAX_COLUMNS, MAX_LINES, MAX_ROW_BYTES } from '../source.js';

/** Cell separators: a comma, or those that programs of other countries write. */
export const DELIMITERS = [',', '\t', ';'] as const;

/** How many names that `isKnown` one of the lines has at most, if its cells are separated so. */
export function namesBy(delimiter: string, lines: readonly string[], isKnown: (name: string) => boolean): number {
  const cellsOf = (line: string): readonly string[] =>
    line.split(delimiter).map((cell) => cell.replace(/^\s*"|"\s*$/g, ''));
  return Math.max(...lines.map((line) => cellsOf(line).filter(isKnown).length));
}

const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x0a, 0x0d];

/** A row of a CSV file that is not blank. */
export interface CsvRow {
  /** Its number in a spreadsheet: blank rows count, and line breaks in quotes do not. */
  readonly row: number;
  readonly cells: readonly string[];
}

/**
 * Streaming CSV parser (RFC 4180); rows end in CR LF, LF or CR. BadInputError (`file`) for invalid CSV, and as soon as
 * a limit is exceeded.
 *
 * csv-parse builds an Error for each row that is shorter or longer than the first: 64 KiB of blank lines took it 1.6 s.
 */
export class CsvParser {
  readonly #delimiter: number;
  #rows: CsvRow[] = [];
  #row = 1;
  #cells: string[] = [];
  #cell = '';
  #rowChars = 0;
  /** Parser state: at the beginning of a cell, in a plain cell, in quotes, after a quote in quotes, or after CR. */
  #state: 'BEGIN' | 'PLAIN' | 'QUOTED' | 'QUOTE' | 'CR' = 'BEGIN';

  /** @param delimiter one character. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** Returns the rows that end in this chunk. */
  push(text: string): readonly CsvRow[] {
    for (let at = 0; at < text.length; ) {
      if (this.#state === 'PLAIN') at = this.#plain(text, at);
      else if (this.#state === 'QUOTED') at = this.#quoted(text, at);
      else at += this.#step(text.charCodeAt(at)) ? 1 : 0;
    }
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** Returns the last row, if no line break ends it. */
  end(): readonly CsvRow[] {
    if (this.#state === 'QUOTED')
      this.#refuse('begins a quoted cell that does not end before the file does: a quote is missing');
    if (this.#cells.length > 0 || this.#cell !== '' || this.#state === 'QUOTE') this.#endRow();
    return this.#rows;
  }

  /** Reads up to the end of an unquoted cell, or of the chunk; returns that position. */
  #plain(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === this.#delimiter || code === LINE_FEED || code === CARRIAGE_RETURN) {
        this.#keep(text, from, at);
        this.#separate(code);
        return at + 1;
      }
      if (code !== QUOTE) continue;
      // ="007": so programs write a text of digits that Excel shall not read as a number.
      if (this.#cell + text.slice(from, at) !== '=')
        this.#refuse('has a quote in a cell without quotes around it: put the cell in quotes, and double those in it');
      this.#cell = '';
      this.#state = 'QUOTED';
      return at + 1;
    }
    this.#keep(text, from, text.length);
    return text.length;
  }

  #quoted(text: string, from: number): number {
    const quote = text.indexOf('"', from);
    this.#keep(text, from, quote === -1 ? text.length : quote);
    if (quote === -1) return text.length;
    this.#state = 'QUOTE';
    return quote + 1;
  }

  /** Consumes a character that may begin a cell, or follow a quote or CR; false if it was not consumed. */
  #step(code: number): boolean {
    if (this.#state === 'CR' && code === LINE_FEED) {
      this.#state = 'BEGIN';
      return true;
    }
    if (this.#state === 'QUOTE') {
      if (code === QUOTE) {
        this.#keep('"', 0, 1);
        this.#state = 'QUOTED';
      } else if (!this.#separate(code))
        this.#refuse('has text after the closing quote of a cell: double the quotes in it');
      return true;
    }
    this.#state = code === QUOTE ? 'QUOTED' : 'PLAIN';
    return code === QUOTE;
  }

  /** Ends the cell, and the row, if the character is a separator. */
  #separate(code: number): boolean {
    if (code === this.#delimiter) this.#endCell();
    else if (code === LINE_FEED || code === CARRIAGE_RETURN) this.#endRow();
    else return false;
    this.#state = code === CARRIAGE_RETURN ? 'CR' : 'BEGIN';
    return true;
  }

  #keep(text: string, from: number, to: number): void {
    this.#rowChars += to - from;
    if (this.#rowChars > MAX_ROW_BYTES)
      this.#refuse(`is longer than ${MAX_ROW_BYTES} characters: is a quote not closed?`);
    this.#cell += text.slice(from, to);
  }

  #endCell(): void {
    this.#rowChars += 1;
    if (this.#cells.length < MAX_COLUMNS) this.#cells.push(this.#cell);
    else if (this.#cell !== '') this.#refuse(`has values beyond column ${MAX_COLUMNS}`);
    this.#cell = '';
  }

  #endRow(): void {
    const isBlank = this.#cells.length === 0 && this.#cell === '';
    if (!isBlank) {
      this.#endCell();
      this.#rows.push({ row: this.#row, cells: this.#cells });
      this.#cells = [];
    }
    this.#rowChars = 0;
    this.#row += 1;
    if (this.#row > MAX_LINES + 1)
      throw new BadInputError('file', `has more than ${MAX_LINES} rows, including blank ones`);
  }

  #refuse(reason: string): never {
    throw new BadInputError('file', `row ${this.#row} ${reason}`);
  }
}

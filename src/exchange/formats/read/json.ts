import { BadInputError } from '../../../domain/errors.js';
import { MAX_JSON_ROW_BYTES, MAX_SHEET_NAME_CHARS, type SourceRow } from '../source.js';
import { jsonRow } from './jsonl.js';

const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, QUOTE, BACKSLASH, COMMA, COLON, LINE_FEED] = Buffer.from(
  '[]{}"\\,:\n',
) as unknown as [number, number, number, number, number, number, number, number, number];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * The rows of a JSON file that is one list of objects, `[{...}, {...}]`, or lists by category, `{"math": [{...}],
 * ...}`, whose names stand for sheets. Rows are numbered by their place in their list from 1 on. The lists are cut into
 * their entries byte by byte and only one entry is kept at a time. BadInputError (`file`) for any other form.
 */
export async function* readJson(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceRow> {
  const list = new ListCutter();
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const ended = list.next(chunk[at] as number);
      if (!ended) continue;
      list.keep(chunk.subarray(from, at));
      from = at + 1;
      const entry = list.take();
      if (entry !== null) yield entry;
    }
    list.keep(chunk.subarray(from));
  }
  list.end();
}

/** Text between two lists: the name of the second one. */
const CATEGORY = /^\s*(,\s*)?("(?:[^"\\]|\\.)*")\s*:\s*$/;

/** Tracks nesting and strings of lists to find the ends of their entries. */
class ListCutter {
  #line = 1;
  #depth = 0;
  /** The depth around the lists: 1 in an object of lists. */
  #around = 0;
  /** The name of the list; null for the only one. */
  #sheet: string | null = null;
  #lists = 0;
  #beginsList = false;
  #inText = false;
  #escaped = false;
  #isClosed = false;
  #kept: Buffer[] = [];
  #length = 0;
  /** Whether the entry has begun: a list may be empty. */
  #hasBegun = false;
  #entries = 0;
  #marks = 0;

  /** Processes one byte; true if it ends an entry, or begins the list. */
  next(byte: number): boolean {
    if (byte === LINE_FEED) this.#line += 1;
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inText = false;
      return false;
    }
    if (isBlank(byte)) return false;
    if (this.#depth <= this.#around) return this.#outside(byte);
    if (byte !== COMMA && byte !== CLOSE_LIST) this.#hasBegun = true;
    if (byte === QUOTE) this.#inText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#isClosed = true;
      return this.#depth === this.#around;
    }
    if (byte !== COMMA || this.#depth > this.#around + 1) return false;
    if (!this.#hasBegun)
      throw new BadInputError('file', `entry ${this.#entries + 1} is missing: line ${this.#line} has an extra comma`);
    return true;
  }

  /** Appends bytes of the entry, up to the size limit of a row. */
  keep(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= MAX_JSON_ROW_BYTES) this.#kept.push(bytes);
    else this.#kept = [];
  }

  /** The entry that has just ended; null if there is none. */
  take(): SourceRow | null {
    const bytes = this.#length > MAX_JSON_ROW_BYTES ? null : Buffer.concat(this.#kept);
    const isEntry = this.#hasBegun;
    if (this.#beginsList) this.#begin(bytes?.toString('utf8') ?? '');
    else if (this.#isClosed && this.#around === 1 && bytes?.toString('utf8').trim() !== '') throw this.#otherForm();
    this.#kept = [];
    this.#length = 0;
    this.#hasBegun = false;
    if (!isEntry) return null;
    this.#entries += 1;
    return { ...jsonRow(this.#entries, bytes), sheet: this.#sheet };
  }

  /** End of the file. BadInputError if the list is not closed. */
  end(): void {
    if (this.#isClosed) return;
    throw new BadInputError('file', `ends on line ${this.#line} before the list of cards does`);
  }

  #outside(byte: number): boolean {
    if (this.#marks < 3 && byte === BYTE_ORDER_MARK[this.#marks]) {
      this.#marks += 1;
      return false;
    }
    if (this.#isClosed) throw this.#otherForm();
    // Programs of Windows begin UTF-16 with one of these; no UTF-8 text has them.
    if (byte === 0xfe || byte === 0xff) throw new BadInputError('file', 'is not valid UTF-8');
    if (byte === OPEN_OBJECT && this.#depth === 0) {
      this.#depth = 1;
      this.#around = 1;
      return true;
    }
    if (this.#around === 1 && byte === QUOTE) this.#inText = true;
    else if (this.#around === 1 && byte === CLOSE_OBJECT && this.#lists > 0) {
      this.#depth = 0;
      this.#isClosed = true;
      return true;
    } else if (byte === OPEN_LIST) {
      this.#depth += 1;
      this.#beginsList = true;
      return true;
    } else if (this.#around === 0 || (byte !== COMMA && byte !== COLON)) throw this.#otherForm();
    return false;
  }

  #begin(text: string): void {
    this.#beginsList = false;
    this.#lists += 1;
    this.#entries = 0;
    if (this.#around === 0) return;
    const [, comma, name] = CATEGORY.exec(text) ?? [];
    if (name === undefined || (comma === undefined) !== (this.#lists === 1)) throw this.#otherForm();
    try {
      this.#sheet = (JSON.parse(name) as string).slice(0, MAX_SHEET_NAME_CHARS);
    } catch {
      throw this.#otherForm();
    }
  }

  #otherForm(): BadInputError {
    return new BadInputError(
      'file',
      `must hold one list of cards, [{...}, ...], or lists by category, {"math": [{...}, ...]}: line ${this.#line} has something else`,
    );
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

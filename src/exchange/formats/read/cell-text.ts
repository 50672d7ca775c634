import { BadInputError } from '../../../domain/errors.js';

/**
 * Characters of a cell. Excel allows 32,767 ("Excel specifications and limits"). An export writes up to 211,393 for the
 * metadata of a card: 32 entries in JSON, keys and values of 100 and 1,000 control characters, each as six. A longer
 * cell indicates a malicious file.
 */
const MAX_CELL_CHARS = 220_000;
/** A character that XML cannot represent takes seven: _x000D_. */
const MAX_WRITTEN_CHARS = 7 * MAX_CELL_CHARS;

/** Collects the text of one cell. */
export class CellText {
  #written = '';

  clear(): void {
    this.#written = '';
  }

  /** BadInputError (`file`) as soon as it exceeds the limit of a cell. */
  add(piece: string): void {
    this.#written += piece;
    if (this.#written.length > MAX_WRITTEN_CHARS) throw tooLong();
  }

  /** The unescaped text. BadInputError (`file`). */
  read(): string {
    const text = unescaped(this.#written);
    if (text.length > MAX_CELL_CHARS) throw tooLong();
    return text;
  }
}

/** Joins the runs of a rich text, without phonetic guides of Chinese characters. */
export class TextReader {
  readonly #text = new CellText();
  #isOpen = false;
  #inRun = false;
  #inPhonetic = false;

  constructor(private readonly onText: (text: string) => void) {}

  open(name: string, element: string): void {
    if (name === element) {
      this.#isOpen = true;
      this.#text.clear();
    } else if (name === 'rPh') this.#inPhonetic = true;
    else if (name === 't') this.#inRun = this.#isOpen && !this.#inPhonetic;
  }

  close(name: string, element: string): void {
    if (name === 't') this.#inRun = false;
    else if (name === 'rPh') this.#inPhonetic = false;
    else if (name === element) {
      this.#isOpen = false;
      this.onText(this.#text.read());
    }
  }

  text(text: string): void {
    if (this.#inRun) this.#text.add(text);
  }
}

/** Workbooks write characters that XML cannot represent as _x000D_. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function tooLong(): BadInputError {
  return new BadInputError('file', `has a cell with more than ${MAX_CELL_CHARS} characters`);
}

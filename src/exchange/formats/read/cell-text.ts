import { BadInputError } from '../../../domain/errors.js';
import { SUBSCRIPT_MEANINGS, SUBSCRIPTS, SUPERSCRIPT_MEANINGS, SUPERSCRIPTS } from '../../../text/latex-commands.js';

/**
 * Characters of a cell. Excel allows 32,767 ("Excel specifications and limits"). An export writes up to 211,393 for the
 * metadata of a card: 32 entries in JSON, keys and values of 100 and 1,000 control characters, each as six. A longer
 * cell indicates a malicious file.
 */
const MAX_CELL_CHARS = 220_000;
/** A character that XML cannot represent takes seven: _x000D_. */
const MAX_WRITTEN_CHARS = 7 * MAX_CELL_CHARS;

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

/** Joins the runs of a rich text, without phonetic guides of Chinese characters; raised and lowered ones by signs. */
export class TextReader {
  readonly #text = new CellText();
  #run = '';
  #isOpen = false;
  #inRun = false;
  #inPhonetic = false;
  /** `superscript` or `subscript`, of the current run. */
  #position = '';

  /** @param element the one that holds a text. */
  constructor(
    private readonly element: 'si' | 'is',
    private readonly onText: (text: string) => void,
  ) {}

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === this.element) {
      this.#isOpen = true;
      this.#text.clear();
      this.#position = '';
    } else if (name === 'r') this.#position = '';
    else if (name === 'vertAlign') this.#position = attributes.val ?? '';
    else if (name === 'rPh') this.#inPhonetic = true;
    else if (name === 't') {
      this.#inRun = this.#isOpen && !this.#inPhonetic;
      this.#run = '';
    }
  }

  close(name: string): void {
    if (name === 't' && this.#inRun) {
      this.#inRun = false;
      this.#text.add(shifted(this.#run, this.#position));
    } else if (name === 'rPh') this.#inPhonetic = false;
    else if (name === this.element) {
      this.#isOpen = false;
      this.onText(this.#text.read());
    }
  }

  text(text: string): void {
    if (this.#inRun) this.#run += text;
  }
}

const ORDINAL = /^(?:st|nd|rd|th)$/;

/**
 * The text of a raised or lowered run: x² and H₂O by the characters for it, e^x where there are none. Ordinals (1st),
 * Chinese and references ([1]) stay as they are. The preview of the studio uses it too.
 */
export function shifted(run: string, position: string): string {
  const isRaised = position === 'superscript';
  // Chinese keyboards type full-width digits and signs.
  const text = run.normalize('NFKC').replaceAll('−', '-');
  if ((!isRaised && position !== 'subscript') || !/^[\w+\-=().,/]+$/.test(text) || ORDINAL.test(text)) return run;
  const [signs, meanings] = isRaised ? [SUPERSCRIPTS, SUPERSCRIPT_MEANINGS] : [SUBSCRIPTS, SUBSCRIPT_MEANINGS];
  const places = [...text].map((char) => meanings.indexOf(char));
  if (!places.includes(-1)) return places.map((place) => signs[place]).join('');
  return `${isRaised ? '^' : '_'}${text.length === 1 ? text : `(${text})`}`;
}

/** Workbooks write characters that XML cannot represent as _x000D_. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function tooLong(): BadInputError {
  return new BadInputError('file', `has a cell with more than ${MAX_CELL_CHARS} characters`);
}

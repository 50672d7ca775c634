import { markerLength } from './refusal.js';

/** A piece of an answer after its citations were checked. */
export type CheckedPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'citation'; readonly label: string };

const OPENING = /[[【［〔]/;

/** Characters that a citation may have between its brackets; at any other, the bracket is ordinary text. */
const INSIDE = /[sSＳｓ\p{Nd}\s,，、;；&+^\-–—~和与及and\p{Cf}]/u;
const OPEN_END = new RegExp(`${OPENING.source}${INSIDE.source}*$`, 'u');
const CLOSED = /[\]】］〕]/;

/** A longer bracket is no citation. */
const MAX_CHARS = 80;

/** `S1`, `s2`, `Ｓ３`, and what stands between two of them: a list, or a range. */
const LABELS = /s\s*(\d{1,4})(?:\s*[-–—~]\s*s?\s*(\d{1,4}))?/giu;

/**
 * Checks the citations of an answer while it streams. A label in brackets leaves it as `[S1]`, and only if the context
 * has it; a bracket is held back until it is known what is in it. Markers of refusals are removed.
 */
export class CitationChecker {
  readonly #known: ReadonlySet<string>;
  #held = '';
  #dropped = 0;
  /** The end of the text so far. */
  #tail = '';

  constructor(labels: Iterable<string>) {
    this.#known = new Set(labels);
  }

  /** How many labels were taken out because the context does not have them. */
  get dropped(): number {
    return this.#dropped;
  }

  push(text: string): readonly CheckedPiece[] {
    const pieces: CheckedPiece[] = [];
    this.#held += text;
    for (;;) {
      const at = this.#held.search(OPENING);
      if (at < 0) {
        this.#add(pieces, this.#held);
        this.#held = '';
        return pieces;
      }
      this.#add(pieces, this.#held.slice(0, at));
      this.#held = this.#held.slice(at);
      const end = this.#bracketEnd();
      if (end === null) return pieces;
      const bracket = this.#held.slice(0, end);
      this.#held = this.#held.slice(end);
      this.#check(pieces, bracket);
    }
  }

  /** Returns the text that is still buffered. */
  end(): readonly CheckedPiece[] {
    const pieces: CheckedPiece[] = [];
    this.#check(pieces, this.#held);
    this.#held = '';
    return pieces;
  }

  /** Where the bracket at the beginning ends, or where it is known to be none; null while it may go on. */
  #bracketEnd(): number | null {
    const marker = markerLength(this.#held);
    if (marker !== null) return marker ?? null;
    for (let at = 1; at < this.#held.length; at += 1) {
      const character = String.fromCodePoint(this.#held.codePointAt(at) as number);
      if (CLOSED.test(character)) return at + 1;
      if (!INSIDE.test(character) || at >= MAX_CHARS) return at;
      // The second half of a surrogate pair.
      at += character.length - 1;
    }
    return null;
  }

  /** A bracket with labels becomes those of them that the context has; any other is text, except a marker. */
  #check(pieces: CheckedPiece[], bracket: string): void {
    const isMarker = markerLength(bracket) === bracket.length;
    const plain = bracket.normalize('NFKC').replace(/\p{Cf}/gu, '');
    const labels = [...plain.matchAll(LABELS)].flatMap(([, first, last]) =>
      range(Number(first), Number(last ?? first)),
    );
    if (isMarker) this.#drop(pieces);
    else if (labels.length === 0) this.#add(pieces, bracket);
    for (const label of labels) {
      if (this.#known.has(label)) {
        this.#add(pieces, `[${label}]`);
        pieces.push({ kind: 'citation', label });
        continue;
      }
      this.#dropped += 1;
      this.#drop(pieces);
    }
  }

  /** What stands behind the bracket must not become the inside of one that was open before it. */
  #drop(pieces: CheckedPiece[]): void {
    if (OPEN_END.test(this.#tail)) this.#add(pieces, '…');
  }

  #add(pieces: CheckedPiece[], text: string): void {
    if (text === '') return;
    pieces.push({ kind: 'text', text });
    this.#tail = `${this.#tail}${text}`.slice(-MAX_CHARS);
  }
}

const CITATION = new RegExp(`(?:(?<!\\s)\\s+)?${OPENING.source}${INSIDE.source}*${CLOSED.source}\\s*`, 'gu');

/** A text without its citations, and without the blanks beside them: `7 [S1] / 8` is `7/ 8`. */
export function uncited(text: string): string {
  return text.replace(CITATION, (found) => (found.normalize('NFKC').search(LABELS) < 0 ? found : ''));
}

/** Of a range too long to be meant, its ends. */
function range(first: number, last: number): readonly string[] {
  if (last < first || last - first > 10) return [...new Set([`S${first}`, `S${last}`])];
  return Array.from({ length: last - first + 1 }, (_, place) => `S${first + place}`);
}

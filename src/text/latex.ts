import { handwritten } from './code-formulas.js';
import {
  DROPPED_WITH_ARGUMENT,
  FRACTIONS,
  FUNCTIONS,
  LAYOUT,
  SAME_CHARACTER,
  SUBSCRIPT_MEANINGS,
  SUBSCRIPTS,
  SUPERSCRIPT_MEANINGS,
  SUPERSCRIPTS,
  SYMBOLS,
  TEXT_WRAPPERS,
  VECTORS,
} from './latex-commands.js';
import { markupAsLatex } from './mathml.js';
import { enclosed, power, quotient } from './operands.js';
import { typedFormulas } from './typed-formulas.js';

/**
 * Depth of nested groups. Deeper braces are dropped, which at worst loses the end of a fraction; no real formula comes
 * near, and a text of 100,000 opening braces must not exhaust the stack.
 */
const MAX_DEPTH = 40;

/** Runs of other characters are copied. */
const SPECIAL =
  '\\\\{}$~^_*·\u00bc-\u00be\u2150-\u215e−–⋅∙∗✕✖∕⁄∶≦⩽≧⩾≅∼∆º˚℃℉µϕϵ∘∣⊿⋂⋃⊊⫋⟶⟹′’‘∛⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣᵐᵏ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙₓ';
const HAS_SPECIAL = new RegExp(`[${SPECIAL}]`);
const PLAIN = new RegExp(`[^${SPECIAL}]+`, 'y');

const COMMAND = /\\(?:([A-Za-z]+)\*?|([^A-Za-z]))/y;
const OVER = /\\over(?![A-Za-z])/y;
const LETTER = /[A-Za-z]/;
const HAN = /\p{Script=Han}/u;
/** Typed for want of △: a Δ before three points. */
const DELTA_TRIANGLE = /Δ(?=\s?[A-Z]{3}(?![A-Za-z]))/g;
/** Typed for want of Δ: a △ before a comparison or one quantity; in a△b, △A, or beside □ or ○, it is another sign. */
const TRIANGLE_DELTA =
  /(?<![A-Za-z\d)] ?)△(?!\s?[A-Za-z]\s[A-Za-z](?![A-Za-z]))(?=\s?(?:[=<>≤≥≠]|[a-zEGHSTUV](?![A-Za-z\d'_])))/g;
const FIGURE = /[□○◯☆★●■]/;
const VULGAR_FRACTION = /[\u00bc-\u00be\u2150-\u215e]/;

/**
 * The text with its formulas in one notation: `\frac{1}{2}`, `\dfrac12` and `½` as `1/2`; `x²` and `$x^{2}$` as `x^2`;
 * `\leqslant` as `≤`; `H_2O` and `H₂O` as `H2O`. Delimiters and layout (`$`, `\left`, `\text{..}`, blanks) are dropped;
 * commands without a character stay (`\binom`). Also reads MathML, and formulas of programs (`5*x**2`) and HTML.
 *
 * There is no mathematical mode: dollars only separate, since authors forget them. Never throws; linear time for any
 * text.
 */
export function plainFormulas(text: string): string {
  const written = handwritten(typedFormulas(markupAsLatex(text)));
  const plain = HAS_SPECIAL.test(written) ? new Reader(written).read() : written;
  const triangles = plain.replace(DELTA_TRIANGLE, '△');
  return FIGURE.test(plain) ? triangles : triangles.replace(TRIANGLE_DELTA, 'Δ');
}

class Reader {
  #at = 0;

  constructor(readonly text: string) {}

  read(): string {
    return this.#sequence(0);
  }

  /** Reads up to the closing brace of this group (and consumes it), or to the end. */
  #sequence(depth: number): string {
    const out = new Output();
    while (this.#at < this.text.length) {
      const plain = this.#match(PLAIN);
      if (plain !== null) {
        out.add(plain[0]);
        continue;
      }
      const char = this.text[this.#at] ?? '';
      if (char === '}') {
        this.#at++;
        // At the top level there is nothing to close: dropped.
        if (depth > 0) return out.text();
      } else if (char === '\\') {
        // The rest of the group is what it is divided by.
        if (depth > 0 && depth < MAX_DEPTH && this.#match(OVER) !== null) {
          return quotient(out.text(), this.#sequence(depth + 1));
        }
        this.#command(out, depth);
      } else if (char === '{') {
        // Separates the arguments of an unknown command.
        if (this.text[this.#at - 1] === '}') out.add(' ');
        this.#at++;
        if (depth < MAX_DEPTH) out.add(this.#sequence(depth + 1));
      } else if (char === '^' || SUPERSCRIPTS.includes(char)) {
        this.#power(out, depth);
      } else if (char === '_' || SUBSCRIPTS.includes(char)) {
        this.#subscript(out, depth);
      } else {
        this.#at++;
        out.add(this.#character(char, out));
      }
    }
    return out.text();
  }

  #command(out: Output, depth: number): void {
    const [, name, sign] = this.#match(COMMAND) ?? [];
    if (name === undefined) {
      // A backslash at the end is dropped; `\%` is a sign; `\\`, `\,` and `\(` only separate.
      this.#at += sign === undefined ? 1 : 0;
      out.add(sign !== undefined && '%#&_|'.includes(sign) ? sign : ' ');
      return;
    }
    if (FRACTIONS.has(name)) {
      const numerator = this.#argument(depth);
      out.add(quotient(numerator, this.#argument(depth)));
    } else if (name === 'sqrt') {
      const degree = this.#match(/\s*\[([^\][{}\\]{0,20})\]/y)?.[1] ?? '';
      out.add(` √${degree === '' ? '' : ` ${degree} `}${enclosed(this.#argument(depth))} `);
    } else if (name === 'textsuperscript') {
      out.add(power(this.#argument(depth)));
    } else if (DROPPED_WITH_ARGUMENT.has(name)) {
      const argument = this.#argument(depth);
      // The next argument is the column layout of the table.
      if (argument === 'array' || argument === 'tabular') this.#argument(depth);
      out.add(' ');
    } else if (TEXT_WRAPPERS.has(name)) {
      out.add(` ${this.#argument(depth)} `);
    } else if (LAYOUT.has(name)) {
      // `\left.` draws no bracket.
      if (name === 'left' || name === 'right') this.#match(/\./y);
      else this.#match(/ /y);
    } else {
      out.add(SYMBOLS.get(name) ?? ` ${nameInText(name)} `);
    }
  }

  /** The argument of a command or `^`: a group, a command or one character. */
  #argument(depth: number): string {
    this.#match(/\s+/y);
    const char = this.text[this.#at];
    if (char === undefined || char === '}' || depth >= MAX_DEPTH) return '';
    if (char === '{') {
      this.#at++;
      return this.#sequence(depth + 1);
    }
    const out = new Output();
    if (char === '\\') {
      this.#command(out, depth + 1);
    } else {
      const whole = String.fromCodePoint(this.text.codePointAt(this.#at) ?? 0);
      this.#at += whole.length;
      out.add(this.#character(whole, out));
    }
    return out.text().trim();
  }

  #power(out: Output, depth: number): void {
    const raised = this.#run(SUPERSCRIPTS, SUPERSCRIPT_MEANINGS);
    if (raised !== '') {
      out.add(power(raised));
      return;
    }
    this.#at++;
    // In plain text an exponent is in round brackets.
    const bracketed = this.#match(/\(([^(){}\\^_$]{1,40})\)/y)?.[1];
    if (bracketed !== undefined) {
      out.add(power(new Reader(bracketed).read().trim()));
      return;
    }
    // `2^10` means two to the tenth, although LaTeX would raise only the 1.
    const unbraced = this.#match(/-?\d+/y)?.[0];
    out.add(power(unbraced ?? this.#argument(depth)));
    this.#match(/\$/y);
  }

  /** `H_2O` becomes H2O, `a_n` stays one name; a longer subscript becomes a separate word. */
  #subscript(out: Output, depth: number): void {
    const lowered = this.#run(SUBSCRIPTS, SUBSCRIPT_MEANINGS);
    if (lowered === '') {
      // Several underscores are a blank to fill in; snake_case is two words.
      if (this.#match(/__+|_(?=[A-Za-z]{2})|_$/y) !== null) {
        out.add(' ');
        return;
      }
      this.#at++;
    }
    const index = lowered !== '' ? lowered : (this.#match(/\d+/y)?.[0] ?? this.#argument(depth));
    this.#match(/\$/y);
    const afterLetter = LETTER.test(out.last);
    if (afterLetter && /^\d{1,4}$/.test(index)) {
      const next = this.text[this.#at] ?? '';
      out.add(/[a-z0-9]/.test(next) ? `${index} ` : index);
    } else if (afterLetter && index.length === 1 && LETTER.test(index)) {
      out.add(`_${index} `);
    } else {
      out.add(afterLetter ? `_(${index}) ` : ` ${index} `);
    }
  }

  #character(char: string, out: Output): string {
    if (char === '$') return /[_^]/.test(this.text[this.#at] ?? '') ? '' : ' ';
    if (char === '~') return ' ';
    // Two or more stars are emphasis or a rule, not a product.
    if (char === '*') return this.#match(/\*+/y) === null ? '×' : ' ';
    // Between the parts of a foreign name in Chinese, the dot is punctuation.
    if (char === '·') return HAN.test(out.last) ? ' ' : '×';
    if (VULGAR_FRACTION.test(char)) return ` ${char.normalize('NFKC').replace('⁄', '/')} `;
    return SAME_CHARACTER.get(char) ?? char;
  }

  /** A run of superscript or subscript characters, as ordinary ones. */
  #run(characters: string, meanings: string): string {
    let run = '';
    for (;;) {
      const index = characters.indexOf(this.text[this.#at] ?? ' ');
      if (index < 0) return run;
      run += meanings[index];
      this.#at++;
    }
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }
}

/** Keeps its last character: reading it from a growing string would copy the string each time. */
class Output {
  readonly #pieces: string[] = [];
  last = '';

  add(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.last = piece.slice(-1);
  }

  text(): string {
    return this.#pieces.join('');
  }
}

function nameInText(command: string): string {
  if (command === 'bmod' || command === 'pmod') return 'mod';
  if (FUNCTIONS.has(command)) return command;
  return VECTORS.has(command) ? '\\vec' : `\\${command}`;
}

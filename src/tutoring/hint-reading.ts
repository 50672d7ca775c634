import { type Difference, differencesIn } from './differences.js';
import { withoutMarks } from './marks.js';
import { dense, plain } from './notation.js';
import { type NumberAt, numbersOf, spelledNumbersOf } from './numbers.js';
import { type Quantity, quantityAt } from './quantities.js';

/**
 * As Markdown shows it: `1**2**` and `*1*2` are 12, but `2*3*4` is a product. A fraction in small digits is one in
 * plain digits.
 */
export function withoutEmphasis(text: string): string {
  return text
    .replace(/(\*{2,3})(?=\S)([^*\n]+)(?<=\S)\1|<\/?[a-z]+>/gi, '$2')
    .replace(/(?<![\w)*]|[\d)]\s)\*([\p{L}\p{N}.]+)\*(?!\*)|(?<!\*)\*([\p{L}\p{N}.]+)\*(?!\s?[\w(*])/gu, '$1$2')
    .replace(/[⁰¹²³⁴-⁹]+⁄[₀-₉]+/g, (fraction) => fraction.normalize('NFKC'));
}

/** A hint in the forms that are compared. */
export interface Reading {
  readonly hint: string;
  /** Without layout. */
  readonly dense: string;
  /** In plain notation. */
  readonly said: string;
  /** Of what is said. */
  readonly numbers: readonly SaidNumber[];
  readonly differences: readonly Difference[];
  readonly spelled: ReturnType<typeof spelledNumbersOf>;
}

interface SaidNumber extends NumberAt {
  /** Of one with two or more, which may be rounded. */
  readonly decimals: number | undefined;
  readonly quantity: Quantity | null;
}

export function readingOf(hint: string): Reading {
  // A boxed expression is marked as the answer.
  const boxed = hint.replace(/\\f?box(?:ed)?\s*(?=\{)/g, '=');
  const said = withoutMarks(plain(boxed.replace(DASH, ';')));
  const numbers = numbersOf(said).map((one) => ({
    ...one,
    decimals: DECIMALS.exec(one.text)?.[1]?.length,
    quantity: quantityAt(said, one),
  }));
  return {
    hint,
    dense: dense(hint),
    said,
    numbers,
    differences: differencesIn(said, numbers),
    spelled: spelledNumbersOf(said),
  };
}

/** Behind a number, no minus: `5 — a whole number`. */
const DASH = /(?<=\d[^\S\n]?)(?:—+|–(?=\s))/g;

/** Two or more decimals of a number. */
const DECIMALS = /^-?\d*\.(\d{2,9})$/;

import { plain } from './notation.js';
import { isSame, type NumberAt, numbersOf } from './numbers.js';
import { type Unit, unitAt } from './units.js';

/** A number with its unit. */
export interface Quantity extends Unit {
  readonly value: number;
  /** Of the number and the unit as they are written. */
  readonly key: string;
}

/** Of a number in a text in plain notation, if a unit follows it. */
export function quantityAt(text: string, { at, text: number, values }: NumberAt): Quantity | null {
  const unit = unitAt(text.slice(at + number.length));
  const [value = 0] = values;
  return unit === null ? null : { ...unit, value, key: `${value} ${unit.factor} ${unit.dimension}` };
}

/** The quantities of a text in plain notation. */
export function quantitiesOf(text: string): readonly Quantity[] {
  return numbersOf(text).flatMap((number) => quantityAt(text, number) ?? []);
}

/** Whether two quantities are the same amount in two units: 1.5 m and 150 cm. */
export function isConverted(one: Quantity, other: Quantity): boolean {
  return (
    one.dimension === other.dimension &&
    one.factor !== other.factor &&
    isSame(one.value * one.factor, other.value * other.factor)
  );
}

const ASKS_FOR = /(?:多少|几|how many |(?<![a-z])in (?=[a-z]{2}))/gi;

/** Whether a question says in which unit it wants its answer: 多少公顷, `How many kilowatt hours`. */
export function asksForUnit(question: string): boolean {
  const written = plain(question);
  return [...written.matchAll(ASKS_FOR)].some(
    ({ 0: words, index }) => unitAt(written.slice(index + words.length)) !== null,
  );
}

import { dense, plain } from './notation.js';
import { boundAt, CONTEXT, endingTerm, labelsAt, type NumberAt, numbersOf, termsOf } from './numbers.js';
import { asksForUnit, quantitiesOf, quantityAt } from './quantities.js';

/** What the student has read and written. */
export interface Known {
  /** Without layout. */
  readonly dense: string;
  /** In plain notation without blanks. */
  readonly points: string;
  readonly terms: ReadonlySet<string>;
  /** As they are written. */
  readonly numbers: ReadonlySet<string>;
  /** Names with their numbers: `鸡5`, `拉力6`, `rabbits8`. */
  readonly labelled: ReadonlySet<string>;
  /** Keys of numbers with their units; if the question asks for one, also of the steps that are converted to it. */
  readonly quantities: ReadonlySet<string>;
  /** The words behind the blanks of the question. */
  readonly behindBlank: readonly string[];
}

/** Long blanks are looked at once: from each of its underscores, one of 16 kB took 0.3 s. */
const BLANK = /(?:(?<!_)_{2,}|[(（]\s*[)）])\s*([a-z\d]+)/gi;

/** Each word of a hint is compared with as many. */
const MAX_BLANKS = 20;

/** Where options may begin. */
const FIRST_OPTION = /(?<![A-Za-z])A\s?[.．、:：)）]/;

/** Of a question, the student's attempt and the reference solution, in simplified characters. */
export function knownFrom(question: string, attempt: string, reference: string): Known {
  const written = plain(`${question}\n${attempt}`);
  const numbers = numbersOf(written);
  const labelled = numbers.flatMap((number) =>
    Object.values(labelsAt(written, number)).map((label) => `${label}${number.text}`),
  );
  return {
    dense: dense(written),
    points: written.replace(/\s+/g, '').replaceAll('，', ','),
    terms: termsOf(plain(`${question.split(FIRST_OPTION, 1)[0] ?? ''}\n${attempt}`)),
    numbers: new Set(numbers.map(({ text }) => text)),
    labelled: new Set(labelled),
    quantities: new Set(
      [
        ...numbers.flatMap((number) => quantityAt(written, number) ?? []),
        ...(asksForUnit(question) ? quantitiesOf(plain(reference)) : []),
      ].map(({ key }) => key),
    ),
    behindBlank: [...question.matchAll(BLANK)].slice(0, MAX_BLANKS).map(([, next = '']) => next.toLowerCase()),
  };
}

/** Characters before a number that make it the same in both: the end of `x+5=8`. */
const RESTATED = 4;

/** Whether a number of a hint only repeats what is known: `x+5=8`, `x=4`, `拉力是 6`, 横坐标是 2 of `P(2,3)`. */
export function isRestated(known: Known, said: string, number: NumberAt): boolean {
  const { at, text } = number;
  const before = said.slice(Math.max(0, at - CONTEXT), at);
  const { two } = labelsAt(said, number);
  if (two.length === 2 && known.labelled.has(`${two}${text}`)) return true;
  const restated = `${before}${text}`;
  const end = dense(restated).slice(-RESTATED);
  if (end.length === RESTATED && known.dense.includes(end)) return true;
  if (known.terms.has(endingTerm(restated) ?? '')) return true;
  const [, name] = COMPARED_NAME.exec(before) ?? [];
  const sign = boundAt(before, said.slice(at + text.length)) === 'upper' ? '<' : '>';
  if (name !== undefined && known.terms.has(`${name}${sign}${text}`)) return true;
  const [, across] = COORDINATE.exec(before) ?? [];
  if (across === undefined) return false;
  return known.points.includes(/[横x]/.test(across) ? `(${text},` : `,${text})`);
}

/** Before a number that a variable is compared with in words: `a 小于 1` for `a<1`. */
const COMPARED_NAME = /(?<![a-z])([a-z]) ?(?:is )?(?:小于|大于|比|(?:less|smaller|greater|larger|bigger) than)\s*$/;

const COORDINATE = /([横纵]坐标|(?<![a-z])[xy]-coordinate)\s*(?:[也都]?[是为]|is)?\s*$/;

import type { Card } from '../domain/card.js';
import type { Verdict } from '../domain/search-result.js';
import { SOURCE_FIELDS } from '../domain/tutoring.js';
import { plainFormulas } from '../text/latex.js';
import { foldCase, normalise } from '../text/normalise.js';
import { chineseNumbersOf } from './chinese-numbers.js';
import { sentencesOf } from './segments.js';

/** The final answer of a reference solution, in the forms in which a hint may give it away. */
interface FinalAnswer {
  /** As the reference has it. */
  readonly text: string;
  /** Plain notation without blanks: `x=3`, `7/8`, `25`. */
  readonly formula: string;
  /** Its numeric values, for a percentage with and without the sign; empty if it is not a number. */
  readonly values: readonly number[];
  /** The question, or the student, has the same number: then it is the answer only where it is said to be. */
  readonly isGiven: boolean;
}

/** The last expression of a sentence: what stands behind its last sign of equality, or at its end. */
const EXPRESSION = /[-+*/^=().,<>≤≥≠±√π|:\w]*[\w)π|][^\p{L}\w]*$/u;

/** Sentences of the reference that a hint repeats word for word give it away too; shorter ones are anybody's. */
const MIN_SENTENCE = 12;

type Solved = Pick<Card, (typeof SOURCE_FIELDS)['REFERENCE_SOLUTION' | 'WRONG_SOLUTION']>;

/** The question and the cards that may have its answer. */
export interface LeakInput {
  readonly question: string;
  readonly card: Solved | null;
  readonly sources: readonly { readonly verdict: Verdict; readonly card: Solved }[];
}

/** Knows the final answers of what is asked about: of the card itself, and of cards with the very same question. */
export class LeakGuard {
  readonly #secrets: readonly { readonly reference: string; readonly answer: FinalAnswer | null }[];

  constructor({ card, sources, question }: LeakInput) {
    const cards = sources.filter(({ verdict }) => verdict === 'DUPLICATE').map((source) => source.card);
    const { REFERENCE_SOLUTION, WRONG_SOLUTION } = SOURCE_FIELDS;
    const asked = card === null || cards.includes(card) ? cards : [card, ...cards];
    this.#secrets = asked.flatMap(({ [REFERENCE_SOLUTION]: reference, [WRONG_SOLUTION]: wrong }) =>
      reference === null ? [] : [{ reference, answer: finalAnswerOf(reference, [question, wrong ?? '']) }],
    );
  }

  /** The answer that the hint reveals, or null. */
  leakIn(hint: string): string | null {
    for (const { reference, answer } of this.#secrets) {
      const leak = leakIn(hint, reference, answer);
      if (leak !== null) return leak;
    }
    return null;
  }
}

/** Blanks, and signs of layout, say nothing. */
function plain(text: string): string {
  return foldCase(plainFormulas(normalise(text)))
    .replace(/[−–—]/g, '-')
    .replace(/[×·]/g, '*')
    .replace(/÷/g, '/')
    .replace(/\$/g, '');
}

function dense(text: string): string {
  return plain(text).replace(/[\s，。、；！？,;!?"'“”‘’*_]+/g, '');
}

/**
 * The final answer of a reference solution: the last number of its last sentence that has one, and the formula that it
 * ends with; null where it ends in words alone. `given` are the texts that the student knows already. Pure.
 */
function finalAnswerOf(reference: string, given: readonly string[]): FinalAnswer | null {
  const sentences = sentencesOf(reference).map(({ start, end }) => reference.slice(start, end));
  const known = given.flatMap((text) => numbersOf(plain(text)).flatMap(({ values }) => values));
  for (const sentence of sentences.reverse()) {
    const written = plain(sentence);
    const numbers = numbersOf(written);
    const last = numbers.at(-1);
    const formula = formulaAt(written);
    if (last === undefined && formula === null) continue;
    const scales = last?.text.endsWith('%') ? [1, 100] : [1];
    const values = scales.flatMap((scale) => (last?.values ?? []).map((value) => scale * value));
    const isGiven = known.some((one) => values.some((value) => isSame(one, value)));
    return { text: sentence, formula: formula ?? last?.text ?? '', values, isGiven };
  }
  return null;
}

/**
 * The text that a hint reveals: the answer as the hint words it, or a whole sentence of the reference solution; null if
 * it reveals neither. Pure.
 */
function leakIn(hint: string, reference: string, answer: FinalAnswer | null): string | null {
  const said = withoutMarks(plain(hint));
  const denseHint = dense(hint);
  const copied = sentencesOf(reference)
    .map(({ start, end }) => reference.slice(start, end))
    .find((sentence) => dense(sentence).length >= MIN_SENTENCE && denseHint.includes(dense(sentence)));
  if (copied !== undefined) return copied;
  const choice = chosenIn(reference).at(-1) ?? ONLY_CHOICE.exec(reference)?.[1];
  if (choice !== undefined && chosenIn(hint).includes(choice)) return choice;
  if (answer === null) return null;
  const { formula, values, isGiven } = answer;
  for (const value of values) {
    for (const number of numbersOf(said)) {
      const isValue = number.values.some((one) => isSame(one, value));
      if (isValue && (!isGiven || SAID_TO_BE.test(said.slice(0, number.at)))) return number.text;
    }
    if (saidInWords(said, value)) return String(value);
  }
  // A formula of one letter or digit is in every hint.
  return formula.length >= 3 && /[a-z]/.test(formula) && denseHint.includes(formula) ? formula : null;
}

const CHOSEN =
  /(?:选(?:项\s*[是为])?|答案\s*[是为]?|[Aa]nswer(?:\s+is)?|[Cc]hoose)\s*[:：]?\s*[(（]?([A-L]{1,6})(?![\w'])/g;
const ONLY_CHOICE = /^\s*[(（]?([A-L]{1,6})[)）]?[.。]?\s*$/;

/** The letters of choices that a text says to be the answer: `选 B`, `答案：AC`, `the answer is (D)`. */
function chosenIn(text: string): readonly string[] {
  return [...normalise(text).matchAll(CHOSEN)].flatMap(([, letters]) => letters ?? []);
}

/** Citations, numbers of a list and numbers of steps are no answers. */
function withoutMarks(text: string): string {
  return text
    .replace(/\[s\d+\]/g, ' ')
    .replace(/^\s*(?:\d+[.、)]|[-*])\s/gm, ' ')
    .replace(/第\s*\d+\s*步|步骤\s*\d+|step\s+\d+/g, ' ');
}

/** The formula that a sentence ends with, without blanks; null where it ends in words. */
function formulaAt(sentence: string): string | null {
  const squeezed = sentence.replace(/\s+/g, '').replace(/[。.，,；;！!]+$/, '');
  const found = EXPRESSION.exec(squeezed)?.[0].replace(/[^\w)π|]+$/u, '') ?? '';
  return /[=^/*+√π]/.test(found) ? found : null;
}

const ENGLISH =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );

/** Whether a number is said to be the answer in words: in Chinese any one, in English one up to 20. */
function saidInWords(text: string, value: number): boolean {
  const word = ENGLISH[value];
  const english = word === undefined ? [] : [...text.matchAll(new RegExp(`(?<![a-z])${word}(?![a-z])`, 'g'))];
  const places = [
    ...chineseNumbersOf(text).flatMap((number) => (isSame(number.value, value) ? number.at : [])),
    ...english.map(({ index }) => index),
  ];
  return places.some((at) => SAID_TO_BE.test(text.slice(0, at)));
}

/** What stands before a number that is said to be the answer. */
const SAID_TO_BE =
  /(?:=|≈|答案|结果|得数|等于|应是|应为|[是为得选]|answer|result|equals?|\bis|\bget|\bgives?)\s*[:：]?\s*$/i;

/** A number in a text in plain notation. */
interface NumberAt {
  readonly text: string;
  /** Where it begins, with its sign. */
  readonly at: number;
  /** Two, of opposite signs, if the minus before it may also be a dash, a bullet or a difference. */
  readonly values: readonly number[];
}

/**
 * Numbers, fractions, mixed numbers and percentages, without their signs; one that goes on as another number or a power
 * is not cut from it, and an exponent is none. Groups: whole part of a mixed number, numerator, denominator.
 */
const NUMBER = new RegExp(
  [
    '(?<![\\w./^]|\\^-)',
    '(?:(\\d{1,15})[^\\S\\n]{1,4}(?=\\d+/\\d))?',
    '(\\d{1,3}(?:,\\d{3})+(?![\\d,])(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+)',
    '(?:/(\\d+(?:\\.\\d+)?))?',
    '%?(?![\\d/^]|\\.\\d)',
  ].join(''),
  'g',
);

const MINUS = /-[^\S\n]*$/;

/** A minus after one of these is a sign. */
const BEFORE_SIGN = /[=≈≠<>≤≥([{+*/±,，:;、][^\S\n]*$/;

/** The end of something to subtract from: the minus follows at once, or after a blank. */
const ATTACHED_OPERAND = /[\w)\]|%°π]$/;
const SPACED_OPERAND = /(?:[\d)\]|%°π]|(?<![a-z])[a-z])[^\S\n]+$/;

const DASH_OR_HAN = /(?:-|\p{Script=Han})[^\S\n]*$/u;

/** Characters before a number that tell its sign. */
const CONTEXT = 40;

/** The numbers of a text in order, as formulas and students write them: `12,500`, `.5`, `- 3/4`, `2 1/2`, `20%`. */
export function numbersOf(text: string): readonly NumberAt[] {
  return [...text.matchAll(NUMBER)].flatMap(({ 0: found, 1: whole, 2: top = '', 3: bottom = '1', index }) => {
    const fraction = (Number(top.replaceAll(',', '')) / Number(bottom)) * (found.endsWith('%') ? 0.01 : 1);
    if (whole === undefined) return numberAt(text, index, found, fraction);
    if (fraction < 1) return numberAt(text, index, found, Number(whole) + fraction);
    // 25 3/2 are two numbers.
    const at = index + found.indexOf(top, whole.length);
    const second = found.slice(at - index);
    return [...numberAt(text, index, whole, Number(whole)), ...numberAt(text, at, second, fraction)];
  });
}

/** None for a division by zero. */
function numberAt(text: string, index: number, unsigned: string, value: number): readonly NumberAt[] {
  if (!Number.isFinite(value)) return [];
  const before = text.slice(Math.max(0, index - CONTEXT), index);
  const [minus] = MINUS.exec(before) ?? [];
  if (minus === undefined) return [{ text: unsigned, at: index, values: [value] }];
  const signs = signsOf(before.slice(0, -minus.length), minus.length > 1, unsigned.includes('/'));
  const values = signs.map((sign) => sign * value);
  if (!signs.includes(-1)) return [{ text: unsigned, at: index, values }];
  return [{ text: `-${unsigned}`, at: index - minus.length, values }];
}

/** What a minus after `before` may mean. Plain notation has a blank before a LaTeX fraction. */
function signsOf(before: string, isSpaced: boolean, isFraction: boolean): readonly (1 | -1)[] {
  if (ATTACHED_OPERAND.test(before)) return [1];
  if (BEFORE_SIGN.test(before)) return [-1];
  if (SAID_TO_BE.test(before) && (!isSpaced || isFraction)) return [-1];
  const isDifference = SPACED_OPERAND.test(before);
  if (isSpaced && isDifference) return [1];
  return isSpaced || isDifference || DASH_OR_HAN.test(before) ? [1, -1] : [-1];
}

export function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a));
}

import { lowerBound } from '../domain/lower-bound.js';
import { chineseNumbersOf, type Spelled } from './chinese-numbers.js';
import { englishNumbersOf } from './english-numbers.js';

/** What stands before a number that is said to be the answer. Each run of blanks has one way to match: linear. */
const SAID_TO_BE = new RegExp(
  [
    '(?:[=≈<>≤≥]|(?:答案|结果|得数|等于|应是|应为|[是为得选即]|得到|答\\s*[:：]|answer|result|equals?|\\bis|\\bget|\\bgives?|\\bobtain',
    "|\\b(?:should|must|would) be|\\bit's|\\b(?:comes|works) out (?:to|at|as)|\\bend up with|\\byou(?: will| should|'ll)? find)",
    '(?:\\s*[:：|])?(?:\\s*["“\'‘「`])?|(?:答案|解集|answer)(?:\\s*(?:[是为]|is))?(?:\\s*[:：])?\\s*[(\\[])\\s*$',
  ].join(''),
  'i',
);

/** A number in a text in plain notation. */
export interface NumberAt {
  readonly text: string;
  /** Where it begins, with its sign. */
  readonly at: number;
  /** Two, of opposite signs, after ±, and if the minus before it may also be a dash, a bullet or a difference. */
  readonly values: readonly number[];
}

/**
 * Numbers, fractions, mixed numbers, percentages and products with a power of ten, without their signs; one that goes
 * on as another number, a power, a root or π is not cut from it, and an exponent and what a root is taken of are none.
 * Groups: whole part of a mixed number, numerator, denominator, power of ten.
 */
const NUMBER = new RegExp(
  [
    '(?<![\\w./^√]|\\^-)',
    '(?:(\\d{1,15})[^\\S\\n]{1,4}(?=\\d+/\\d))?',
    '(\\d{1,3}(?:,\\d{3})+(?![\\d,])(?:\\.\\d+)?|\\d{1,3}(?: \\d{3})+(?![\\d/])(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+)',
    '(?:[^\\S\\n]?/[^\\S\\n]?(\\d+(?:\\.\\d+)?))?',
    '(?: ?\\* ?10\\^(-?\\d{1,3})(?!\\d))?',
    '(?:[^\\S\\n]?%)?(?![\\d/^]|\\.\\d|\\s*[√π])',
  ].join(''),
  'g',
);

const MINUS = /-[^\S\n]*$/;

/** `x minus 3` is a difference. */
const MINUS_IN_WORDS =
  /(?:负|零下|(?<![a-z])negative|(?<=(?:^|[=:：]|(?<![a-z])(?:is|be|get|equals?|gives?|or|and))\s*)minus)[^\S\n]*$/;

/** 负 also means to lose or to bear: 胜 5 负 3, 肩负 12 公斤, 共负 12 场. */
const LOST = /[胜平自肩非担]\s?\d{0,3}\s?负\s*$/;
const COUNTED = /^\s*[场局盘元]/;

/** A minus after one of these is a sign. */
const BEFORE_SIGN = /[=≈≠<>≤≥([{+*/±,，:;、][^\S\n]*$/;

/** The end of something to subtract from: the minus follows at once, or after a blank. */
const ATTACHED_OPERAND = /[\w)\]|%°π]$/;
const SPACED_OPERAND = /(?:[\d)\]|%°π]|(?<![a-z])[a-z])[^\S\n]+$/;

const DASH_OR_HAN = /(?:-|\p{Script=Han})[^\S\n]*$/u;

/** Characters before a number that tell its sign, and whether it is said to be the answer: there may be blanks. */
export const CONTEXT = 40;

/** Whether a text says at its end that the answer follows. */
export function isSaidToBe(before: string): boolean {
  return SAID_TO_BE.test(before.trimEnd().slice(-CONTEXT));
}

/** The numbers of a text in order, as formulas and students write them: `12,500`, `.5`, `- 3/4`, `2 1/2`, `20%`. */
export function numbersOf(text: string): readonly NumberAt[] {
  return [...text.matchAll(NUMBER)].flatMap((match) => {
    const numbers = readNumber(text, match);
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + 12);
    const scale = SCALES.find(([unit]) => unit.test(after))?.[1];
    if (scale === undefined) return numbers;
    return numbers.map((one) => ({ ...one, values: one.values.flatMap((value) => [value, value * scale]) }));
  });
}

/** Behind digits: 3.5 万, 1.2 million, 35k; not 5 千米. */
const SCALES: readonly (readonly [RegExp, number])[] = [
  [/^\s?(?:千(?![米克瓦焦帕伏卡赫升安欧])|thousand(?![a-z])|k(?![a-z]))/, 1e3],
  [/^\s?万(?!\s?亿|一|能)/, 1e4],
  [/^\s?million(?![a-z])/, 1e6],
  [/^\s?亿/, 1e8],
  [/^\s?billion(?![a-z])/, 1e9],
];

function readNumber(
  text: string,
  { 0: found, 1: whole, 2: top = '', 3: bottom = '1', 4: power, index }: RegExpExecArray,
): readonly NumberAt[] {
  const ratio = Number(top.replace(/[, ]/g, '')) / Number(bottom);
  const fraction = power === undefined ? ratio * (found.endsWith('%') ? 0.01 : 1) : Number(`${ratio}e${power}`);
  if (whole === undefined) return numberAt(text, index, found, fraction);
  if (fraction < 1) return numberAt(text, index, found, Number(whole) + fraction);
  // 25 3/2 are two numbers.
  const at = index + found.indexOf(top, whole.length);
  const second = found.slice(at - index);
  return [...numberAt(text, index, whole, Number(whole)), ...numberAt(text, at, second, fraction)];
}

/** None for a division by zero. */
function numberAt(text: string, index: number, unsigned: string, value: number): readonly NumberAt[] {
  if (!Number.isFinite(value)) return [];
  const before = text.slice(Math.max(0, index - CONTEXT), index);
  if (/(?:±|正负) ?$/.test(before)) return [{ text: unsigned, at: index, values: [value, -value] }];
  const [word] = MINUS_IN_WORDS.exec(before) ?? [];
  if (word !== undefined) {
    const isCount = LOST.test(before) || COUNTED.test(text.slice(index + unsigned.length));
    const values = isCount && word.startsWith('负') ? [value, -value] : [-value];
    return [{ text: `${word}${unsigned}`, at: index - word.length, values }];
  }
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
  if (isSaidToBe(before) && (!isSpaced || isFraction)) return [-1];
  const isDifference = SPACED_OPERAND.test(before);
  if (isSpaced && isDifference) return [1];
  return isSpaced || isDifference || DASH_OR_HAN.test(before) ? [1, -1] : [-1];
}

/** Of a number behind a sign of inequality, or words for it; null behind another one. */
export type Bound = 'upper' | 'lower' | null;

const UPPER =
  /(?:[<≤]|(?<!还是|或|or )(?:(?<!不)小于(?:或?等于)?|不大于|不超过|至多|(?:less|smaller) than(?: or equal to)?|at most))\s*$/;
const LOWER =
  /(?:[>≥]|(?<!还是|或|or )(?:(?<!不)大于(?:或?等于)?|不小于|至少|(?:greater|larger|bigger) than(?: or equal to)?|at least))\s*$/;

export function boundAt(before: string, after = ''): Bound {
  const [, compared] = before.trimEnd().endsWith('比') ? (COMPARED.exec(after) ?? []) : [];
  if (UPPER.test(before) || compared === '小') return 'upper';
  return LOWER.test(before) || compared === '大' ? 'lower' : null;
}

/** 比 1 小. */
const COMPARED = /^\s*(?:还?要|更)?\s*([大小])/;

const TERM =
  '(?<=^|[\\n,，.。;；:：、(（"“「]|\\p{Script=Han}|(?<![\\d)\\]}^*/+<>≤≥=∩∪-]) )[a-z] ?[<>≤≥=] ?-?\\d+(?:\\.\\d+)?';
const TERMS = new RegExp(`${TERM}(?![\\d./^*+a-z]| ?[,，、] ?-?\\d)`, 'gu');
const ENDING_TERM = new RegExp(`${TERM}$`, 'u');

/** What a text says of single variables, without blanks: `x=2`, `y≥-3`. */
export function termsOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(TERMS)].map(([term]) => term.replaceAll(' ', '')));
}

/** The one that a text ends with. */
export function endingTerm(text: string): string | undefined {
  return ENDING_TERM.exec(text)?.[0].replaceAll(' ', '');
}

/** One character that names a number, and is no verb or conjunction: 鸡 5 只，兔 3 只. */
const NAME = '(?![一共得即剩还约又再则故设是为有令由把加减乘除以和或与及且])\\p{Script=Han}';

/** What stands between two numbers of one answer: `3 或 x = -2`, `(3, -2)`, `5 rabbits and 7 hens`, `-1 < x < 3`. */
const BETWEEN = new RegExp(
  [
    '^\\s*\\(?(?:[a-z°/^\\d]{1,10}|\\p{Script=Han}{1,2})?[)\\]]*\\s*\\(?',
    '(?:[,，、]|[和或与及且]|and\\b|or\\b)+\\s*(?:and\\b|or\\b|[和或且])?\\s*',
    `([a-z]\\w{0,3}\\s*[=≈<>≤≥≠]|${NAME}\\s*(?:=|只?有|[是为])?)?\\s*[([{]*$|^\\s*[<≤]\\s*[a-z]\\s*[<≤]\\s*$`,
  ].join(''),
  'u',
);

/** Where the second of two numbers has a name, the first one has one too: `3x = 9, x = 3` has one answer. */
const LABELLED = new RegExp(
  [
    '(?:(?<!(?:[\\d)^*/+-]|(?<![a-z])[a-z])\\s*)(?<![a-z])[a-z]\\w{0,3}\\s*[=≈<>≤≥≠]',
    `|(?:(?<!\\p{Script=Han})|(?<=所以|因此|[故即则答]))${NAME}\\s*(?:=|只?有|[是为])?|[长宽高底腰][是为]?)\\s*$`,
  ].join(''),
  'u',
);

/** The names of a number in plain notation: one and two characters before it, and an English noun behind it. */
export function labelsAt(written: string, { at, text }: NumberAt): Readonly<Record<'one' | 'two' | 'noun', string>> {
  const [, two = '', one = ''] = NAMED_BEFORE.exec(written.slice(Math.max(0, at - CONTEXT), at)) ?? [];
  const [, noun = ''] = NAMED_BEHIND.exec(written.slice(at + text.length, at + text.length + CONTEXT)) ?? [];
  return { one, two, noun };
}

const NAMED_BEFORE = /(\p{Script=Han}?(\p{Script=Han}))\s*(?:[=:：]|只?有|[是为])?\s*$/u;
const NAMED_BEHIND = /^\s*([a-z]{3,})/;

/** The names of listed numbers, if each has another one. */
export function labelsOf(written: string, numbers: readonly NumberAt[]): readonly string[] {
  const names = numbers.map((number) => labelsAt(written, number));
  const kinds = [names.map(({ one }) => one), names.map(({ noun }) => noun)];
  const isNamed = (labels: readonly string[]) => labels.length > 1 && new Set(['', ...labels]).size > labels.length;
  return kinds.find(isNamed) ?? [];
}

/** The last number of a sentence, and those that are listed with it. */
export function lastNumbers(written: string): readonly NumberAt[] {
  const numbers = numbersOf(written);
  let first = numbers.length - 1;
  for (; first > 0; first -= 1) {
    const [{ at = 0, text = '' } = {}, next] = numbers.slice(first - 1, first + 1);
    const between = BETWEEN.exec(written.slice(at + text.length, next?.at));
    if (between === null || (between[1] !== undefined && !LABELLED.test(written.slice(Math.max(0, at - CONTEXT), at))))
      break;
  }
  return numbers.slice(Math.max(0, first));
}

export function isSame(a: number, b: number): boolean {
  return Number.isFinite(a - b) && Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));
}

/** Whether a number {@link isSame} as one of these. */
export function anyOf(numbers: readonly number[]): (value: number) => boolean {
  const ascending = Float64Array.from(numbers).sort();
  return (value) => {
    // If any is the same, so is the first that is not less, or the one before it.
    const next = lowerBound(ascending, value);
    return [next - 1, next].some((place) => isSame(ascending[place] ?? Number.NaN, value));
  };
}

/** ⑤ is the name of an equation or a statement, unless a text says that it is the answer and ends there. */
const CIRCLED = /[①-⑳㉑-㉟㊱-㊿]/g;
const BEFORE_CIRCLED = /(?:[=≈]|答案(?:\s*(?:就?是|为))?(?:\s*[:：])?|等于|结果[是为]|answer(?: is)?:?|equals?)\s*$/;
const AFTER_CIRCLED = /^(?:[^\S\n]*(?:\p{Script=Han}|[a-z°%]{1,3}(?:\^\d)?))?\s*(?:[.。,，;；!！?？)）\n]|$)/u;

/** Numbers in Chinese and English words, and in circles; none for a division by zero. */
export function spelledNumbersOf(text: string): readonly Spelled[] {
  const circled = [...text.matchAll(CIRCLED)].flatMap(({ 0: digit, index: at }) => {
    const before = text.slice(Math.max(0, at - CONTEXT), at);
    const isSaid = BEFORE_CIRCLED.test(before) && AFTER_CIRCLED.test(text.slice(at + 1));
    return isSaid ? [{ at, end: at + 1, value: Number(digit.normalize('NFKC')) }] : [];
  });
  return [...chineseNumbersOf(text), ...englishNumbersOf(text), ...circled].filter(({ value }) =>
    Number.isFinite(value),
  );
}

/** The values of all numbers of a text in plain notation, in digits and in words. */
export function valuesIn(text: string): readonly number[] {
  return [...numbersOf(text).flatMap(({ values }) => values), ...spelledNumbersOf(text).map(({ value }) => value)];
}

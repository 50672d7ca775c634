import { distinctBy } from '../domain/grouped.js';
import { plainFormulas } from '../text/latex.js';
import { normalise } from '../text/normalise.js';
import { dense, plain, withoutConditions } from './notation.js';
import { anyOf, type Bound, boundAt, CONTEXT, labelsOf, lastNumbers, numbersOf, valuesIn } from './numbers.js';
import { asksForUnit, isConverted, type Quantity, quantitiesOf, quantityAt } from './quantities.js';
import { coefficientsOf, compoundAt, isReaction } from './reactions.js';
import { EXPLAINED, isComputed, isRemark, REMARK, saysNothingNew, WORDED_BRACKET } from './remarks.js';
import { sentencesOf } from './segments.js';
import { spelledAnswersIn } from './stated.js';
import { countedAt } from './units.js';

/** The final answer of a reference solution, in the forms in which a hint may give it away. */
export interface FinalAnswer {
  /** Plain notation without blanks: `(x+2)(x-3)`; none if it does not end in a formula. */
  readonly formulas: readonly string[];
  /** Its numeric values, for a percentage with and without the sign. */
  readonly values: readonly (Part<number> & {
    readonly bound: Bound;
    /** What names it in a list of named numbers: 鸡 and 兔, rabbits and hens. */
    readonly label: string | null;
    /** With its unit; null without one, and in words. */
    readonly quantity: Quantity | null;
    /** What is counted, by its first character or by an English noun: 棵, trees. */
    readonly counted: string | null;
  })[];
  /** Of a reaction, above 1, and not in what is given. */
  readonly coefficients: readonly number[];
  /** Its words and chemical formulas, such as `photosynthesis`, `went`, `h2so4`. */
  readonly words: readonly Part<string>[];
}

/** Between two lines with one value each: `x = 3`, `甲 = 48`. */
const BETWEEN_LINES =
  /(?<=(?:^|\n)[^\S\n]{0,4}(?:[a-z]|\p{Script=Han})\s{0,3}=\s{0,3}-?[\d./]{1,12}\s{0,3}\p{L}{0,3})\n(?=[^\S\n]{0,4}(?:[a-z]|\p{Script=Han})\s{0,3}=\s{0,3}-?[\d./]{1,12}\s{0,3}\p{L}{0,3}(?:\n|$))/gu;

/** Of a solution, that are compared with each number of its answer. */
const MAX_QUANTITIES = 100;

interface Part<T> {
  readonly value: T;
  /** The question, or the student, has the same: then it is the answer only where it is said to be. */
  readonly isGiven: boolean;
}

/**
 * The final answer of a reference solution: the numbers that its last sentence with a number or a formula ends with,
 * the formula or the words there; null if there are none. `given` are the texts that the student knows. Pure.
 */
export function finalAnswerOf(reference: string, given: readonly string[]): FinalAnswer | null {
  const known = given.map(plain);
  const isKnown = anyOf(known.flatMap(valuesIn));
  const listed = withoutConditions(reference).replace(/[;；]/g, '，').replace(BETWEEN_LINES, '，');
  const sentences = sentencesOf(listed).flatMap(({ start, end }) => {
    const sentence = listed.slice(start, end).replace(REMARK, '').trim();
    return sentence === '' ? [] : [sentence];
  });
  const partOf = (value: string) => ({ value, isGiven: known.some((text) => wordIn(value).test(text)) });
  const [, judgement, filled] = BEGINNING.exec(sentences[0] ?? '') ?? [];
  const judged = [judgement, filled].flatMap((word) => (word === undefined ? [] : [partOf(word.toLowerCase())]));
  const words = lastWords(sentences).map(partOf);
  const numberOf = (value: number, more: Partial<FinalAnswer['values'][number]> = {}) => {
    return { value, bound: null, label: null, quantity: null, counted: null, isGiven: isKnown(value), ...more };
  };
  const [question = ''] = given;
  // Where any unit will do, so does each in which the solution has the answer.
  let inSolution: readonly Quantity[] | undefined;
  const converted = (quantity: Quantity | null) => {
    if (quantity === null) return [];
    inSolution ??= asksForUnit(question) ? [] : quantitiesOf(plain(reference)).slice(-MAX_QUANTITIES);
    return inSolution.filter((one) => isConverted(one, quantity)).map(({ value }) => numberOf(value));
  };
  const spelled = spelledAnswersIn(sentences.at(-1) ?? '').map((value) => numberOf(value));
  const isReactionAsked = ASKS_FOR_REACTION.test(question);
  const isEquation = (sentence: string): boolean =>
    isReaction(sentence) || (isReactionAsked && isReaction(EXPLAINED.exec(sentence)?.[1] ?? ''));
  const givenCoefficients = new Set(given.flatMap(coefficientsOf));
  const coefficients = sentences
    .filter((sentence) => isEquation(sentence.replace(WORDED_BRACKET, '')))
    .flatMap(coefficientsOf)
    .filter((coefficient) => !givenCoefficients.has(coefficient));
  if (words.length > 0) return { formulas: [], values: spelled, coefficients, words: [...judged, ...words] };
  const readResult = (sentence: string): Pick<FinalAnswer, 'formulas' | 'values'> | null => {
    const written = plain(sentence);
    const formula = formulaAt(written);
    // The 1 of `y = x - 1` is no result.
    const numbers = lastNumbers(written).filter(({ at }) => formula === null || !ADDED.test(written.slice(0, at)));
    if (numbers.length === 0 && formula === null) return null;
    const labels = labelsOf(written, numbers);
    const all = (isEquation(sentence) ? [] : numbers).flatMap((number, place) => {
      const { text, at, values } = number;
      const bound = boundAt(written.slice(Math.max(0, at - CONTEXT), at));
      const quantity = quantityAt(written, number);
      const counted = countedAt(written.slice(at + text.length));
      const scales = text.endsWith('%') ? [1, 100] : [1];
      const more = { bound, label: labels[place] ?? null, quantity, counted };
      return [
        ...scales.flatMap((scale) => values.map((value) => numberOf(scale * value, more))),
        ...converted(quantity),
      ];
    });
    const point = POINT.exec(written.replace(/\s+/g, ''))?.[1];
    // A point on an axis: its 0 is in every hint. Of one whose numbers are known, their order is the answer.
    const values = point === undefined ? all : all.filter(({ value }) => value !== 0 || all.length === 1);
    const order = point !== undefined && values.every(({ isGiven }) => isGiven) ? dense(point) : null;
    // Of 0.75 as a fraction, its notation is the answer.
    const notations = numbers.flatMap(({ text }) => (/[/.%]/.test(text) ? [dense(text)] : []));
    const isNew = (one: string | null): one is string =>
      one !== null && !given.some((text) => dense(text).includes(one));
    return { formulas: [formula, swapped(formula), order, ...notations].filter(isNew), values };
  };
  // A long sentence is looked at several times.
  const results = new Map<string, ReturnType<typeof readResult>>();
  const resultIn = (sentence: string): ReturnType<typeof readResult> => {
    const result = results.get(sentence) ?? readResult(sentence);
    results.set(sentence, result);
    return result;
  };
  const [first = '', second] = sentences;
  const last = sentences.findLast((sentence) => resultIn(sentence) !== null) ?? '';
  const isRepeated = (said: string, computed: string): boolean =>
    (isComputed(computed) || isReaction(computed)) &&
    formulaAt(plain(said)) === null &&
    saysNothingNew(said, [computed, ...given]);
  const isExplained =
    sentences.length === 2 &&
    second === last &&
    (isRepeated(last, first) || (isComputed(first) && isRemark(last, first)));
  const bare = last.replace(WORDED_BRACKET, '');
  const [, result = '', remark = ''] = EXPLAINED.exec(bare) ?? [];
  const ends = new Set([isExplained ? first : last, last, bare, isRepeated(remark, result) ? result : bare]);
  const lastResults = [...ends].flatMap((sentence) => resultIn(sentence) ?? []);
  if (lastResults.length + judged.length + spelled.length === 0) return null;
  const formulas = lastResults.flatMap((result) => result.formulas);
  const values = [...lastResults.flatMap((result) => result.values), ...spelled];
  return {
    formulas,
    coefficients,
    values: distinctBy(values, ({ value, bound, label }) => `${value} ${bound} ${label}`),
    words: judged,
  };
}

/** Then a reaction is the answer also where words about it follow. */
const ASKS_FOR_REACTION = /方程式|配平|equation|balance/i;

/** Coordinates or an interval at the end of a sentence without blanks. */
const POINT = /([([]-?[\d./]+(?:[,，]-?[\d./]+){1,2}[)\]])[.。]?$/;

/** Before a number that is added to a term with a letter. */
const ADDED = /(?:(?<![a-z])[a-z](?:\^\d)?|\))\s*[-+]\s*$/;

/** The last expression of a sentence: what stands behind its last sign of equality, or at its end. */
const EXPRESSION = /[-+*/^=().,<>≤≥≠±√π|:\w]*[\w)π|][^\p{L}\w]*$/u;

/** The same product of two brackets. */
function swapped(formula: string | null): string | null {
  const [, one, other] = /^(\([^()]+\))(\([^()]+\))$/.exec(formula ?? '') ?? [];
  return one === undefined ? null : `${other}${one}`;
}

const LATIN_WORD =
  /(?<![a-z\\])(?!sin|cos|tan|log)(?:[a-z]{4,}|(?:the|and|are|get|has|was|for|so|or|is|of|to|at|in)(?![a-z]))/;

/**
 * The formula that a sentence ends with, without signs of layout, and without its left side if the right one is no mere
 * term; null if it ends in words or in a number.
 */
function formulaAt(sentence: string): string | null {
  const [tail = ''] = sentence.split(LATIN_WORD).slice(-1);
  const squeezed = tail.replace(/\s+/g, '').replace(/(?<![。.，,；;！!])[。.，,；;！!]+$/, '');
  const found = EXPRESSION.exec(squeezed)?.[0].replace(/^:|[^\w)π|]+$/gu, '') ?? '';
  const right = dense(found.slice(found.lastIndexOf('=') + 1)).replace(/(?<=[√π].*)[cdkm]?m(?:\^[23])?$/, '');
  if (/[√π]/.test(right) || (right.length > 3 && /[a-z]/.test(right) && /[-+/^]|\d[a-z]*\(/.test(right))) return right;
  // A formula of one letter or digit is in every hint.
  return /[=^/*+]/.test(found) && /[a-z]/.test(found) && found.length > 2 ? dense(found) : null;
}

const WORD = String.raw`(?:\p{Script=Han}{1,10}|[A-Za-z][A-Za-z'-]*(?: [A-Za-z'-]+){0,3})`;

/** Words that are said to be the answer, at the end of a sentence. */
const MARKED = new RegExp(
  [
    '(?:(?:答案|结果)(?:应?[是为]|[:：])|应?填|应该?[是为]|叫做?|称[为作]|所以是|(?:说法|命题|结论|判断)[是为]?|answer(?: is| was| ?:)',
    "|(?:^|so |therefore |hence |thus )it(?: is|'s)|is called|statement is)",
    `\\s*["“‘「(]*(${WORD}(?:["”’」)]*\\s*[，,、]\\s*["“‘「(]*${WORD})*)$`,
  ].join(''),
  'iu',
);

/** A sign, or two letters with one, at the end of a sentence: `>`, `a > b`. */
const COMPARISON = /(?:^|[^\w^)\]}<>≤≥≠])([a-z]?[<>≤≥≠][a-z]?)$/i;

const NO_SOLUTION = /(?:无解|无实数?根|no (?:real )?(?:solutions?|roots?))$/i;

/** A short reference is an answer, behind the name of what is asked for. */
const SHORT =
  /^(?:\p{Script=Han}{1,8}?[是为]|the (?:\w+ ){1,3}(?:is|was) )?(\p{Script=Han}{1,4}|[A-Za-z'-]+(?: [A-Za-z'-]+)?)$/iu;

/** Pairs of words that judge a statement: they are in many hints, and one stands for another. */
const JUDGEMENTS = [
  'true|right|correct|yes|正确|对|是|打勾|打钩',
  'not true|false|wrong|incorrect|no|不正确|错误|不对|不是|错|打叉',
];
const JUDGEMENT = new RegExp(`^(?:${JUDGEMENTS.join('|')})的?$`);

/** An answer before its reasons: a judgement, or what fills a blank (`has. "Each" is singular.`). */
const BEGINNING = new RegExp(
  `^(?:(${JUDGEMENTS.join('|').replace(/\b[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)})(?=\\s*(?:[,，.。!！:：]|$))|([a-z][a-z' -]{0,20})\\.$)`,
);

/** Tried once at each run of these signs: from each sign of one, 16 kB took 0.2 s. */
const ENDING = /(?<!["”’」)\s.。!！,，])["”’」)\s.。!！,，]+$/;

/** The words that a reference ends with as its answer; a chemical formula only without numbers before it. */
function lastWords(sentences: readonly string[]): readonly string[] {
  const last = plainFormulas(normalise(sentences.at(-1) ?? ''));
  const end = last.replace(ENDING, '');
  const short = sentences.length === 1 && !/^[A-L]{1,6}$/.test(end) ? SHORT.exec(end)?.[1] : undefined;
  const compound = numbersOf(plain(last)).length > 0 ? undefined : compoundAt(end);
  const compared = COMPARISON.exec(end.replace(/\$|\s+(?=[<>≤≥≠])|(?<=[<>≤≥≠])\s+/g, ''))?.[1];
  const marked = MARKED.exec(end)?.[1] ?? NO_SOLUTION.exec(end)?.[0];
  const found = marked ?? short ?? compound ?? compared ?? '';
  // The letter of a choice stays a capital, which no text in plain notation has: choice-answer.ts finds it.
  return (/^[A-L]{1,6}$/.test(found) ? found : found.toLowerCase())
    .split(/["”’」)]*\s*[，,、]\s*["“‘「(]*/)
    .map((word) => word.replace(/^(?:an?|the) /, ''))
    .filter((word) => word !== '');
}

/** Finds a word of an answer in a text in plain notation, also in the plural; of a judgement each word for it. */
export function wordIn(word: string): RegExp {
  const alike = JUDGEMENTS.find((words) => words.split('|').includes(word.replace(/的$/, '')));
  if (isComparison(word)) return new RegExp(`(?<![a-z\\d])${[...word].join('\\s*')}(?![a-z\\d=])`, 'g');
  return new RegExp(`(?<![a-z])(?:${alike ?? word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')})(?:e?s)?(?![a-z\\d])`, 'g');
}

export function isJudgement(word: string): boolean {
  return JUDGEMENT.test(word);
}

/** One is in every hint about it, unless it is said to be the answer. */
export function isComparison(word: string): boolean {
  return /^[a-z]?[<>≤≥≠][a-z]?$/.test(word);
}

/** Short words and judgements are in many hints. */
export function isCommon(word: string): boolean {
  return isJudgement(word) || isComparison(word) || /^(?:[a-z'-]{1,3}|\p{Script=Han})$/u.test(word);
}

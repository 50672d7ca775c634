import { plainFormulas } from '../text/latex.js';
import { foldCase, normalise } from '../text/normalise.js';
import { isSame, type NumberAt, numbersOf, SAID_TO_BE, spelledNumbersOf } from './numbers.js';
import { sentencesOf } from './segments.js';

/** The final answer of a reference solution, in the forms in which a hint may give it away. */
export interface FinalAnswer {
  /** Plain notation without blanks: `(x+2)(x-3)`; null if it does not end in a formula. */
  readonly formula: string | null;
  /** Its numeric values, for a percentage with and without the sign. */
  readonly values: readonly Part<number>[];
  /** Its words and chemical formulas, such as `photosynthesis`, `went`, `h2so4`. */
  readonly words: readonly Part<string>[];
}

interface Part<T> {
  readonly value: T;
  /** The question, or the student, has the same: then it is the answer only where it is said to be. */
  readonly isGiven: boolean;
}

/** In one notation, in lower case; intervals without an end as inequalities. */
export function plain(text: string): string {
  return foldCase(plainFormulas(normalise(text)))
    .replace(/[−–—]/g, '-')
    .replace(/[×·]/g, '*')
    .replace(/÷/g, '/')
    .replace(/(?<=\d)\u20e3(?=\d)/g, '')
    .replace(/[→⇌]|={2,}/g, '=')
    .replace(/ ?per ?cent(?![a-z])/g, '%')
    .replace(/(?<![\w.]|\* ?)10(?=\^-?\d)/g, '1*10')
    .replace(/[[(]([^,()[\]]{1,12}),\s*\+?\s*∞\s*\)/g, '>$1')
    .replace(/\(\s*-\s*∞\s*,([^,()[\]]{1,12})[\])]/g, '<$1')
    .replace(/\$/g, '');
}

/** Blanks, and signs of layout, say nothing. */
export function dense(text: string): string {
  return plain(text).replace(/[\s，。、；！？,;!?"'“”‘’*_]+/g, '');
}

/** What follows an answer: its reason, or its check. */
const REMARK =
  /(?:(?<=[\w)$])[,，]?\s(?:because|since)\s|[，,]\s*(?:检验|验算)(?!.*无解)|^\s*(?:check|test|检验|验算)\s*[:：]).*$/isu;

/**
 * The final answer of a reference solution: the numbers that its last sentence with a number or a formula ends with,
 * the formula or the words there; null if there are none. `given` are the texts that the student knows. Pure.
 */
export function finalAnswerOf(reference: string, given: readonly string[]): FinalAnswer | null {
  const known = given.map(plain);
  const knownNumbers = known.flatMap((text) => [
    ...numbersOf(text).flatMap(({ values }) => values),
    ...spelledNumbersOf(text).map(({ value }) => value),
  ]);
  const listed = reference.replace(/[;；]/g, '，');
  const sentences = sentencesOf(listed).flatMap(({ start, end }) => {
    const sentence = listed.slice(start, end).replace(REMARK, '').trim();
    return sentence === '' ? [] : [sentence];
  });
  const partOf = (value: string) => ({ value, isGiven: known.some((text) => wordIn(value).test(text)) });
  const [, judgement, filled] = BEGINNING.exec(sentences[0] ?? '') ?? [];
  const judged = [judgement, filled].flatMap((word) => (word === undefined ? [] : [partOf(foldCase(word))]));
  const words = lastWords(sentences).map(partOf);
  if (words.length > 0) return { formula: null, values: [], words: [...judged, ...words] };
  const resultIn = (sentence: string): Omit<FinalAnswer, 'words'> | null => {
    const written = plain(sentence);
    const numbers = lastNumbers(written);
    const formula = formulaAt(written);
    if (numbers.length === 0 && formula === null) return null;
    const values = (EQUATION.test(plainFormulas(normalise(sentence))) ? [] : numbers).flatMap(({ text, values }) =>
      (text.endsWith('%') ? [1, 100] : [1]).flatMap((scale) => values.map((value) => scale * value)),
    );
    return {
      formula: formula === null || given.some((text) => dense(text).includes(formula)) ? null : formula,
      values: values.map((value) => ({ value, isGiven: knownNumbers.some((one) => isSame(one, value)) })),
    };
  };
  const [first = '', second] = sentences;
  const last = sentences.findLast((sentence) => resultIn(sentence) !== null) ?? '';
  const isExplained = sentences.length === 2 && second === last && isComputed(first) && isRemark(last, first);
  const ends = isExplained ? [first, last] : [last];
  const results = ends.flatMap((sentence) => resultIn(sentence) ?? []);
  if (results.length + judged.length === 0) return null;
  const formula = results.findLast((result) => result.formula !== null)?.formula ?? null;
  return { formula, values: results.flatMap(({ values }) => values), words: judged };
}

const PROSE = /(?<![a-z])(?!(?:so|or|and|gives|hence|thus|then)(?![a-z]))[a-z]{2}|(?![得即或和且所以])\p{Script=Han}/u;

/** A computation without words: `x(x - 5) = 0, so x = 0 or x = 5`. */
function isComputed(sentence: string): boolean {
  const written = plain(sentence);
  return written.includes('=') && !PROSE.test(written);
}

/** Before its colon, an explanation: `Regroup across the zero: 403 = 3 hundreds + 9 tens + 13 ones`. */
const EXPLAINS =
  /^(?:(?:regroup|borrow|carry|exchange|trade|note|notice|mind|remember|recall|reason)(?![a-z])[^:=]{0,40}|(?:退位|进位|借位|注意|说明|解释|理由)[^:=]{0,12}):/;

/** Before a result of a sentence. */
const OWN_RESULT = [SAID_TO_BE, /(?:共|makes?)\s*$/];

/**
 * Whether words explain what was computed, rather than go on with it: they say so, or end with a result of it
 * (`Dividing by x threw away x = 0`), or have a number of it, but neither its result nor one of their own.
 */
function isRemark(sentence: string, computed: string): boolean {
  const written = plain(sentence);
  if (!PROSE.test(written) || /^(?:so|thus|hence|then|therefore|故|所以|因此|则)|answer|答|选/.test(written))
    return false;
  if (EXPLAINS.test(written)) return true;
  const [left = '', ...rights] = plain(computed).split('=');
  const results = wholeNumbersOf(rights.join(' '));
  const ends = lastNumbers(written);
  if (ends.length > 0 && ends.every(({ text }) => results.includes(text))) return true;
  const said = wholeNumbersOf(written);
  if (results.some((number) => said.includes(number))) return false;
  const isResult = ends.some(({ at }) => OWN_RESULT.some((before) => before.test(written.slice(0, at))));
  return !isResult && wholeNumbersOf(left).some((number) => number.length > 1 && said.includes(number));
}

/** Without coefficients. */
function wholeNumbersOf(written: string): readonly string[] {
  return [...written.matchAll(/(?<![\w.])\d+(?:\.\d+)?(?![a-z\d])/g)].map(([number]) => number);
}

/** What stands between two numbers of one answer: `3 或 x = -2`, `(3, -2)`, `5 rabbits and 7 hens`, `-1 < x < 3`. */
const BETWEEN = new RegExp(
  [
    '^\\s*\\(?(?:[a-z°/^\\d]{1,10}|\\p{Script=Han}{1,2})?[)\\]]*\\s*\\(?',
    '(?:[,，、]|[和或与及且]|and\\b|or\\b)+\\s*(?:and\\b|or\\b|[和或且])?\\s*',
    '([a-z]\\w{0,3}\\s*[=≈<>≤≥≠]|[长宽高底腰][是为]?)?\\s*[([{]*$|^\\s*[<≤]\\s*[a-z]\\s*[<≤]\\s*$',
  ].join(''),
  'u',
);

/** Where the second of two numbers has a name, the first one has one too: `3x = 9, x = 3` has one answer. */
const NAMED = /(?:(?<!(?:[\d)^*/+-]|(?<![a-z])[a-z])\s*)(?<![a-z])[a-z]\w{0,3}\s*[=≈<>≤≥≠]|[长宽高底腰][是为]?)\s*$/;

/** The last number of a sentence, and those that are listed with it. */
function lastNumbers(written: string): readonly NumberAt[] {
  const numbers = numbersOf(written);
  let first = numbers.length - 1;
  for (; first > 0; first -= 1) {
    const [{ at = 0, text = '' } = {}, next] = numbers.slice(first - 1, first + 1);
    const between = BETWEEN.exec(written.slice(at + text.length, next?.at));
    if (between === null || (between[1] !== undefined && !NAMED.test(written.slice(0, at)))) break;
  }
  return numbers.slice(Math.max(0, first));
}

/** The last expression of a sentence: what stands behind its last sign of equality, or at its end. */
const EXPRESSION = /[-+*/^=().,<>≤≥≠±√π|:\w]*[\w)π|][^\p{L}\w]*$/u;

const LATIN_WORD = /(?<![a-z\\])(?!sin|cos|tan|log)(?:[a-z]{4,}|(?:the|and|for|so|or|is|of|to|at|in)(?![a-z]))/;

/**
 * The formula that a sentence ends with, without signs of layout, and without its left side if the right one is no mere
 * term; null if it ends in words or in a number.
 */
function formulaAt(sentence: string): string | null {
  const [tail = ''] = sentence.split(LATIN_WORD).slice(-1);
  const squeezed = tail.replace(/\s+/g, '').replace(/[。.，,；;！!]+$/, '');
  const found = EXPRESSION.exec(squeezed)?.[0].replace(/[^\w)π|]+$/u, '') ?? '';
  const right = dense(found.slice(found.lastIndexOf('=') + 1)).replace(/(?<=[√π].*)[cdkm]?m(?:\^[23])?$/, '');
  if (/[√π]/.test(right) || (right.length > 3 && /[a-z]/.test(right) && /[-+/^]/.test(right))) return right;
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

const NO_SOLUTION = /(?:无解|无实数?根|no (?:real )?(?:solutions?|roots?))$/i;

/** A short reference is an answer, behind the name of what is asked for. */
const SHORT =
  /^(?:\p{Script=Han}{1,8}?[是为]|the (?:\w+ ){1,3}(?:is|was) )?(\p{Script=Han}{1,4}|[A-Za-z'-]+(?: [A-Za-z'-]+)?)$/iu;

/** Two elements, or one with a number, at the end of a sentence. */
const ELEMENT = '(?:He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Cr|Mn|Fe|Co|Ni|Cu|Zn|Br|Ag|Ba|Hg|Pb|Sn|Au|Pt|[HBCNOFPSKI])';
const COMPOUND = `(?=.*(?:\\d|[A-Z].*[A-Z]))((?:\\(?${ELEMENT}\\d{0,2}(?:\\)\\d?)?)+(?:\\^\\(?\\d?[+-]\\)?)?)$`;
const CHEMICAL = new RegExp(`(?<![\\w(=+*/^-])\\d{0,2}${COMPOUND}`);

/** Of a reaction: its numbers are coefficients. */
const EQUATION = new RegExp(`[+=→]\\s*\\d{0,2}\\s*${COMPOUND}`);

/** Pairs of words that judge a statement: they are in many hints, and one stands for another. */
const JUDGEMENTS = ['true|right|correct|yes|正确|对|是', 'false|wrong|incorrect|no|不正确|错误|不对|不是|错'];
const JUDGEMENT = new RegExp(`^(?:${JUDGEMENTS.join('|')})的?$`);

/** An answer before its reasons: a judgement, or what fills a blank (`has. "Each" is singular.`). */
const BEGINNING = new RegExp(
  `^(?:(${JUDGEMENTS.join('|').replace(/\b[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)})(?=\\s*(?:[,，.。!！:：]|$))|([a-z][a-z' -]{0,20})\\.$)`,
);

/** The words that a reference ends with as its answer; a chemical formula only without numbers before it. */
function lastWords(sentences: readonly string[]): readonly string[] {
  const last = plainFormulas(normalise(sentences.at(-1) ?? ''));
  const end = last.replace(/["”’」)\s.。!！,，]+$/, '');
  const short = sentences.length === 1 && !/^[A-L]{1,6}$/.test(end) ? SHORT.exec(end)?.[1] : undefined;
  const compound = numbersOf(plain(last)).length > 0 ? undefined : CHEMICAL.exec(end)?.[1];
  const marked = MARKED.exec(end)?.[1] ?? NO_SOLUTION.exec(end)?.[0];
  const found = marked ?? short ?? compound ?? '';
  return foldCase(found)
    .split(/["”’」)]*\s*[，,、]\s*["“‘「(]*/)
    .map((word) => word.replace(/^(?:an?|the) /, ''))
    .filter((word) => word !== '');
}

/** Finds a word of an answer in a text in plain notation, also in the plural; of a judgement each word for it. */
export function wordIn(word: string): RegExp {
  const alike = JUDGEMENTS.find((words) => words.split('|').includes(word.replace(/的$/, '')));
  return new RegExp(`(?<![a-z])(?:${alike ?? word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')})(?:e?s)?(?![a-z\\d])`, 'g');
}

/** Short words and judgements are in many hints. */
export function isCommon(word: string): boolean {
  return JUDGEMENT.test(word) || /^(?:[a-z'-]{1,3}|\p{Script=Han})$/u.test(word);
}

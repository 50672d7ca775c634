import { splitOptions } from '../domain/choices.js';
import { simplified } from '../domain/simplified.js';
import { coverage } from '../search/verdict.js';
import { canonicalQuestion } from '../text/canonical-question.js';
import { lexemes } from '../text/lexemes.js';
import { stem } from '../text/stem.js';
import { STOP_WORDS } from '../text/stop-words.js';
import { withoutTalk } from '../text/talk.js';
import { chineseNumbersOf } from './chinese-numbers.js';
import { englishNumbersOf } from './english-numbers.js';
import { withoutMarks } from './marks.js';
import { dense, plain } from './notation.js';
import { isSame, numbersOf, spelledNumbersOf, valuesIn } from './numbers.js';

/**
 * Least share of a question's words that a text has which asks it: without numbers and formulas, with one, with more.
 * Chosen on the sample and on the reworded copies in two public sets; with lower ones a short question was taken for a
 * part of a long one.
 */
const LEAST_WORDS = [0.85, 0.7, 0.5] as const;

/** "Which statement is right?" is asked of anything. */
const LEAST_BARE_WORDS = 4;

/** A text with so many times the words of a question without a formula is another question, which is longer. */
const MOST_AROUND = 4;

/**
 * Limit of a text and a question, in UTF-16 units, whose numbers and formulas are compared, each with each: of longer
 * ones only whether the text has the question to the letter.
 */
const MAX_CHARS = 2_000;

/** Characters without layout that are no question by chance. */
const LEAST_CHARS = 12;

/**
 * Tells of a question whether the text asks it, in whatever words: it has all formulas and numbers of the question,
 * most of its words, and does not ask for something else instead. There may be more around it, as in a chat. Pure.
 */
export function asks(text: string): (question: string) => boolean {
  const whole = dense(text);
  const compare = text.length <= MAX_CHARS ? asksInOtherWords(text) : null;
  return (question) => {
    const alone = withoutTalk(question);
    const copy = dense(alone);
    if (copy.length >= LEAST_CHARS && whole.includes(copy)) return true;
    return compare !== null && alone.length <= MAX_CHARS && compare(alone);
  };
}

function asksInOtherWords(text: string): (alone: string) => boolean {
  const { stem: said, options } = splitOptions(text);
  const found = givenIn(said);
  const numbers = [...new Set([...numbersIn(said), ...found.formulas.flatMap(numbersIn)])];
  const words = [text, said].map(wordsOf) as [readonly string[], readonly string[]];
  const around = new Set(words[1]).size;
  const telling = tellingWordsOf(text);
  return (alone) => {
    const { stem: asked } = splitOptions(alone);
    const given = givenIn(asked);
    if (!given.formulas.every((one) => found.formulas.some((other) => holds(other, one)))) return false;
    if (![...new Set(given.numbers)].every((one) => numbers.some((other) => isSame(one, other)))) return false;
    const count = new Set(given.numbers).size + given.formulas.length;
    // A student may leave the options out, but those of a text are its question where the stem is any question's.
    const compared = count === 0 && options.length > 0 ? alone : asked;
    const own = [...new Set(wordsOf(compared.replace(INSTRUCTION, ' ')))];
    if (count === 0 && own.length < LEAST_BARE_WORDS) return false;
    if (given.formulas.length === 0 && around > MOST_AROUND * own.length) return false;
    const least = LEAST_WORDS[Math.min(count, 2)] as number;
    if (own.length > 0 && coverage(words[0], own) < least) return false;
    const others = tellingWordsOf(asked);
    return others.every((word) => telling.includes(word)) || telling.every((word) => others.includes(word));
  };
}

/** What tells to answer, in any question. */
const INSTRUCTION =
  /已知|如图|[试请]?(?:求出?|解答?|计算|化简|列式|填空|写出)|的?值|下列|说法|方程组?|不等式|什么|多少|怎[么样]|几|\b(?:solve|find|calculate|compute|work out|evaluate|simplify|given|values?|equations?|inequality|how|many|much)\b/gi;

/** Pairs of Chinese characters and stems of words. */
function wordsOf(text: string): readonly string[] {
  return lexemes(text).flatMap(({ kind, text: found }) => {
    if (kind === 'han') return [...found.matchAll(/(?<=(.))./gu)].map(([next, before]) => `${before}${next}`);
    return kind === 'word' && found.length > 1 && !STOP_WORDS.has(found) ? [stem(found)] : [];
  });
}

interface Given {
  /** In plain notation without blanks, and names such as ABC. */
  readonly formulas: readonly string[];
  readonly numbers: readonly number[];
}

/** Around a sign, but not behind a word. */
const BLANKS_OF_FORMULA = /(?<=[-+*/^=<>≤≥≠≈±√|])[^\S\n]+|(?<=[^a-z\s]|(?<![a-z])[a-z])[^\S\n]+(?=[-+*/^=<>≤≥≠≈±√|])/g;
const RUN = /[-+*/^=<>≤≥≠≈±√|()\w.°%\p{Script=Greek}]+/gu;
const FORMULA = /^(?=.*[-+*/^=<>≤≥≠≈±√π])(?!.*[a-z]{4})(?=.*[\da-z(].*[\da-z])/;
const PLAIN_NUMBER = /^[-±]?[\d.]*(?:\/[\d.]+)?%?$/;
const NAME = /(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])/g;

function givenIn(text: string): Given {
  const formulas: string[] = text.match(NAME) ?? [];
  const words = plain(simplified(text))
    .replace(BLANKS_OF_FORMULA, '')
    .replace(RUN, (run) => {
      const formula = run.replace(/(?<=[\d)])\*(?=[a-z(])/g, '').replace(/^[.)=]+|[.(=-]+$/g, '');
      if (PLAIN_NUMBER.test(formula) || !FORMULA.test(formula)) return run;
      formulas.push(formula);
      return ' ';
    });
  const rest = withoutMarks(words);
  // 一 and 两 are in many words.
  const spelled = [
    ...chineseNumbersOf(rest).filter(({ value }) => value > 12 || value % 1 > 0),
    ...englishNumbersOf(rest),
  ].map(({ value }) => value);
  return { formulas, numbers: [...numbersOf(rest).flatMap(({ values }) => values), ...spelled] };
}

function numbersIn(text: string): readonly number[] {
  return valuesIn(plain(simplified(text)));
}

/** Whether a formula is another one, or an equation with it: `3/4+1/8=4/12`. */
function holds(formula: string, part: string): boolean {
  const at = formula.indexOf(part);
  return at >= 0 && /(?:^|[=(])$/.test(formula.slice(0, at)) && /^(?:$|[=)])/.test(formula.slice(at + part.length));
}

/** Names of people, and time: before a change is after the other one. */
const UNTELLING = /^(?:[甲乙丙丁戊前后半]|before|after)$/;

/** Words that make another question, such as 周长 and 面积: of two that ask the same, one may have more of them. */
function tellingWordsOf(text: string): readonly string[] {
  return canonicalQuestion(simplified(text)).exact.filter(
    (word) =>
      /^(?:\p{Script=Han}+|[a-z]{4,}|not|odd|sum)$/u.test(word) &&
      !UNTELLING.test(word) &&
      spelledNumbersOf(word).length === 0,
  );
}

import { plain } from './notation.js';
import { isSaidToBe, lastNumbers } from './numbers.js';

/** What follows an answer: its reason, or its check. */
export const REMARK =
  /(?:[，,]\s*(?:因为|由于)(?!.*(?:所以|因此|故|[则得共=]))|(?<=[\w)$])[,，]?\s(?:because|since)\s|[，,]\s*(?:检验|验算|(?:check|test)\s*[:：])(?!.*无解)|^\s*(?:check|test|检验|验算)\s*[:：]).*$/isu;

/** Not the unit of a number, nor a function. */
const PROSE =
  /(?<![a-z]|\d\s?)(?!(?:so|or|and|gives|hence|thus|then)(?![a-z])|sin|cos|tan|log|ln)[a-z]{2}|(?<!\d\s?)(?![得即和或且所以])\p{Script=Han}/u;

/** A computation without words: `x(x - 5) = 0, so x = 0 or x = 5`. */
export function isComputed(sentence: string): boolean {
  const written = plain(sentence);
  return /[=<>≤≥≠≈]/.test(written) && !PROSE.test(written);
}

/** A bracket with words beside a number: `t = 1 s (on the way up)`, `1 m² (= 10 000 cm²)`. */
export const WORDED_BRACKET =
  /(?<=[\p{L}\p{N}$²³]\s?)[(（](?=\s*[=≈]|(?!\s*约)[^()（）]*(?:[a-z]{3}|\p{Script=Han}{2}))[^()（）]*[)）]/giu;

/** A result and words about it: `t = 1 s and t = 3 s: both are times`, `2Mg+O₂=2MgO，两边各有 2 个镁原子`. */
export const EXPLAINED = /^(.+?)(?:[:：，]|,\s)([^:：，]*)$/su;

const CONCLUDED = /[=≈]|[是为得共即]\s*[[({]?\s*[±-]?\d|answer|答|结果/;

/** Words without a result of their own, all of whose numbers are in texts that are known. */
export function saysNothingNew(words: string, texts: readonly string[]): boolean {
  const written = plain(words);
  if (!PROSE.test(written) || CONCLUDED.test(written)) return false;
  const known = texts.flatMap((text) => plain(text).match(/\d+(?:\.\d+)?/g) ?? []);
  return (written.match(/\d+(?:\.\d+)?/g) ?? []).every((number) => known.includes(number));
}

/** Before its colon, an explanation: `Regroup across the zero: 403 = 3 hundreds + 9 tens + 13 ones`. */
const EXPLAINS =
  /^(?:(?:regroup|borrow|carry|exchange|trade|note|notice|mind|remember|recall|reason)(?![a-z])[^:=]{0,40}|(?:退位|进位|借位|注意|说明|解释|理由)[^:=]{0,12}):/;

/**
 * Whether words explain what was computed, rather than go on with it: they say so, or end with a result of it
 * (`Dividing by x threw away x = 0`), or have a number of it, but neither its result nor one of their own.
 */
export function isRemark(sentence: string, computed: string): boolean {
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
  const isResult = ends.some(({ at }) => {
    const before = written.slice(0, at);
    return isSaidToBe(before) || /(?:共|makes?)\s*$/.test(before);
  });
  return !isResult && wholeNumbersOf(left).some((number) => number.length > 1 && said.includes(number));
}

/** Without coefficients. */
function wholeNumbersOf(written: string): readonly string[] {
  return [...written.matchAll(/(?<![\w.])\d+(?:\.\d+)?(?![a-z\d])/g)].map(([number]) => number);
}

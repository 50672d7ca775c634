import { isComparison, isJudgement } from './final-answer.js';
import type { Known } from './known.js';
import { isSaidToBe } from './numbers.js';

/** A word of a text, or for a judgement one that means the same, with what stands before and behind it. */
interface Mention {
  readonly before: string;
  readonly found: string;
  readonly after: string;
}

/** Whether a text says that a word of it is the answer. */
export function isWordSaidToBe(word: string, { before, found, after }: Mention, { behindBlank }: Known): boolean {
  const isSaid = WORD_SAID_TO_BE.test(before);
  if (isComparison(word))
    return (
      (isSaid || isSaidToBe(before) || /(?:所以|因此)\s*$/.test(before)) &&
      !/^["”’」]?\s*(?:还是|[或、,，]|or )/.test(after)
    );
  // 能不能 asks.
  if (after.startsWith(`不${word}`)) return false;
  if (isJudgement(word)) return !QUESTIONED.test(after) && (isSaid || isJudged(before, found, after));
  if (isSaid || RIGHT_BEHIND.test(after)) return true;
  const isEnd = WORD_END.test(after) || behindBlank.includes(/^\s*([a-z\d]+)/.exec(after)?.[1] ?? '');
  if (!isEnd) return false;
  return ENDING_WORD_SAID_TO_BE.test(before) || (TOLD.test(before) && !LISTED.test(after) && !ASKED.test(after));
}

/** What stands before a word that is said to be the answer. */
const WORD_SAID_TO_BE =
  /(?:答案|说法|命题|结论|判断|应判断?为|句话|表述|观点|应该?|填|选|answer|statement|claim|blank)(?:\s*(?:就?应?[是为填]|is))?(?:\s*[:：])?\s*["“'‘「(]*$/;

/** Behind a word: `is is correct`, 才合适. */
const RIGHT_BEHIND =
  /^["”'’」]?\s*(?:才(?:对|行|合适|正确|恰当|符合)|的意思|is (?:the )?(?:correct|right)(?![a-z]))(?![^。.!！\n]{0,20}[吗?？])/;

/** Behind a judgement that is asked for. */
const QUESTIONED = /^(?:误|确)?的?\s*(?:吗|还是|或|or )/;

/** Before true or false, what stands for the statement. */
const JUDGES = /(?:^|[.!?:;,\n])\s*(?:so|thus|hence|therefore)?,?\s*(?:it|this|that)(?:'s| is)\s*$/;

/** Behind one: no praise of what the student did, and no `true that`. */
const JUDGED =
  /^(?:误|确)?的?\s*(?:[,，.。!！;；](?!\s*(?:you|good|let|now|but|and|look|think|你|很好|不错|但|继续|再))|because|since|$)/;

/** Whether a text begins with a judgement, or says that it is true or false: `That is wrong.` is one of a step. */
function isJudged(before: string, found: string, after: string): boolean {
  const isStatement = /true|false/.test(found) && JUDGES.test(before);
  return (before.trim() === '' || isStatement) && JUDGED.test(after);
}

/** What stands before a word that ends there: `The units should be right.` is no judgement. */
const ENDING_WORD_SAID_TO_BE =
  /(?:正确的是|[写改变换]成|[改换]为|写作|(?:解释|译)[为成作]|意思是|becomes|(?:change|turn)[^.。\n]{0,40} (?:in)?to|replace[^.。\n]{1,40} with|(?:word|form|verb|preposition|article|conjunction|pronoun) is|should (?:be|write))(?:\s*[:：])?\s*["“'‘「(]*$/;
const WORD_END = /^\s*(?:["”'’」)*`.。,，;；:!！](?!字)|$)/;

/** Before one that a student is told to use, but not `when to use` or `do not use`. */
const TOLD =
  /(?:(?<!(?:not|n't|never|to|do (?:we|you)) )(?<![a-z])(?:use|need|say|insert|put|fill in|choose|pick|select|takes|needs)(?: the (?:word|verb|preposition|article|form))?|(?<![不别作]|时候|何时|怎[么样])用(?:[动介冠连代]词)?)\s*["“'‘「]*$/;

/** Behind the first of several to choose from. */
const LISTED =
  /^["”'’」]*\s*(?:、|\/|还是|或|和|与|or |and |[,，]\s*["“'‘「]?[a-z]{1,10}["”'’」]?\s*(?:[,，、]|or |and |还是|或|和))/;
const ASKED = /^[^.。!！\n]{0,60}[?？]/;

import { splitOptions } from '../domain/choices.js';
import { plain } from './notation.js';
import { CONTEXT } from './numbers.js';

/** The options of a question in plain notation, and what it asks for. */
export interface OptionClaims {
  readonly right: readonly string[];
  readonly wrong: readonly string[];
  /** A sentence about the right option that has one of these claims it. */
  readonly asked: readonly string[];
}

/** Options of numbers and of grammar words are in many hints. */
const IN_MANY_HINTS =
  /^(?:an?|the|am|is|are|was|were|be|been|do|does|did|has|have|had|can|will|would|may|must|in|on|at|of|to|by|for|from|with|and|or|but|so|if|as|it|its|he|she|his|her|they|their|who|whom|whose|which|what|that|this|not|no|yes|true|false)$/;
const IS_WORDED = /[a-z]{3}|\p{Script=Han}{2}|[√π]/u;

/** Around what a Chinese question asks for: 下列物质属于纯净物的是. */
const FRAME =
  /下列|以下|下面|[哪那][一些个项种]?|属于|正确|错误|说法|选项|叙述|应该?|可以|是|的|有|为|[^\p{Script=Han}]+/u;

/** Of English questions, less than what it asks for. */
const FRAME_WORD =
  /^(?:following|called|statement|statements|correct|incorrect|answer|option|choose|sentence|should|belong|belongs)$/;

/** None if a question has no options, or blanks in its text: then words around them are in every hint. */
export function optionClaimsOf(question: string, choice: string | undefined): OptionClaims | null {
  const { stem, options } = splitOptions(question);
  if (choice === undefined || options.length < 2 || /_{2,}/.test(stem)) return null;
  const all = options.map((option) => plain(option).replace(/[\s.。;；]+$/, ''));
  const isRight = (place: number): boolean => choice.includes(String.fromCharCode(65 + place));
  const right = all.filter(
    (option, place) => isRight(place) && IS_WORDED.test(option) && !IN_MANY_HINTS.test(option) && option.length <= 60,
  );
  const written = plain(stem);
  const chinese = written.split(FRAME).filter((term) => term.length > 1);
  const english = (written.match(/[a-z]{6,}/g) ?? []).filter((word) => !FRAME_WORD.test(word));
  return {
    right,
    wrong: all.filter((option, place) => !isRight(place) && !written.includes(option)),
    asked: [...chinese.slice(-1), ...english.slice(0, 12)],
  };
}

const SENTENCE_ENDS = /(?<=[。!！?？;；\n]|\.(?!\d))/;

const IS_ASKED =
  /[?？吗哪]|是不是|是否|还是|(?<![a-z])(?:whether|which|why|if|suppose|imagine)(?![a-z])|如果|假如|假设/;
const IS_TASK =
  /^\s*(?:想|看|比|检|回忆|试|请|先|再|注意|think|look|compare|check|consider|try|recall|remember|read|what|how|is|are|does|do|can)/;

/** Beside the right option, which is said to be the only one. */
const ONLY_BEFORE = /(?:只有|正是|就是|(?<![a-z])only(?: the| an?)?)\s*["“]?$/;
const ONLY_BEHIND = /^["”]?\s*[^，,]{0,12}(?:才[是能会有对]|就是(?:答案|正确))/;
const INSTEAD = /^["”]?\s*[,，]?\s*(?:(?:and )?not|而?不是|rather than|instead of)(?![a-z])/;

/** The right option, if a sentence of a text in plain notation says what the question asks about it alone. */
export function claimIn(said: string, claims: OptionClaims | null): string | undefined {
  if (claims === null || claims.right.length === 0) return undefined;
  for (const sentence of said.split(SENTENCE_ENDS)) {
    if (IS_ASKED.test(sentence) || IS_TASK.test(sentence)) continue;
    for (const option of claims.right) {
      const at = placeOf(option, sentence);
      if (at < 0) continue;
      const after = sentence.slice(at + option.length);
      if (
        INSTEAD.test(after) ||
        ONLY_BEFORE.test(sentence.slice(Math.max(0, at - CONTEXT), at)) ||
        ONLY_BEHIND.test(after)
      )
        return option;
      const isAlone = claims.wrong.every((other) => placeOf(other, sentence) < 0);
      const rest = `${sentence.slice(0, at)} ${after}`;
      if (isAlone && claims.asked.some((term) => rest.includes(term))) return option;
    }
  }
  return undefined;
}

/** Of a whole word, also in the plural. */
function placeOf(option: string, sentence: string): number {
  const isWord = /^[a-z].*[a-z]$/s.test(option);
  for (let at = sentence.indexOf(option); at >= 0; at = sentence.indexOf(option, at + 1)) {
    const end = at + option.length;
    const isCut = /[a-z]/.test(sentence[at - 1] ?? '') || /^(?!s(?![a-z]))[a-z]/.test(sentence.slice(end, end + 2));
    if (!(isWord && isCut)) return at;
  }
  return -1;
}

import { isSaidToBe } from './numbers.js';

/**
 * A number of a list, before something on its line. Group: one with a blank behind it, which is a mark by itself; the
 * others are marks where a list counts up to them.
 */
const LIST_MARK =
  /^[^\S\n]*(?:(\d+[.、)])(?=[^\S\n])|(?:#{1,6} ?)?\d{1,2}(?:[.、)](?!\d)|\u20e3))(?=[^\S\n]*\S)|(?<![\p{L}\p{N}_)\]}^=][^\S\n]?)\(\d{1,2}\)(?=\s*\p{L})/gmu;

/** What has a number as its name: `第 2、3 步`, `提示 2`, `step 2`, `lines 1 and 2`. */
const ORDINAL =
  /第\s*\(?\d+\)?(?:\s*[、,和与到至](?:\s*第)?\s*\(?\d+\)?){0,3}\s*(?:步|行|句|小?[问题空]|[层条个]提示)/g;
const NAMED = /(?:步骤|方程|公式|(?<![a-z])(?:step|part|line|equation|formula))\s*\(?\d+\)?(?!\w|\.\d|\s*[-+*/^=])/g;

/** Names that are also things to count, so not before a noun or a unit: `例 3 也是`, but `病例 12 例`. */
const NAMED_OR_COUNTED = new RegExp(
  [
    '(?:提示|资料|情况|(?<!(?![看用照如和与见按在示范])\\p{Script=Han})例题?',
    '|(?<![a-z]|(?:this|that|our|my|your|the|each) )(?:hint|example|question)',
    '|(?<![a-z]|(?:these|both|our|the|all|two|in) )(?:steps|parts|lines|equations|hints|examples|cases)\\s+\\d+\\s*(?:and|or|to|,|&))',
    '\\s*\\(?\\d+\\)?(?!\\.\\d)(?=\\s*(?:[:：,，.。;；!！?？)*\\n]|$|的|[里中也说讲]|(?:asks?|says?|tells?|shows?)(?![a-z])))',
  ].join(''),
  'gu',
);

/** Numbers of the general solution of a quadratic equation: `b^2-4ac`, `-b/(2a)`. */
const QUADRATIC = /(?<![\d.])4 ?\*? ?ac(?![a-z])|(?<=b[^\n,，。]{0,20}\/ ?\(? ?)[24] ?a(?![a-z])/g;

/**
 * A text in plain notation without citations, numbers of a list, of hints, steps and equations, how many there are, and
 * the unit “1”: these are no answers.
 */
export function withoutMarks(text: string): string {
  // `^` also matches behind these, and blanks are looked for from each match: the square of a run of them.
  const lines = text.replace(/[\r\u2028\u2029]/g, '\n');
  return withoutListMarks(lines.replace(/[[【［〔]\s*s\s*\d[^\]】］〕\n]*[\]】］〕]/g, ' '))
    .replace(ORDINAL, ' ')
    .replace(NAMED, ' ')
    .replace(NAMED_OR_COUNTED, ' ')
    .replace(/(?<!\d)\d+(?:st|nd|rd|th) (?:step|part|line|equation|sentence|hint)/g, ' ')
    .replace(/(?:分|in )\s*\d+\s*(?:步|(?:种情况|类)\s*讨论|steps)|(?<!\d)\d+ (?:unknowns|equations)/g, ' ')
    .replace(/(?<!\d)\d+\s*个(?:未知数|方程|步骤)/g, ' ')
    .replace(QUADRATIC, ' ')
    .replace(/(?:单位(?:\s*["“「])?|系数\p{Script=Han}{0,3}化[为成])\s*1(?![\d.])/gu, ' ');
}

/** Marks that stand by themselves, and those of lists of two or more that count up from 1. */
function withoutListMarks(text: string): string {
  const counted = new Set<number>();
  const lasts = new Map<string, { readonly number: number; readonly at: number }>();
  for (const { 0: mark, index: at } of text.matchAll(LIST_MARK)) {
    const kind = mark.replace(/[\s\d#]/g, '');
    const number = numberOf(mark);
    const last = lasts.get(kind);
    if (number === 1) lasts.set(kind, { number, at });
    if (last?.number !== number - 1) continue;
    lasts.set(kind, { number, at });
    counted.add(last.at).add(at);
  }
  const unmarked = text.replace(LIST_MARK, (mark: string, isSpaced: string | undefined, at: number) => {
    const before = text.slice(0, at).trimEnd();
    const isAnswer = isSaidToBe(before) || (before.endsWith(':') && !counted.has(at));
    if (isSpaced !== undefined) return isAnswer && numberOf(mark) !== 1 ? mark : ' ';
    return counted.has(at) && !isAnswer ? ' ' : mark;
  });
  return unmarked.replace(/^[^\S\n]*[-*]\s/gm, ' ');
}

function numberOf(mark: string): number {
  return Number(/\d+/.exec(mark)?.[0]);
}

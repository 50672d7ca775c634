import type { CanonicalQuestion } from '../domain/duplicates.js';
import { stem } from './stem.js';
import { STOP_WORDS } from './stop-words.js';

/** A Chinese character or a Latin word of a question, without formulas. */
type Word = string;

/** What stands in two texts between the same words. */
interface Replacement {
  readonly before: readonly Word[];
  readonly after: readonly Word[];
}

/** Limit of the table of an alignment, .6 ms: two texts of 200 words that differ at both ends. */
const MAX_CELLS = 40_000;

/**
 * Whether a word of one question stands in the place of another word in the other: then these are two questions,
 * however similar the rest, as in "produced at the anode" and "produced at the cathode". A word that only one of them
 * has is no replacement, nor is a misspelled English word, another form of it, or one particle for another. True as
 * well if the two differ too much to be compared. Time in proportion to the product of the lengths of what differs.
 */
export function hasReplacedWord(a: CanonicalQuestion, b: CanonicalQuestion): boolean {
  const found = differencesOf(wordsOf(a.fuzzy), wordsOf(b.fuzzy));
  if (found === null || found.replaced.some((one) => !isSlip(one))) return true;
  // Options are in the order of their texts: another word may have put one elsewhere.
  const elsewhere = { before: without(found.removed, found.added), after: without(found.added, found.removed) };
  return elsewhere.before.length > 0 && elsewhere.after.length > 0 && !isSlip(elsewhere);
}

/** The words of one list that are not in another one, each as often as it is there more. */
function without(words: readonly Word[], others: readonly Word[]): readonly Word[] {
  const left = [...others];
  return words.filter((word) => {
    const at = left.indexOf(word);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

/**
 * For two texts to have the same wording: the least share of the words of the question that the text has in the same
 * order, and at how many places within they may differ.
 */
const SAME_WORDING = { share: 0.8, places: 2 } as const;

/** Characters one of which in the place of another is never an error of text recognition that still makes sense. */
const TELLING = /^[一二两三四五六七八九十百千万零半双单东南西北左右上下前后内外大小多少高低长短正负男女]$/u;

/**
 * The same for a text in nearly the wording of the question, which text recognition may have misread: one Chinese
 * character in the place of another one counts only if both are numerals, directions or the like. False for a question
 * in other words.
 */
export function hasOtherWord(text: CanonicalQuestion, question: CanonicalQuestion): boolean {
  const words = wordsOf(question.fuzzy);
  const found = differencesOf(wordsOf(text.fuzzy), words);
  if (found === null || found.shared < SAME_WORDING.share * words.length || found.places > SAME_WORDING.places)
    return false;
  return found.replaced.some((one) => !isSlip(one) && !isMisread(one) && !isRephrased(one));
}

/** A jacket that costs 200 euros, and the price of a jacket of 200 euros. */
function isRephrased({ before, after }: Replacement): boolean {
  return areParticles(before) || areParticles(after);
}

function areParticles(words: readonly Word[]): boolean {
  return words.every((word) => STOP_WORDS.has(word));
}

function isMisread({ before, after }: Replacement): boolean {
  const [one, other] = [before.join(''), after.join('')];
  return [one, other].every((text) => HAN.test(text)) && !(TELLING.test(one) && TELLING.test(other));
}

const HAN = /^\p{Script=Han}$/u;

/** Words that say what to do, whatever is asked for. */
const INSTRUCTIONS = new Set(
  (
    '求 计算 算出 求出 解 下列 以下 下面 正确 适当 恰当 合适 选出 选择 填写 写出 说法 叙述 表述 描述 ' +
    'find calculate compute determine evaluate solve write give state show following below'
  ).split(' '),
);

/** A typing error, another form of the word, particles, or words that say what to do. */
function isSlip({ before, after }: Replacement): boolean {
  const [one, other] = [before.join(''), after.join('')];
  if (areParticles(before) && areParticles(after)) return true;
  if (INSTRUCTIONS.has(one) && INSTRUCTIONS.has(other)) return true;
  if (HAN.test(one.slice(0, 1)) || HAN.test(other.slice(0, 1))) return false;
  return before.length === after.length
    ? before.every((word, place) => isMisspelled(word, after[place] as Word))
    : one === other;
}

/** A shorter word with one other letter is another word: cat and car. */
const SHORTEST_MISSPELLED = 4;

function isMisspelled(one: Word, other: Word): boolean {
  if (stem(one) === stem(other)) return true;
  return Math.min(one.length, other.length) >= SHORTEST_MISSPELLED && differInOneLetter(one, other);
}

/** One letter more, less or other, or two that are swapped. */
function differInOneLetter(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  return Math.max(left.length, right.length) <= 1 || (left.length === 2 && left === [...right].reverse().join(''));
}

/** The fuzzy tokens with the characters instead of the pairs of neighbours. */
function wordsOf(fuzzy: readonly string[]): readonly Word[] {
  const words: Word[] = [];
  let last = '';
  for (const token of fuzzy) {
    const characters = [...token];
    const [first = '', second = ''] = characters;
    const isPair = characters.length === 2 && HAN.test(first);
    if (isPair && first === last) words.push(second);
    else words.push(...(isPair ? characters : [token]));
    last = isPair ? second : '';
  }
  return words;
}

interface Differences {
  readonly replaced: readonly Replacement[];
  /** What only one of them has at a place. */
  readonly removed: readonly Word[];
  readonly added: readonly Word[];
  /** How many words both have, in the same order. */
  readonly shared: number;
  /** Where they differ, but for what one of them has before or after all of the other. */
  readonly places: number;
}

/** What a longest common subsequence leaves; null if the texts are too long for a table of it. */
function differencesOf(a: readonly Word[], b: readonly Word[]): Differences | null {
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const width = right.length + 1;
  if ((left.length + 1) * width > MAX_CELLS) return null;
  // By place in both: the length of the longest common subsequence of what follows.
  const lengths = new Uint16Array((left.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] as number;
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const replaced: Replacement[] = [];
  const removed: Word[] = [];
  const added: Word[] = [];
  let places = 0;
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    const before: Word[] = [];
    const after: Word[] = [];
    const isFirst = start === 0 && row + column === 0;
    while (row < left.length || column < right.length) {
      if (row < left.length && column < right.length && left[row] === right[column]) break;
      if (column === right.length || (row < left.length && at(row + 1, column) >= at(row, column + 1)))
        before.push(left[row++] as Word);
      else after.push(right[column++] as Word);
    }
    const isLast = end === 0 && row === left.length && column === right.length;
    const isReplaced = before.length > 0 && after.length > 0;
    if (isReplaced) replaced.push({ before, after });
    else {
      removed.push(...before);
      added.push(...after);
    }
    if (isReplaced || !(isFirst || isLast)) places += 1;
    while (row < left.length && column < right.length && left[row] === right[column])
      [row, column] = [row + 1, column + 1];
  }
  return { replaced, removed, added, shared: start + end + at(0, 0), places };
}

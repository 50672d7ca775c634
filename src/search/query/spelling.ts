import { inSteps } from '../../domain/steps.js';
import { STOP_WORDS } from '../../text/stop-words.js';

export interface SpellingDictionary {
  /** Whether no card has a word. */
  isUnknown(word: string): boolean;
  /** Whether a word that no card has is right as it is. */
  isRight(word: string): boolean;
  /** The words to correct to, in lower case; called for each word that is unknown and not right. */
  readonly words: () => Promise<Iterable<string>>;
}

/** Shorter words have too many neighbours: `mean`, `mole` and `mode` are all words. */
const SHORTEST = 6;
/**
 * From here on two neighbouring letters may be swapped. Of 1,743 words of three to six letters that other texts have
 * and no card of the sample, that changes two right ones (`sing` to sign, `uint` to unit; the former is an English
 * word, and stays); with three letters `dad` is add in MaE. A letter missing from words of five would change three more
 * (cause, fault, seeds).
 */
const SHORTEST_SWAPPED = 4;
/** From here on, in letters, two slips may be in one word. */
const LONG = 10;

/** Of words of either length: each look-up compares all words, and a text of noise has nothing but unknown ones. */
const MAX_LOOKED_UP = 4;

const LATIN_WORD = /(?<![\p{L}\p{N}\\_])[A-Za-z]{1,40}(?![\p{L}\p{N}_])/gu;

/**
 * The text with words that no card has, in Latin script, replaced by the nearest words of the dictionary: `quadratc
 * equaton` is read as `quadratic equation`. One slip is a letter too many, too few, another one, or two swapped;
 * a word of four or five letters may have only the last of these, and a word of ten letters two slips. Unchanged
 * without such a word. Right words stay: without a list of them 18 of 125 words of school that no card of a notebook
 * had were changed (`friction` to fraction). Against all terms of the cards instead of the words of labels one query of
 * ten was changed.
 */
export async function respelled(
  text: string,
  { isUnknown, isRight, words }: SpellingDictionary,
  signal?: AbortSignal,
): Promise<string> {
  const long = new Map<string, string | null>();
  const short = new Map<string, string | null>();
  const lookedUpWith = (word: string): Map<string, string | null> => (word.length < SHORTEST ? short : long);
  for (const [written] of text.matchAll(LATIN_WORD)) {
    const word = written.toLowerCase();
    const lookedUp = lookedUpWith(word);
    if (lookedUp.has(word) || word.length < SHORTEST_SWAPPED || lookedUp.size === MAX_LOOKED_UP) continue;
    if (!isUnknown(word)) continue;
    const near = lookedUp === short ? unswapped : nearest;
    lookedUp.set(word, isRight(word) ? null : await inSteps(near(word, await words()), undefined, signal));
  }
  return text.replace(LATIN_WORD, (written) => {
    const word = written.toLowerCase();
    return lookedUpWith(word).get(word) ?? written;
  });
}

/** The word from which this one differs by two swapped letters; of several, the first in the alphabet. */
function* unswapped(word: string, words: Iterable<string>): Generator<void, string | null> {
  let first: string | null = null;
  for (const candidate of words) {
    yield;
    if (first !== null && first <= candidate) continue;
    if (isSwapOf(word, candidate) && !STOP_WORDS.has(candidate)) first = candidate;
  }
  return first;
}

function isSwapOf(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** Of several, the first in the alphabet. */
function* nearest(word: string, words: Iterable<string>): Generator<void, string | null> {
  let best: string | null = null;
  let most = word.length >= LONG ? 2 : 1;
  for (const candidate of words) {
    yield;
    if (candidate.length < SHORTEST || Math.abs(candidate.length - word.length) > most) continue;
    const slips = slipsBetween(word, candidate);
    if (slips > most || (slips === most && best !== null && best <= candidate)) continue;
    best = candidate;
    most = slips;
  }
  return best;
}

/** Optimal string alignment. */
function slipsBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] as number) + 1 : replaced;
      row.push(Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, replaced, swapped));
    }
    before = last;
    last = row;
  }
  return last[b.length] as number;
}

export interface SpellingDictionary {
  /** Whether no card has a word. */
  isUnknown(word: string): boolean;
  /** The words to correct to, in lower case; called once a word is unknown. */
  readonly words: () => Iterable<string>;
}

/** Shorter words have too many neighbours: `mean`, `mole` and `mode` are all words. */
const SHORTEST = 6;
/** From here on, in letters, two slips may be in one word. */
const LONG = 10;

/** Each look-up compares all words, and a text of noise has nothing but unknown ones. */
const MAX_LOOKED_UP = 4;

const LATIN_WORD = /(?<![\p{L}\p{N}\\_])[A-Za-z]{1,40}(?![\p{L}\p{N}_])/gu;

/**
 * The text with words that no card has, in Latin script, replaced by the nearest words of the dictionary: `quadratc
 * equaton` is read as `quadratic equation`. One slip is a letter too many, too few, another one, or two changed round;
 * a word of ten letters may have two. Unchanged without such a word. Right words that no card has are kept out by the
 * dictionary: against all terms of the cards `shirt` was read as `short`, and one query of ten was changed.
 */
export function respelled(text: string, { isUnknown, words }: SpellingDictionary): string {
  const lookedUp = new Map<string, string | null>();
  return text.replace(LATIN_WORD, (written) => {
    const word = written.toLowerCase();
    if (!lookedUp.has(word)) {
      if (word.length < SHORTEST || lookedUp.size === MAX_LOOKED_UP || !isUnknown(word)) return written;
      lookedUp.set(word, nearest(word, words()));
    }
    return lookedUp.get(word) ?? written;
  });
}

/** Of several, the first in the alphabet. */
function nearest(word: string, words: Iterable<string>): string | null {
  let best: string | null = null;
  let most = word.length >= LONG ? 2 : 1;
  for (const candidate of words) {
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

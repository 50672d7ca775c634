import { readJiebaFile } from './jieba-files.js';
import { stem } from './stem.js';

/**
 * jieba's idf (natural logarithm, from a news corpus) only separates common words from others: words of every exam
 * paper are as rare there as a topic. So only words below this value, about 3,500, get a lower weight.
 */
const COMMON_BELOW_IDF = 7;

/** Words that occur in English questions of every subject. */
const COMMON_ENGLISH = `
how many much find following number value if each given equal answer one two three first second time total people like
year day old solve result make use get take let has question problem below shown same different possible when all some
other after before between correct incorrect true false statement choose complete sentence passage according best
describe explain calculate determine write student teacher class school show draw figure picture table`;
const COMMON_ENGLISH_WEIGHT = 0.5;

/** Weights of tokens that do not depend on a collection. */
export class WordWeights {
  readonly #common = new Map<string, number>();

  /** Reads jieba's idf dictionary, 6 MB. */
  constructor() {
    const lines = new TextDecoder().decode(readJiebaFile('idf.txt'));
    for (const line of lines.matchAll(/^(\S+) (\d+(?:\.\d+)?)$/gm)) {
      const value = Number(line[2]);
      if (value < COMMON_BELOW_IDF) this.#common.set(`${line[1]}`, value / COMMON_BELOW_IDF);
    }
    for (const word of COMMON_ENGLISH.trim().split(/\s+/)) this.#common.set(stem(word), COMMON_ENGLISH_WEIGHT);
  }

  /** 0 .. 1 for a Chinese word or an English stem; 1 unless it is common. */
  of(token: string): number {
    return this.#common.get(token) ?? 1;
  }
}

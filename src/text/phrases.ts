import { LRUCache } from 'lru-cache';
import { type Lexeme, lexemes } from './lexemes.js';
import { stem } from './stem.js';
import type { Tokenizer } from './tokenizer.js';
import { IRREGULAR_PLURALS } from './word-forms.js';

/** A text in the spelling of the keys, with its word boundaries. */
export interface Phrase {
  readonly text: string;
  /** The start and end of each word in `text`, in order. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Words that tell no names apart: "did not flip the inequality" is "didn't flip inequality", 圆的周长 is 圆周长, and
 * 单位又没统一 is 单位没统一.
 */
const IGNORED = new Set(['the', 'to', 'my', 'did', 'do', 'does', ...'的了时都也就又给把', '时候']);

/** A step that was forgotten was not done: one word for both. */
const NOT_DONE = /没有?|(?<!遗)忘(?:记|掉)?了?|未(?![知来])/g;
const NOT_DONE_ENGLISH =
  /^(?:not|never|forg[eo]ts?|forgetting|forgotten|fail(?:s|ed)?|(?:did|do|does|is|are|was|were|has|have|had)n'?t)$/;
const LEFT_OUT = /漏[掉写]/g;
const WRONG = /错误|出错|有误|不对(?![称应等齐])|[搞弄用]错/g;
/** By the word in a text, the one of the keys. */
const SAME_WORD: ReadonlyMap<string, string> = new Map([
  ['mistake', 'error'],
  ...['incorrect', 'incorrectly', 'wrongly'].map((word) => [word, 'wrong'] as const),
  ...['confuse', 'confuses', 'confusing'].map((word) => [word, 'confused'] as const),
]);
/** `mixed up` is `confused`. */
const MIXED = /^(?:mix(?:ed|es|ing)?|muddled)$/;

/** 单位“1”, 1元2次方程, 忘了进1: by place, the characters of numbers. */
const NUMERALS = '零一二三四五六七八九';
/** Not where 分 or 混 belongs to another word: 通分不清楚, 部分不清, 弄混合. */
const CONFUSED = /[搞弄]混(?![合浊])|(?<![部通约积微成得十百水])分不清楚?|混为一谈/g;

/** The phrases of recent texts: a search looks up its text, and the names in it, among several sets of names. */
export class Phrases {
  readonly #recent = new LRUCache<string, Phrase>({
    maxSize: 32_768,
    sizeCalculation: (_, text) => text.length + 1,
    memoMethod: (text) => phraseOf(text, this.tokenizer),
  });

  constructor(private readonly tokenizer: Pick<Tokenizer, 'segments'>) {}

  /** See {@link phraseOf}. */
  of(text: string): Phrase {
    return this.#recent.memo(text);
  }
}

/**
 * Ignores case, width, punctuation, hyphens, the English plural, small words, whether a step was forgotten or not done,
 * digits for Chinese numerals, and other words for 漏, 错 and 混淆, error, wrong and confused. Words are separated by a
 * space, except Chinese ones.
 */
export function phraseOf(text: string, tokenizer: Pick<Tokenizer, 'segments'>): Phrase {
  const runs = withoutMixing(withNumerals(lexemes(text))).flatMap(({ kind, text: part }): (readonly string[])[] => {
    if (kind === 'sign' && part === '-') return [];
    if (kind === 'han')
      return [
        tokenizer.segments(
          part.replace(NOT_DONE, '没').replace(LEFT_OUT, '漏').replace(WRONG, '错').replace(CONFUSED, '混淆'),
        ),
      ];
    return [[kind === 'word' ? keyWord(part) : part]];
  });
  const isEmpty = runs.flat().every((word) => IGNORED.has(word));
  const starts: number[] = [];
  const ends: number[] = [];
  let read = '';
  let isNegated = false;
  for (const run of runs) {
    const words = isEmpty ? run : run.filter((word) => !IGNORED.has(word));
    if (read !== '' && words.length > 0) read += ' ';
    for (const given of words) {
      // "forgot converting", "not converted" and "did not convert"
      const word: string = isNegated ? stem(given) : given;
      isNegated = word === 'not';
      starts.push(read.length);
      read += word;
      ends.push(read.length);
    }
  }
  return { text: read, starts, ends };
}

function keyWord(written: string): string {
  if (NOT_DONE_ENGLISH.test(written)) return 'not';
  const word = singular(written);
  return SAME_WORD.get(word) ?? word;
}

/** With `confused` for `mixed up`. */
function withoutMixing(parts: readonly Lexeme[]): readonly Lexeme[] {
  const isUp = (part: Lexeme | undefined): boolean => part?.text === 'up';
  const isMixing = (part: Lexeme | undefined): boolean => part !== undefined && MIXED.test(part.text);
  return parts.flatMap((part, at) => {
    if (isMixing(part) && isUp(parts[at + 1])) return { kind: 'word', text: 'confused' };
    return isUp(part) && isMixing(parts[at - 1]) ? [] : part;
  });
}

/** With each digit beside Chinese words as a part of them. */
function withNumerals(parts: readonly Lexeme[]): readonly Lexeme[] {
  const found: Lexeme[] = [];
  parts.forEach((part, at) => {
    const isNumeral =
      part.kind === 'number' &&
      /^[1-9]$/.test(part.text) &&
      (parts[at - 1]?.kind === 'han' || parts[at + 1]?.kind === 'han');
    const before = found.at(-1);
    const text = isNumeral ? (NUMERALS[Number(part.text)] as string) : part.text;
    const joins = before?.kind === 'han' && (isNumeral || (part.kind === 'han' && parts[at - 1]?.kind === 'number'));
    if (joins) found[found.length - 1] = { kind: 'han', text: before.text + text };
    else found.push(isNumeral ? { kind: 'han', text } : part);
  });
  return found;
}

/**
 * Without its plural or possessive ending; not always a word, but the same for both numbers. A stem would merge too
 * much: `oxidant` with oxide, `probability` with probable.
 */
function singular(word: string): string {
  const own = word.replace(/'s?$/, '');
  if (own.length <= 3 || /(?:ss|us|is|^lens)$/.test(own)) return own;
  const irregular = IRREGULAR_PLURALS.get(own);
  if (irregular !== undefined) return irregular;
  if (own.endsWith('ies')) return `${own.slice(0, -3)}y`;
  return own.replace(/(?<=s|x|z|ch|sh)es$|s$/, '');
}

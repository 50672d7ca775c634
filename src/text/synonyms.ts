import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { packageRoot } from '../config/package-root.js';
import { lexemes } from './lexemes.js';
import type { Tokenizer } from './tokenizer.js';

/** A real question names two or three groups; a query with more synonyms would match everything. */
const MAX_SYNONYMS = 20;

/** Synonymous names, in the spelling for display. */
export interface SynonymGroup {
  readonly names: readonly string[];
  /** A name of what this is a kind of, which is in another group: a tense error is a grammar error. */
  readonly broader: string | null;
}

interface Member {
  readonly name: string;
  readonly key: string;
}

/** Synonyms of topics and error types in Chinese and English schools. */
export class Synonyms {
  readonly #groups = new Map<string, readonly Member[]>();
  /** The key of a broader name, by its group. */
  readonly #broader = new Map<readonly Member[], string>();
  /** The groups that are a kind of one. */
  readonly #narrower = new Map<readonly Member[], (readonly Member[])[]>();
  /** By the first two characters of keys, the lengths of these keys, ascending. */
  readonly #lengths = new Map<string, readonly number[]>();
  /** Of recent texts, so many characters of them: a search looks up its text, and the names in it, several times. */
  readonly #phrases = new LRUCache<string, Phrase>({ maxSize: 32_768, sizeCalculation: (_, text) => text.length + 1 });

  /** A name in several groups belongs to the first one, or is an error; so is a broader name that is in no group. */
  constructor(
    private readonly tokenizer: Pick<Tokenizer, 'segments'>,
    groups: readonly SynonymGroup[] = schoolSynonyms(),
    repeated: 'first' | 'error' = 'error',
  ) {
    const turnedRound: (readonly [string, readonly Member[]])[] = [];
    for (const { names, broader } of groups) {
      const members: Member[] = [];
      if (broader !== null) this.#broader.set(members, phraseOf(broader, tokenizer).text);
      for (const name of names) {
        const phrase = phraseOf(name, tokenizer);
        const key = phrase.text;
        if (repeated === 'error' && this.#groups.has(key)) {
          throw new Error(`${JSON.stringify(name)} occurs twice among the synonyms`);
        }
        if (key === '' || this.#groups.has(key)) continue;
        members.push({ name, key });
        this.#groups.set(key, members);
        turnedRound.push(...turned(phrase).map((other) => [other, members] as const));
      }
    }
    // After all names: one that is written so comes first.
    for (const [key, members] of turnedRound) if (!this.#groups.has(key)) this.#groups.set(key, members);
    const unknown = [...this.#broader.values()].filter((key) => !this.#groups.has(key));
    if (unknown.length > 0) throw new Error(`broader names that are no synonyms: ${unknown.join(', ')}`);
    for (const [members, key] of this.#broader) {
      const broader = this.#groups.get(key) ?? [];
      this.#narrower.set(broader, [...(this.#narrower.get(broader) ?? []), members]);
    }
    for (const key of this.#groups.keys()) {
      const start = key.slice(0, 2);
      const lengths = new Set([...(this.#lengths.get(start) ?? []), key.length]);
      this.#lengths.set(
        start,
        [...lengths].sort((a, b) => a - b),
      );
    }
  }

  /**
   * The other members of each group with a member in the text, as whole words (of several with the same start, the
   * longest), and then those of the broader groups. Groups in the order of the text, members in the order of their
   * group; each once, at most 20, none that occurs in the text itself.
   */
  of(text: string): readonly string[] {
    const { groups, present } = this.#find(text);
    const broader = groups.map((group) => this.#groups.get(this.#broader.get(group) ?? '') ?? []);
    const others = [...new Set([...groups, ...broader])].flat().filter(({ key }) => !present.has(key));
    return others.slice(0, MAX_SYNONYMS).map(({ name }) => name);
  }

  /** Of a text that is a name as a whole: the names of the groups that are a kind of it, nearest first. */
  below(text: string): readonly string[] {
    const group = this.#groups.get(this.#phraseOf(text).text);
    const found = new Set(group === undefined ? [] : [group]);
    for (const one of found) for (const narrower of this.#narrower.get(one) ?? []) found.add(narrower);
    return [...found].slice(1).flatMap((members) => members.map(({ name }) => name));
  }

  /** The members in the text of the groups that {@link of} finds there. */
  said(text: string): readonly string[] {
    const { groups, present } = this.#find(text);
    return groups.flat().flatMap(({ name, key }) => (present.has(key) ? name : []));
  }

  /** The first name of each group that {@link of} finds in the text. */
  namedIn(text: string): readonly string[] {
    return this.#find(text).groups.flatMap(([first]) => first?.name ?? []);
  }

  #find(text: string): { readonly groups: readonly (readonly Member[])[]; readonly present: ReadonlySet<string> } {
    const phrase = this.#phraseOf(text);
    const present = new Set<string>();
    const named = new Set<readonly Member[]>();
    const ends = new Set(phrase.ends);
    let end = 0;
    for (const start of phrase.starts) {
      const found = this.#keysAt(phrase.text, start, ends);
      for (const key of found) present.add(key);
      const longest = found.at(-1);
      // A shorter name within a longer one does not count.
      if (longest === undefined || start < end) continue;
      end = start + longest.length;
      named.add(this.#groups.get(longest) ?? []);
    }
    return { groups: [...named], present };
  }

  #phraseOf(text: string): Phrase {
    const known = this.#phrases.get(text);
    if (known !== undefined) return known;
    const phrase = phraseOf(text, this.tokenizer);
    this.#phrases.set(text, phrase);
    return phrase;
  }

  /**
   * The keys that start here and end where a word does, the shortest first. Only lengths of keys that begin like the
   * text are tried: a tenant's names may have hundreds of characters.
   */
  #keysAt(text: string, start: number, ends: ReadonlySet<number>): readonly string[] {
    const found: string[] = [];
    const starts = new Set([text.slice(start, start + 1), text.slice(start, start + 2)]);
    for (const length of [...starts].flatMap((one) => this.#lengths.get(one) ?? [])) {
      const key = text.slice(start, start + length);
      if (ends.has(start + length) && this.#groups.has(key)) found.push(key);
    }
    return found;
  }
}

export function schoolSynonyms(): readonly SynonymGroup[] {
  const lines = readFileSync(join(packageRoot(), 'src', 'text', 'k12-synonyms.txt'), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [names = '', broader = null] = line.split(' > ');
      return { names: names.split('|'), broader };
    });
}

/**
 * A Chinese name of three characters or more with its two parts changed round, at any end of a word: 漏掉条件 is also
 * said as 条件漏掉, and 忘记变号 as 变号忘了.
 */
function turned({ text, ends }: Phrase): readonly string[] {
  if (!/^\p{Script=Han}{3,}$/u.test(text)) return [];
  const places = text.startsWith('没') ? [1, ...ends] : ends;
  return places.map((end) => text.slice(end) + text.slice(0, end));
}

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
const NOT_DONE_ENGLISH = /^(?:not|never|forg[eo]t|forgetting|forgotten|(?:did|do|does)n'?t)$/;
const LEFT_OUT = /漏[掉写]/g;
const WRONG = /错误|出错|有误/g;
/** Not where 分 or 混 belongs to another word: 通分不清楚, 部分不清, 弄混合. */
const CONFUSED = /[搞弄]混(?![合浊])|(?<![部通约积微成得十百水])分不清楚?|混为一谈/g;

/**
 * Ignores case, width, punctuation, hyphens, the English plural, small words, whether a step was forgotten or not done,
 * and other words for 漏, 错 and 混淆. Words are separated by a space, except Chinese ones.
 */
export function phraseOf(text: string, tokenizer: Pick<Tokenizer, 'segments'>): Phrase {
  const runs = lexemes(text).flatMap(({ kind, text: part }): (readonly string[])[] => {
    if (kind === 'sign' && part === '-') return [];
    if (kind === 'han')
      return [
        tokenizer.segments(
          part.replace(NOT_DONE, '没').replace(LEFT_OUT, '漏').replace(WRONG, '错').replace(CONFUSED, '混淆'),
        ),
      ];
    return [[kind === 'word' ? (NOT_DONE_ENGLISH.test(part) ? 'not' : singular(part)) : part]];
  });
  const isEmpty = runs.flat().every((word) => IGNORED.has(word));
  const starts: number[] = [];
  const ends: number[] = [];
  let read = '';
  for (const run of runs) {
    const words = isEmpty ? run : run.filter((word) => !IGNORED.has(word));
    if (read !== '' && words.length > 0) read += ' ';
    for (const word of words) {
      starts.push(read.length);
      read += word;
      ends.push(read.length);
    }
  }
  return { text: read, starts, ends };
}

/**
 * Without its plural or possessive ending; not always a word, but the same for both numbers. A stem would merge too
 * much: `oxidant` with oxide, `probability` with probable.
 */
function singular(word: string): string {
  const own = word.replace(/'s?$/, '');
  if (own.length <= 3 || /(?:ss|us|is)$/.test(own)) return own;
  if (own.endsWith('ies')) return `${own.slice(0, -3)}y`;
  return own.replace(/(?<=s|x|z|ch|sh)es$|s$/, '');
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../config/package-root.js';
import { lexemes } from './lexemes.js';
import type { Tokenizer } from './tokenizer.js';

/** A real question names two or three groups; a query with more synonyms would match everything. */
const MAX_SYNONYMS = 20;

/** Synonymous names, in the spelling for display. */
export type SynonymGroup = readonly string[];

interface Member {
  readonly name: string;
  readonly key: string;
}

/** Synonyms of topics and error types in Chinese and English schools. */
export class Synonyms {
  readonly #tokenizer: Pick<Tokenizer, 'segments'>;
  /** By key. */
  readonly #groups = new Map<string, readonly Member[]>();
  /** In characters of a key. */
  readonly #longest: number;

  /** A name in several groups belongs to the first one, or is an error. */
  constructor(
    tokenizer: Pick<Tokenizer, 'segments'>,
    groups: readonly SynonymGroup[] = schoolSynonyms(),
    repeated: 'first' | 'error' = 'error',
  ) {
    this.#tokenizer = tokenizer;
    for (const group of groups) {
      const members: Member[] = [];
      for (const name of group) {
        const key = phraseOf(name, tokenizer).text;
        if (repeated === 'error' && this.#groups.has(key)) {
          throw new Error(`${JSON.stringify(name)} occurs twice among the synonyms`);
        }
        if (key === '' || this.#groups.has(key)) continue;
        members.push({ name, key });
        this.#groups.set(key, members);
      }
    }
    this.#longest = Math.max(0, ...[...this.#groups.keys()].map(({ length }) => length));
  }

  /**
   * The other members of each group with a member in the text, as whole words (of several with the same start, the
   * longest). Groups in the order of the text, members in the order of their group; each once, at most 20, none that
   * occurs in the text itself.
   */
  of(text: string): readonly string[] {
    const { groups, present } = this.#find(text);
    const others = groups.flat().filter(({ key }) => !present.has(key));
    return others.slice(0, MAX_SYNONYMS).map(({ name }) => name);
  }

  /** The first name of each group that {@link of} finds in the text. */
  namedIn(text: string): readonly string[] {
    return this.#find(text).groups.flatMap(([first]) => first?.name ?? []);
  }

  #find(text: string): { readonly groups: readonly (readonly Member[])[]; readonly present: ReadonlySet<string> } {
    const phrase = phraseOf(text, this.#tokenizer);
    const present = new Set<string>();
    const named = new Set<readonly Member[]>();
    let end = 0;
    for (const [word, start] of phrase.starts.entries()) {
      const found = this.#keysFrom(phrase, word);
      for (const key of found) present.add(key);
      const longest = found.at(-1);
      // A shorter name within a longer one does not count.
      if (longest === undefined || start < end) continue;
      end = start + longest.length;
      named.add(this.#groups.get(longest) ?? []);
    }
    return { groups: [...named], present };
  }

  /** The keys that start at this word of the phrase, the shortest first. */
  #keysFrom({ text, starts, ends }: Phrase, word: number): readonly string[] {
    const found: string[] = [];
    const start = starts[word] ?? 0;
    for (const end of ends.slice(word, word + this.#longest)) {
      if (end - start > this.#longest) break;
      const key = text.slice(start, end);
      if (this.#groups.has(key)) found.push(key);
    }
    return found;
  }
}

export function schoolSynonyms(): readonly SynonymGroup[] {
  const lines = readFileSync(join(packageRoot(), 'src', 'text', 'k12-synonyms.txt'), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('|'));
}

/** A text in the spelling of the keys, with its word boundaries. */
export interface Phrase {
  readonly text: string;
  /** The start and end of each word in `text`, in order. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Ignores case, width, punctuation, hyphens and the English plural. Words are separated by a space, except Chinese
 * ones.
 */
export function phraseOf(text: string, tokenizer: Pick<Tokenizer, 'segments'>): Phrase {
  const starts: number[] = [];
  const ends: number[] = [];
  let read = '';
  const add = (word: string): void => {
    starts.push(read.length);
    read += word;
    ends.push(read.length);
  };
  for (const { kind, text: part } of lexemes(text)) {
    if (kind === 'sign' && part === '-') continue;
    if (read !== '') read += ' ';
    if (kind === 'han') for (const word of tokenizer.segments(part)) add(word);
    else add(kind === 'word' ? singular(part) : part);
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

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../config/package-root.js';
import { type Phrase, phraseOf } from './phrase.js';
import type { Tokenizer } from './words.js';

/** A search that is asked for everything at once finds nothing in particular; two or three groups are in a real question. */
const MAX_SYNONYMS = 20;

/** What is called by several names, each spelled as it is to be shown. */
export type SynonymGroup = readonly string[];

/** A name, and how a phrase spells it. */
interface Member {
  readonly name: string;
  readonly key: string;
}

/** Knows what else a knowledge point, or a kind of error, is called in Chinese and English schools. */
export class Synonyms {
  readonly #tokenizer: Pick<Tokenizer, 'segments'>;
  /** By key. */
  readonly #groups = new Map<string, readonly Member[]>();
  /** In characters of a key. */
  readonly #longest: number;

  /** Error where a name is in two groups, or twice in one: it would not be clear what it means. */
  constructor(tokenizer: Pick<Tokenizer, 'segments'>, groups: readonly SynonymGroup[] = schoolSynonyms()) {
    this.#tokenizer = tokenizer;
    for (const group of groups) {
      const members = group.map((name) => ({ name, key: phraseOf(name, tokenizer).text }));
      for (const { name, key } of members) {
        if (this.#groups.has(key)) throw new Error(`${JSON.stringify(name)} is there twice among the synonyms`);
        this.#groups.set(key, members);
      }
    }
    this.#longest = Math.max(0, ...[...this.#groups.keys()].map(({ length }) => length));
  }

  /**
   * What else the names in a text are called: the other members of each group of which one stands in the text as whole words,
   * and where several begin at one place, of the longest's. Groups in the order of the text, members in that of their group;
   * each once, at most 20, and none that stands in the text already.
   */
  of(text: string): readonly string[] {
    const phrase = phraseOf(text, this.#tokenizer);
    const present = new Set<string>();
    const named = new Set<readonly Member[]>();
    let end = 0;
    for (const [word, start] of phrase.starts.entries()) {
      const found = this.#keysFrom(phrase, word);
      for (const key of found) present.add(key);
      const longest = found.at(-1);
      // Within a longer name, a shorter one has no meaning of its own.
      if (longest === undefined || start < end) continue;
      end = start + longest.length;
      named.add(this.#groups.get(longest) ?? []);
    }
    const others = [...named].flat().filter(({ key }) => !present.has(key));
    return others.slice(0, MAX_SYNONYMS).map(({ name }) => name);
  }

  /** The keys that stand in the phrase from this word on, the shortest first. */
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

/** The groups of the file of school terms, in its order. */
export function schoolSynonyms(): readonly SynonymGroup[] {
  const lines = readFileSync(join(packageRoot(), 'src', 'text', 'k12-synonyms.txt'), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('|'));
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { packageRoot } from '../config/package-root.js';
import { atOnce } from '../domain/steps.js';
import type { Phrase, Phrases } from './phrases.js';

/** A real question names two or three groups; a query with more synonyms would match everything. */
const MAX_SYNONYMS = 20;

/**
 * A Chinese name of so many characters is found where jieba joins its first or last ones to their neighbours, too: 我 不
 * 懂二力 平衡 has 二力平衡. In 2,779 questions of Chinese mathematics 19 more names are found, 15 of them right; 列数字 in
 * 一列 数字 is not. None is found within a word, nor one of two characters across words: 气压 强度 has no 压强.
 */
export const TELLING_NAME = /^\p{Script=Han}{3,}$/u;

/** Synonymous names, in the spelling for display. */
export interface SynonymGroup {
  readonly names: readonly string[];
  /** What students say instead: found in a text, but not added to one, and no names of labels. */
  readonly said?: readonly string[];
  /** A name of what this is a kind of, which is in another group: a tense error is a grammar error. */
  readonly broader: string | null;
  /**
   * A name, in another group, of the part of a subject that this belongs to. A search for that part finds this; one for
   * this is not widened by that part.
   */
  readonly chapter?: string | null;
}

interface Member {
  readonly name: string;
  readonly key: string;
  readonly isSaid: boolean;
}

/** The groups with a member in a text, in its order, and the keys in it. */
interface Found {
  readonly groups: readonly (readonly Member[])[];
  readonly present: ReadonlySet<string>;
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
  readonly #recent = new LRUCache<string, Found>({
    maxSize: 32_768,
    sizeCalculation: (_, text) => text.length + 1,
    memoMethod: (text) => this.#find(text),
  });

  /** A name in several groups is an error, and so is a broader name that is in no group. */
  constructor(
    private readonly phrases: Pick<Phrases, 'of'>,
    groups: readonly SynonymGroup[] = schoolSynonyms(),
  ) {
    atOnce(this.#add(groups, 'error'));
  }

  /** The synonyms of a tenant, in steps: a name in several groups belongs to the first one. */
  static *read(phrases: Pick<Phrases, 'of'>, groups: readonly SynonymGroup[]): Generator<void, Synonyms> {
    const synonyms = new Synonyms(phrases, []);
    yield* synonyms.#add(groups, 'first');
    return synonyms;
  }

  *#add(groups: readonly SynonymGroup[], repeated: 'first' | 'error'): Generator<void> {
    const turnedRound: (readonly [string, readonly Member[]])[] = [];
    const chapters = new Map<readonly Member[], string>();
    for (const { names, said = [], broader, chapter = null } of groups) {
      const members: Member[] = [];
      if (broader !== null) this.#broader.set(members, this.phrases.of(broader).text);
      if (chapter !== null) chapters.set(members, this.phrases.of(chapter).text);
      for (const name of [...names, ...said]) {
        yield;
        const phrase = this.phrases.of(name);
        const key = phrase.text;
        if (repeated === 'error' && this.#groups.has(key)) {
          throw new Error(`${JSON.stringify(name)} occurs twice among the synonyms`);
        }
        if (key === '' || this.#groups.has(key)) continue;
        members.push({ name, key, isSaid: said.includes(name) });
        this.#groups.set(key, members);
        turnedRound.push(...turned(phrase).map((other) => [other, members] as const));
      }
    }
    // After all names: one that is written so comes first.
    for (const [key, members] of turnedRound) {
      yield;
      if (!this.#groups.has(key)) this.#groups.set(key, members);
    }
    const above = [...this.#broader, ...chapters];
    const unknown = above.map(([, key]) => key).filter((key) => !this.#groups.has(key));
    if (unknown.length > 0) throw new Error(`broader names that are no synonyms: ${unknown.join(', ')}`);
    for (const [members, key] of above) {
      const broader = this.#groups.get(key) ?? [];
      this.#narrower.set(broader, [...(this.#narrower.get(broader) ?? []), members]);
    }
    for (const key of this.#groups.keys()) {
      yield;
      const start = key.slice(0, 2);
      const lengths = new Set([...(this.#lengths.get(start) ?? []), key.length]);
      this.#lengths.set(
        start,
        [...lengths].sort((a, b) => a - b),
      );
    }
  }

  /**
   * The other members of each group with a member in the text, as whole words or joined to their neighbours (of several
   * with the same start, the longest), and then those of the broader groups. Groups in the order of the text, members
   * in the order of their group; each once, at most 20, none that occurs in the text itself.
   */
  of(text: string): readonly string[] {
    const { groups, present } = this.#recent.memo(text);
    const broader = groups.map((group) => this.#groups.get(this.#broader.get(group) ?? '') ?? []);
    const others = namesOf([...new Set([...groups, ...broader])].flat().filter(({ key }) => !present.has(key)));
    return others.slice(0, MAX_SYNONYMS);
  }

  /** Of a text that is a name as a whole, in any order of its parts or as students say it: the names of its group. */
  called(text: string): readonly string[] {
    return namesOf(this.#groups.get(this.phrases.of(text).text) ?? []);
  }

  /** Of a text that is a name as a whole: the names of the groups that are a kind of it, nearest first. */
  below(text: string): readonly string[] {
    const group = this.#groups.get(this.phrases.of(text).text);
    const found = new Set(group === undefined ? [] : [group]);
    for (const one of found) for (const narrower of this.#narrower.get(one) ?? []) found.add(narrower);
    return [...found].slice(1).flatMap(namesOf);
  }

  /** The members in the text of the groups that {@link of} finds there. */
  said(text: string): readonly string[] {
    const { groups, present } = this.#recent.memo(text);
    return groups.flat().flatMap(({ name, key }) => (present.has(key) ? name : []));
  }

  /** The first name of each group that {@link of} finds in the text. */
  namedIn(text: string): readonly string[] {
    return this.#recent.memo(text).groups.flatMap(([first]) => first?.name ?? []);
  }

  #find(text: string): Found {
    const phrase = this.phrases.of(text);
    const present = new Set<string>();
    const named = new Set<readonly Member[]>();
    const [starts, ends] = [new Set(phrase.starts), new Set(phrase.ends)];
    let end = 0;
    for (let start = 0; start < phrase.text.length; start++) {
      const keys = this.#keysAt(phrase.text, start);
      if (keys.length === 0) continue;
      const whole = keys.filter((key) => starts.has(start) && ends.has(start + key.length));
      for (const key of whole) present.add(key);
      // A shorter name within a longer one does not count.
      if (start < end) continue;
      const longest = keys.findLast((key) => whole.includes(key) || isJoined(key, start, starts));
      if (longest === undefined) continue;
      present.add(longest);
      end = start + longest.length;
      named.add(this.#groups.get(longest) ?? []);
    }
    return { groups: [...named], present };
  }

  /**
   * The keys that start here, the shortest first. Only lengths of keys that begin like the text are tried: a tenant's
   * names may have hundreds of characters.
   */
  #keysAt(text: string, start: number): readonly string[] {
    const found: string[] = [];
    // A key of one character is listed by this character alone.
    const first = text.slice(start, start + 1);
    const two = text.slice(start, start + 2);
    for (const begins of first === two ? [first] : [first, two]) {
      for (const length of this.#lengths.get(begins) ?? []) {
        const key = text.slice(start, start + length);
        if (this.#groups.has(key)) found.push(key);
      }
    }
    return found;
  }
}

/** Whether a name is in more than one word. */
function isJoined(key: string, start: number, starts: ReadonlySet<number>): boolean {
  if (!TELLING_NAME.test(key)) return false;
  for (let at = start + 1; at < start + key.length; at++) if (starts.has(at)) return true;
  return false;
}

function namesOf(members: readonly Member[]): readonly string[] {
  return members.filter(({ isSaid }) => !isSaid).map(({ name }) => name);
}

export function schoolSynonyms(): readonly SynonymGroup[] {
  const lines = readFileSync(join(packageRoot(), 'src', 'text', 'k12-synonyms.txt'), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [described = '', chapter = null] = line.split(' >> ');
      const [members = '', broader = null] = described.split(' > ');
      const [names = '', said] = members.split(' ~ ');
      return { names: names.split('|'), said: said?.split('|') ?? [], broader, chapter };
    });
}

/**
 * A Chinese name of three characters or more with its two parts changed round, at any end of a word: 漏掉条件 is also
 * said as 条件漏掉, and 忘记变号 as 变号忘了. An English one with `of`: the volume of a cone is `volume of cone`, `cone volume`.
 * One that says that something is wrong: a sign error is a `wrong sign`, or has the `sign wrong`.
 */
function turned({ text, ends }: Phrase): readonly string[] {
  const [, head, rest] = /^(\S+(?: \S+)?) of (?:an? )?(\S+(?: \S+)?)$/.exec(text) ?? [];
  if (head !== undefined) return [`${head} of ${rest}`, `${rest} ${head}`];
  const [, what] = /^wrong (.+)$/.exec(text) ?? /^(.+) error$/.exec(text) ?? [];
  if (what !== undefined) return [`${what} wrong`, `wrong ${what}`];
  if (!/^\p{Script=Han}{3,}$/u.test(text)) return [];
  const places = text.startsWith('没') ? [1, ...ends] : ends;
  return places.map((end) => text.slice(end) + text.slice(0, end));
}

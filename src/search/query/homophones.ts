import { simplified } from '../../domain/simplified.js';
import { inSteps } from '../../domain/steps.js';
import { Pinyin, pinyinLetters } from '../../text/pinyin.js';
import { schoolSynonyms } from '../../text/synonyms.js';
import { schoolTerms, type Tokenizer } from '../../text/tokenizer.js';
import { LONGEST_TEXT, NamesBySound } from './names-by-sound.js';

interface NotebookWords {
  /** Whether no card has a word. */
  isUnknown(word: string): boolean;
  /** Whether a word in Latin script that no card has is right as it is. */
  isRight(word: string): boolean;
  /** The names of the synonym group of a name. */
  called(name: string): readonly string[];
}

export interface Notebook extends NotebookWords {
  /** Reads the names of its labels, of which the first ones are preferred. */
  names(): Promise<readonly NamesBySound[]>;
}

interface KnownNotebook extends NotebookWords {
  readonly names: readonly NamesBySound[];
}

/**
 * So many characters of a name must be as they are written; one less if the text has nothing else. With one less in
 * any text, 25 of 21,409 texts of mathematics would be read wrong (到函数 as 导函数, 甲速度 as 加速度).
 */
const AS_WRITTEN = 3;

/** A word of the dictionary with so many characters is right in any notebook: 化学势 in one that has 化学式. */
const LONG_WORD = 3;

/** In letters: names have two syllables or more. */
const SHORTEST_PINYIN = 4;

const CHINESE = /^\p{Script=Han}/u;
const RUN = /\p{Script=Han}{3,}|[\p{Script=Latin}\p{M}]+(?:[ '’]{1,2}[\p{Script=Latin}\p{M}]+)*/gu;
const LETTER = /[\p{L}\p{N}]/u;
/** Letters beside one of these are a part of a name, a number or a command. */
const JOINS_LETTERS = /[\p{N}\\_^]/u;

/** Names of each {@link Notebook.names}, and of the school. */
type Candidates = readonly (readonly string[])[];

interface Candidate {
  readonly name: string;
  readonly isOfNotebook: boolean;
}

interface Written {
  readonly run: string;
  /** Whether the text has nothing else. */
  readonly isAll: boolean;
}

/** Reads known names that are written in other characters of the same sound, or in pinyin. */
export class Homophones {
  #school: Promise<readonly NamesBySound[]> | undefined;

  constructor(
    private readonly tokenizer: Pick<Tokenizer, 'dictionaryWords'>,
    private readonly pinyin: Pick<Pinyin, 'of'> = new Pinyin(),
  ) {}

  namesBySound(names: Iterable<string>): Promise<NamesBySound> {
    return inSteps(NamesBySound.read(names, this.pinyin));
  }

  /**
   * The text with known names for what sounds like one of them alone: 勾股定里, `gougudingli` and `gou gu ding li` are
   * read as 勾股定理. Words of the dictionary and English words stay; but for a name of the notebook a Chinese word of two
   * characters is replaced if no card has it (串连电路). Texts of more than {@link LONGEST_TEXT} characters stay: they have
   * enough other words.
   */
  async read(text: string, notebook: Notebook): Promise<string> {
    if (text.length > LONGEST_TEXT) return text;
    this.#school ??= this.#schoolNames();
    const known = { ...notebook, names: await notebook.names() };
    const names = [...known.names, ...(await this.#school)];
    return inSteps(this.#read(text, names, known));
  }

  *#read(text: string, names: readonly NamesBySound[], notebook: KnownNotebook): Generator<void, string> {
    let read = '';
    let end = 0;
    for (const { 0: run, index: at } of text.matchAll(RUN)) {
      const [before, after] = [text.slice(0, at), text.slice(at + run.length)];
      const isAll = !LETTER.test(before) && !LETTER.test(after);
      const isPart = JOINS_LETTERS.test(before.slice(-1)) || JOINS_LETTERS.test(after.slice(0, 1));
      read += text.slice(end, at);
      if (CHINESE.test(run)) read += yield* this.#chinese({ run, isAll }, names, notebook);
      else read += isPart ? run : ((yield* spelledName(run, names, notebook)) ?? run);
      end = at + run.length;
    }
    return read + text.slice(end);
  }

  /** The names of all schools, and the words in them, such as 函数. */
  #schoolNames(): Promise<readonly NamesBySound[]> {
    const names = [...schoolSynonyms().flatMap(({ names, said = [] }) => [...names, ...said]), ...schoolTerms()];
    return Promise.all([this.namesBySound(names), this.namesBySound(this.#wordsIn(names))]);
  }

  *#wordsIn(names: readonly string[]): Generator<string> {
    for (const name of names) yield* this.tokenizer.dictionaryWords(name);
  }

  *#chinese(written: Written, names: readonly NamesBySound[], notebook: KnownNotebook): Generator<void, string> {
    const run = simplified(written.run);
    const words = this.tokenizer.dictionaryWords(run);
    const heard = { text: run, readings: run.split('').map((character) => this.pinyin.of(character)) };
    let read = '';
    for (let at = 0; at < run.length; ) {
      const heardHere: (readonly string[])[] = [];
      for (const some of names) heardHere.push(yield* some.at(heard, at));
      const found = longest(heardHere);
      const part = run.slice(at, at + found.length);
      const isKnown = found.names.flat().some((name) => simplified(name) === part);
      const candidate = isKnown || part.length < AS_WRITTEN ? null : only(found.names, notebook);
      const isRead =
        candidate !== null && isMeant(candidate, { part, at, words, isAlone: written.isAll && part === run }, notebook);
      const next = at + (isKnown || isRead ? part.length : 1);
      read += isRead ? candidate.name : written.run.slice(at, next);
      at = next;
    }
    return read;
  }
}

/** Those of the longest names, and their length; no name is as long as one character. */
function longest(found: Candidates): { readonly names: Candidates; readonly length: number } {
  if (found.every(({ length }) => length === 0)) return { names: [], length: 1 };
  const length = found.flat().reduce((most, name) => Math.max(most, name.length), 0);
  return { names: found.map((names) => names.filter((name) => name.length === length)), length };
}

/** The name that letters spell, if no card has one of their words, and it is no English one. */
function* spelledName(
  run: string,
  names: readonly NamesBySound[],
  notebook: KnownNotebook,
): Generator<void, string | null> {
  const letters = pinyinLetters(run);
  if (letters.length < SHORTEST_PINYIN) return null;
  const spelled: (readonly string[])[] = [];
  for (const some of names) spelled.push(yield* some.spelled(letters));
  const candidate = only(spelled, notebook);
  if (candidate === null) return null;
  const words = run.toLowerCase().split(/[ '’]+/);
  return words.some((word) => notebook.isUnknown(word) && !notebook.isRight(word)) ? candidate.name : null;
}

/** The one name, or several of one synonym group, of the first names that have any; those of the school are last. */
function only(found: Candidates, notebook: Pick<KnownNotebook, 'names' | 'called'>): Candidate | null {
  const place = found.findIndex((names) => names.length > 0);
  const [name, ...others] = found[place] ?? [];
  if (name === undefined) return null;
  if (others.length > 0) {
    const group = notebook.called(name);
    if (others.some((other) => !group.includes(other))) return null;
  }
  return { name, isOfNotebook: place < notebook.names.length };
}

interface Place {
  readonly part: string;
  /** Where it begins in the run of these words. */
  readonly at: number;
  readonly words: readonly string[];
  /** Whether the text has nothing else. */
  readonly isAlone: boolean;
}

/** Whether enough of a part is written as in the name, and no word that is right would be changed or divided. */
function isMeant(
  { name, isOfNotebook }: Candidate,
  { part, at, words, isAlone }: Place,
  { isUnknown }: Pick<KnownNotebook, 'isUnknown'>,
): boolean {
  const characters = simplified(name);
  const same = sameCharacters(part, characters);
  if (same < (isAlone ? AS_WRITTEN - 1 : AS_WRITTEN)) return false;
  const isRight = (word: string): boolean =>
    !isOfNotebook || same < AS_WRITTEN || word.length >= LONG_WORD || !isUnknown(word);
  let end = -at;
  return words.every((word) => {
    const start = end;
    end += word.length;
    if (word.length === 1 || end <= 0 || start >= part.length) return true;
    if (start < 0 || end > part.length) return false;
    return characters.startsWith(word, start) || !isRight(word);
  });
}

function sameCharacters(one: string, other: string): number {
  let same = 0;
  for (let place = 0; place < one.length; place++) if (one[place] === other[place]) same += 1;
  return same;
}

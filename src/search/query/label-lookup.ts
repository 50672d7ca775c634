import { LRUCache } from 'lru-cache';
import { abortable } from '../../domain/async.js';
import { LABEL_PERSPECTIVES, type SearchRequest } from '../../domain/search.js';
import { inSteps } from '../../domain/steps.js';
import { Turns } from '../../domain/turns.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';
import { contentTerms } from '../../lexical/terms.js';
import type { EnglishWords } from '../../text/english-words.js';
import type { Homophones } from './homophones.js';
import { LabelNames, labelChanges, type NamedIndex, phraseKey } from './label-names.js';
import type { SynonymSource } from './named-labels.js';
import type { NamesBySound } from './names-by-sound.js';
import type { Query } from './query.js';
import { respelled } from './spelling.js';
import type { Vocabulary } from './vocabulary.js';

/** Latin words of labels and of their other names, as {@link LabelLookup.words} has them. */
interface LabelWords {
  readonly synonyms: SynonymSource;
  readonly names: LabelNames;
  readonly byLabel: ReadonlyMap<string, readonly string[]>;
  readonly words: ReadonlySet<string>;
}

/** What was read of an index; one search at a time brings it up to date. */
interface Known {
  readonly nameTurns: Turns;
  readonly wordTurns: Turns;
  names: LabelNames | null;
  words: LabelWords | null;
}

/**
 * Finds labels by their names. Reads the labels of an index once there are other ones, in steps: all at once, 60,000
 * labels block the event loop for .5 s, and their words for a second more (by hand).
 */
export class LabelLookup {
  readonly #known = new WeakMap<NamedIndex, Known>();
  /** Of recent texts and the names in them, which each search looks up several times; so many characters of them. */
  readonly #keys = new LRUCache<string, string>({ maxSize: 65_536, sizeCalculation: (_, name) => name.length + 1 });
  /** Of labels and vocabularies as they were read. */
  readonly #bySound = new WeakMap<object, Promise<NamesBySound>>();

  constructor(
    private readonly english: Pick<EnglishWords, 'has'>,
    private readonly homophones: Pick<Homophones, 'namesBySound' | 'read'>,
  ) {}

  /** The labels as they are now. Reading them goes on if the signal aborts. */
  of(index: NamedIndex, signal: AbortSignal): Promise<LabelNames> {
    return abortable(this.#names(index), signal);
  }

  /**
   * The text with names for what sounds like one (see {@link Homophones.read}), and slips in words that no card has
   * corrected by the words of the labels (see {@link respelled}).
   */
  async respelled(
    index: NamedIndex & Pick<LexicalIndex, 'isUnknown'>,
    vocabulary: Pick<Vocabulary, 'of' | 'called' | 'names'>,
    text: string,
    signal: AbortSignal,
  ): Promise<string> {
    const isUnknown = (word: string): boolean => index.isUnknown(word);
    const isRight = (word: string): boolean => this.english.has(word);
    const names = async (): Promise<readonly NamesBySound[]> => {
      const labels = await this.of(index, signal);
      const read = [this.#namesBySound(labels, labels.keys.keys()), this.#namesBySound(vocabulary, vocabulary.names())];
      return abortable(Promise.all(read), signal);
    };
    const called = (name: string): readonly string[] => vocabulary.called(name);
    const read = await this.homophones.read(text, { names, isUnknown, isRight, called });
    return respelled(read, { isUnknown, isRight, words: () => this.words(index, vocabulary, signal) }, signal);
  }

  #namesBySound(source: object, names: Iterable<string>): Promise<NamesBySound> {
    const read = this.#bySound.get(source) ?? this.homophones.namesBySound(names);
    this.#bySound.set(source, read);
    return read;
  }

  /**
   * The Latin words of the labels and of their other names, in lower case, also without a plural s. Looks up each new
   * label among the synonyms, in some 50 µs (by hand), when a text first needs the words; goes on if the signal aborts.
   */
  words(index: NamedIndex, synonyms: SynonymSource, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const known = this.#knownOf(index);
    const current = async (): Promise<ReadonlySet<string>> => {
      const names = await this.#names(index);
      const before = known.words?.synonyms === synonyms ? known.words : null;
      if (before?.names === names) return before.words;
      known.words = await inSteps(wordsIn(names, synonyms, before?.byLabel ?? new Map()));
      return known.words.words;
    };
    return abortable(known.wordTurns.run(current), signal);
  }

  #names(index: NamedIndex): Promise<LabelNames> {
    const known = this.#knownOf(index);
    return known.nameTurns.run(async () => {
      if (known.names?.changes === labelChanges(index)) return known.names;
      known.names = await inSteps(LabelNames.read(index, known.names?.keys ?? new Map(), this.#keyOf));
      return known.names;
    });
  }

  readonly #keyOf = (name: string): string => {
    const key = this.#keys.get(name) ?? phraseKey(name);
    this.#keys.set(name, key);
    return key;
  };

  #knownOf(index: NamedIndex): Known {
    const known = this.#known.get(index) ?? {
      nameTurns: new Turns(1),
      wordTurns: new Turns(1),
      names: null,
      words: null,
    };
    this.#known.set(index, known);
    return known;
  }
}

interface NamedQuery {
  readonly request: Pick<SearchRequest, 'weights'>;
  readonly index: Pick<LexicalIndex, 'profiles'>;
  readonly query: Pick<Query, 'labels'>;
}

/** The candidates with a label that the text is the name of, in perspectives that the search weighs. */
export function cardsNamed(
  { request: { weights }, index, query: { labels } }: NamedQuery,
  candidates: readonly string[],
): ReadonlySet<string> {
  const cards = new Set(
    LABEL_PERSPECTIVES.filter((perspective) => weights[perspective] > 0).flatMap((perspective) => {
      const asked = labels[perspective];
      const named = asked.kind === 'inferred' ? (asked.named ?? []) : [];
      return named.flatMap((label) => index.profiles[perspective].cardIdsOf(label));
    }),
  );
  return cards.size === 0 ? cards : new Set(candidates.filter((cardId) => cards.has(cardId)));
}

function* wordsIn(
  names: LabelNames,
  synonyms: SynonymSource,
  known: ReadonlyMap<string, readonly string[]>,
): Generator<void, LabelWords> {
  const byLabel = new Map<string, readonly string[]>();
  const words = new Set<string>();
  for (const label of names.keys.keys()) {
    yield;
    const own = known.get(label) ?? wordsOf([label, ...synonyms.of(label)]);
    byLabel.set(label, own);
    for (const word of own) words.add(word);
  }
  return { synonyms, names, byLabel, words };
}

function wordsOf(names: readonly string[]): readonly string[] {
  const words = names.flatMap((name) => name.toLowerCase().match(/[a-z]+/g) ?? []);
  return words.flatMap((word) => [word, word.replace(/s$/, '')]);
}

/**
 * The terms of labels. Each label is read once, however many cards carry it: that takes some 20 µs, and would block for
 * 0.7 s in a collection of 10,000 cards.
 */
export function termsOfLabels(index: Pick<LexicalIndex, 'termsOf'>): (label: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (label) => {
    const terms = known.get(label) ?? contentTerms(index.termsOf([label]));
    known.set(label, terms);
    return terms;
  };
}

import { LRUCache } from 'lru-cache';
import { groupedBy } from '../../domain/grouped.js';
import { LABEL_PERSPECTIVES, type LabelPerspective, type SearchRequest } from '../../domain/search.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';
import { contentTerms } from '../../lexical/terms.js';
import type { EnglishWords } from '../../text/english-words.js';
import { phraseOf } from '../../text/phrases.js';
import type { SearchScope } from '../scope.js';
import type { Query, SynonymSource } from './query.js';
import { respelled } from './spelling.js';
import type { Vocabulary } from './vocabulary.js';

type NamedIndex = Pick<LexicalIndex, 'profiles'>;

/** Latin words of labels and of their other names, as {@link LabelLookup.words} has them. */
interface LabelWords {
  readonly synonyms: SynonymSource;
  readonly changes: number;
  readonly byLabel: ReadonlyMap<string, readonly string[]>;
  readonly words: ReadonlySet<string>;
}

interface Names {
  /** Of the labels of the index that they are of. */
  readonly changes: number;
  /** By {@link keyOf}. */
  readonly labels: Readonly<Record<LabelPerspective, ReadonlyMap<string, readonly string[]>>>;
}

/** A longer text is no label: a label has at most 400 characters of one or two UTF-16 units. */
const LONGEST_NAME = 800;

/** Finds labels by their names. Reads the labels of an index again once there are other ones: 3 µs for each. */
export class LabelLookup {
  readonly #known = new WeakMap<NamedIndex, Names>();
  /** Of recent texts and the names in them, which each search looks up several times; so many characters of them. */
  readonly #keys = new LRUCache<string, string>({ maxSize: 65_536, sizeCalculation: (_, name) => name.length + 1 });
  readonly #words = new WeakMap<NamedIndex, LabelWords>();

  constructor(private readonly english: Pick<EnglishWords, 'has'>) {}

  /**
   * The labels that a text is the name of, by perspective: but for case, width, punctuation and plural, or by another
   * name of their synonym group; the labels below them; and those of the kinds of what the text names. Without
   * synonyms, by their own names alone.
   */
  named(
    index: NamedIndex,
    synonyms: Pick<Vocabulary, 'of' | 'meantBy' | 'below'> | null,
    text: string,
  ): Readonly<Record<LabelPerspective, readonly string[]>> {
    if (text.length > LONGEST_NAME) return { concept: [], error: [] };
    const { labels } = this.#of(index);
    const called = (names: readonly string[], perspective: LabelPerspective): readonly string[] =>
      [...new Set(names.map(this.#keyOf))].flatMap((key) => labels[perspective].get(key) ?? []);
    const names = synonyms === null ? [text] : [text, ...this.#otherNames(synonyms, text)];
    // The vocabulary knows fewer spellings than the labels are found by.
    const known = [...names, ...LABEL_PERSPECTIVES.flatMap((perspective) => called(names, perspective))];
    const all =
      synonyms === null
        ? names
        : [...names, ...known.flatMap((name) => synonyms.meantBy(name)), ...synonyms.below(text)];
    const of = (perspective: LabelPerspective): readonly string[] => called(all, perspective);
    return { concept: of('concept'), error: of('error') };
  }

  /**
   * The labels that a text contains a name of, in the words of a synonym group, or that are what such a name is a kind
   * of; by perspective.
   */
  mentioned(
    index: NamedIndex,
    synonyms: SynonymSource,
    text: string,
  ): Readonly<Record<LabelPerspective, readonly string[]>> {
    if (text.length > LONGEST_NAME) return { concept: [], error: [] };
    const { labels } = this.#of(index);
    const others = synonyms.of(text);
    const keys = new Set([...others, ...others.flatMap((name) => synonyms.of(name))].map(this.#keyOf));
    const of = (perspective: LabelPerspective): readonly string[] =>
      [...keys].flatMap((key) => labels[perspective].get(key) ?? []);
    return { concept: of('concept'), error: of('error') };
  }

  /** The text with slips in words that no card has corrected by the words of the labels: see `respelled`. */
  respelled(index: NamedIndex & Pick<LexicalIndex, 'isUnknown'>, synonyms: SynonymSource, text: string): string {
    return respelled(text, {
      isUnknown: (word) => index.isUnknown(word),
      isRight: (word) => this.english.has(word),
      words: () => this.words(index, synonyms),
    });
  }

  /**
   * The Latin words of the labels and of their other names, in lower case, also without a plural s. Looks up each new
   * label among the synonyms, in some 50 µs (by hand), when a text first needs the words.
   */
  words(index: NamedIndex, synonyms: SynonymSource): ReadonlySet<string> {
    const { changes, labels } = this.#of(index);
    const known = this.#words.get(index);
    const before = known?.synonyms === synonyms ? known : null;
    if (before?.changes === changes) return before.words;
    const byLabel = new Map(
      [...labels.concept.values(), ...labels.error.values()]
        .flat()
        .map((label) => [label, before?.byLabel.get(label) ?? wordsOf([label, ...synonyms.of(label)])]),
    );
    const words = new Set([...byLabel.values()].flat());
    this.#words.set(index, { synonyms, changes, byLabel, words });
    return words;
  }

  /** The synonyms of a text that is one of them as a whole. */
  #otherNames(synonyms: SynonymSource, text: string): readonly string[] {
    const key = this.#keyOf(text);
    return synonyms.of(text).filter((other) => synonyms.of(other).some((name) => this.#keyOf(name) === key));
  }

  readonly #keyOf = (name: string): string => {
    const key = this.#keys.get(name) ?? keyOf(name);
    this.#keys.set(name, key);
    return key;
  };

  #of(index: NamedIndex): Names {
    const known = this.#known.get(index);
    if (known?.changes === changesOf(index)) return known;
    const names = namesIn(index);
    this.#known.set(index, names);
    return names;
  }
}

export type NamingSearch = Pick<SearchScope, 'request' | 'index' | 'vocabulary'>;

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

/** Differs after a label has appeared or disappeared. */
function changesOf({ profiles }: NamedIndex): number {
  return profiles.concept.changes + profiles.error.changes;
}

function namesIn(index: NamedIndex): Names {
  const { concept, error } = index.profiles;
  const labels = { concept: groupedBy(concept.labels, keyOf), error: groupedBy(error.labels, keyOf) };
  return { changes: changesOf(index), labels };
}

function wordsOf(names: readonly string[]): readonly string[] {
  const words = names.flatMap((name) => name.toLowerCase().match(/[a-z]+/g) ?? []);
  return words.flatMap((word) => [word, word.replace(/s$/, '')]);
}

function keyOf(name: string): string {
  return phraseOf(name, { segments: (run) => [run] }).text;
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

import { LABEL_PERSPECTIVES, type LabelPerspective } from '../../domain/search.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';
import { phraseOf } from '../../text/phrases.js';
import type { SynonymSource } from './named-labels.js';
import type { Vocabulary } from './vocabulary.js';

export type NamedIndex = Pick<LexicalIndex, 'profiles'>;

type ByLabelPerspective<T> = Readonly<Record<LabelPerspective, T>>;

/** A longer text is no label: a label has at most 400 characters of one or two UTF-16 units. */
export const LONGEST_NAME = 800;

interface LabelNamesParts {
  /** {@link labelChanges} when they were read. */
  readonly changes: number;
  /** By label: its {@link phraseKey}. */
  readonly keys: ReadonlyMap<string, string>;
  /** By key. */
  readonly labels: ByLabelPerspective<ReadonlyMap<string, readonly string[]>>;
  /** {@link phraseKey}, which knows recent names. */
  readonly keyOf: (name: string) => string;
}

/** The labels of an index by their names, as they were when they were read. */
export class LabelNames {
  readonly changes: number;
  readonly keys: ReadonlyMap<string, string>;

  private constructor(private readonly parts: LabelNamesParts) {
    this.changes = parts.changes;
    this.keys = parts.keys;
  }

  /** Reads the labels in steps: 3 µs for each that has no key in `known`. */
  static *read(
    index: NamedIndex,
    known: ReadonlyMap<string, string>,
    keyOf: (name: string) => string,
  ): Generator<void, LabelNames> {
    const changes = labelChanges(index);
    const names = { concept: index.profiles.concept.labels, error: index.profiles.error.labels };
    const keys = new Map<string, string>();
    const labels = { concept: new Map<string, string[]>(), error: new Map<string, string[]>() };
    for (const perspective of LABEL_PERSPECTIVES) {
      for (const label of names[perspective]) {
        yield;
        const key = keys.get(label) ?? known.get(label) ?? phraseKey(label);
        keys.set(label, key);
        const same = labels[perspective].get(key);
        if (same === undefined) labels[perspective].set(key, [label]);
        else same.push(label);
      }
    }
    return new LabelNames({ changes, keys, labels, keyOf });
  }

  /**
   * The labels that a text is the name of, by perspective: but for case, width, punctuation and plural, or by another
   * name of their synonym group; the labels below them; and those of the kinds of what the text names. Without
   * synonyms, by their own names alone.
   */
  named(
    synonyms: Pick<Vocabulary, 'of' | 'called' | 'meantBy' | 'below'> | null,
    text: string,
  ): ByLabelPerspective<readonly string[]> {
    if (text.length > LONGEST_NAME) return this.#called([]);
    const names = synonyms === null ? [text] : [text, ...this.#otherNames(synonyms, text)];
    // The vocabulary knows fewer spellings than the labels are found by.
    const known = [...names, ...Object.values(this.#called(names)).flat()];
    const all =
      synonyms === null
        ? names
        : [...names, ...known.flatMap((name) => synonyms.meantBy(name)), ...synonyms.below(text)];
    return this.#called(all);
  }

  /**
   * The labels that a text contains a name of, in the words of a synonym group, or that are what such a name is a kind
   * of; by perspective.
   */
  mentioned(synonyms: SynonymSource, text: string): ByLabelPerspective<readonly string[]> {
    if (text.length > LONGEST_NAME) return this.#called([]);
    const others = synonyms.of(text);
    return this.#called([...others, ...others.flatMap((name) => synonyms.of(name))]);
  }

  /**
   * Of a text that is a name as a whole, of no label, and that no card has (mitosis, 双十二事变), the first other name of
   * its group that a card has (有丝分裂, 西安事变); otherwise the text. As one word of the expansion, that name weighs the
   * less the more names its group has.
   */
  knownName(
    index: Pick<LexicalIndex, 'hasCardWith'>,
    synonyms: Pick<Vocabulary, 'of' | 'called' | 'meantBy' | 'below'>,
    text: string,
  ): string {
    if (text.length > LONGEST_NAME) return text;
    const others = this.#otherNames(synonyms, text);
    if (others.length === 0 || index.hasCardWith(text)) return text;
    if (Object.values(this.named(synonyms, text)).flat().length > 0) return text;
    return others.find((name) => index.hasCardWith(name)) ?? text;
  }

  #called(names: readonly string[]): ByLabelPerspective<readonly string[]> {
    const { labels, keyOf } = this.parts;
    const keys = [...new Set(names.map(keyOf))];
    const of = (perspective: LabelPerspective): readonly string[] =>
      keys.flatMap((key) => labels[perspective].get(key) ?? []);
    return { concept: of('concept'), error: of('error') };
  }

  /** The synonyms of a text that is one of them as a whole. */
  #otherNames(synonyms: Pick<Vocabulary, 'of' | 'called'>, text: string): readonly string[] {
    const { keyOf } = this.parts;
    const key = keyOf(text);
    const others = synonyms.of(text).filter((other) => synonyms.of(other).some((name) => keyOf(name) === key));
    return [...new Set([...others, ...synonyms.called(text)])];
  }
}

/** Differs after a label has appeared or disappeared. */
export function labelChanges({ profiles }: NamedIndex): number {
  return profiles.concept.changes + profiles.error.changes;
}

/** The same for names that differ in case, width, punctuation or plural alone. */
export function phraseKey(name: string): string {
  return phraseOf(name, { segments: (run) => [run] }).text;
}

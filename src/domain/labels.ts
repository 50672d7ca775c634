import { cleanName } from './clean-text.js';
import { distinctBy } from './grouped.js';

/** Topic tags and error types, by the fields of the cards that carry them. */
export const LABEL_KINDS = ['topicTags', 'errorTypes'] as const;
export type LabelKind = (typeof LABEL_KINDS)[number];

/** Other names of one label: each is compared with the text of every search. */
export const MAX_ALIASES = 100;

/** Labels with the same parent. */
export const MAX_CHILDREN = 200;

/** Labels that one change merges. */
export const MAX_MERGED = 20;

/**
 * Labels of each kind that the cards of one owner have, counted when a label is created. The tenant's index holds them
 * all in memory; a notebook has hundreds.
 */
export const MAX_OWN_LABELS = 20_000;

/** Cards that one change of a label may rewrite: its transaction has to end within a request's deadline. */
export const MAX_CHANGED_CARDS = 10_000;

/** A label as the viewer sees it. */
export interface Label {
  readonly kind: LabelKind;
  readonly name: string;
  /** Names by which it is also known, in any language. */
  readonly aliases: readonly string[];
  /** The name of the wider label. */
  readonly parent: string | null;
  /** The names of the narrower labels, in order: at most {@link MAX_CHILDREN}. */
  readonly children: readonly string[];
  /** Of the viewer's cards. */
  readonly cardCount: number;
}

export interface ChangedLabel {
  readonly label: Label;
  /** Of all owners. */
  readonly changedCards: number;
}

/** What is set of a label; an absent key is kept. */
export interface LabelChange {
  /** Null: none. */
  readonly parent?: string | null;
  readonly aliases?: readonly string[];
}

/**
 * Not empty; equal for names that differ in case, width or blanks alone: a tenant has one label of each kind with a
 * key.
 */
export function labelKey(name: string): string {
  return cleanName(name).toLowerCase() || name;
}

/** Of names that mean the same label the first. */
export function distinctLabels(names: readonly string[]): string[] {
  return [...distinctBy(names, labelKey)];
}

/** The names of a tenant's labels by the keys of their names and aliases. */
export type LabelSpellings = Readonly<Record<LabelKind, ReadonlyMap<string, string>>>;

/** Spells labels as they are stored; a new one is spelled as it was first given. */
export class LabelSpelling {
  readonly #names: Readonly<Record<LabelKind, Map<string, string>>>;

  constructor({ topicTags, errorTypes }: LabelSpellings) {
    this.#names = { topicTags: new Map(topicTags), errorTypes: new Map(errorTypes) };
  }

  /** In the given order, each label once. */
  of(kind: LabelKind, names: readonly string[]): readonly string[] {
    const known = this.#names[kind];
    const spelled = names.map((name) => {
      const key = labelKey(name);
      const stored = known.get(key) ?? name;
      known.set(key, stored);
      return stored;
    });
    return [...new Set(spelled)];
  }
}

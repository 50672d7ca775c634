import { LABEL_KINDS, type LabelKind, labelKey } from '../../domain/labels.js';
import type { DescribedLabel } from '../../domain/ports/labels.js';
import type { LabelPerspective } from '../../domain/search.js';
import type { LabelProfiles } from '../../lexical/label-profiles.js';
import type { LabelsMeant } from '../../lexical/lexical-index.js';
import type { Phrases } from '../../text/phrases.js';
import { Synonyms } from '../../text/synonyms.js';
import type { QuerySynonyms } from './named-labels.js';

const KIND_OF: Readonly<Record<LabelPerspective, LabelKind>> = { concept: 'topicTags', error: 'errorTypes' };

/** Names of labels that a text is widened by: as many as of the school's synonyms. */
const MAX_NAMES = 20;

export interface CommonSynonyms extends QuerySynonyms {
  /** Of a text that is a name as a whole, or said instead of one: the names of its group. */
  called(text: string): readonly string[];
  /** Of a text that is a name as a whole: the names of its kinds. */
  below(text: string): readonly string[];
}

/** One label that has aliases, a parent or children. */
interface Entry {
  names: readonly string[];
  readonly children: Entry[];
}

export interface VocabularyParts {
  readonly phrases: Pick<Phrases, 'of'>;
  /** Of all tenants. */
  readonly synonyms: CommonSynonyms;
}

type Entries = Readonly<Record<LabelKind, Map<string, Entry>>>;

/** What a tenant calls its labels, and which are part of which; synonyms of all tenants beside. */
export class Vocabulary implements CommonSynonyms {
  private constructor(
    /** By {@link labelKey} of a name or an alias. */
    private readonly entries: Entries,
    private readonly named: Synonyms,
    private readonly synonyms: CommonSynonyms,
  ) {}

  /** In steps: 10,000 labels with five aliases each take more than a second. */
  static *read(
    described: readonly DescribedLabel[],
    { phrases, synonyms }: VocabularyParts,
  ): Generator<void, Vocabulary> {
    const entries: Entries = { topicTags: new Map(), errorTypes: new Map() };
    for (const { kind, name, aliases, parent } of described) {
      yield;
      const entry = entryOf(entries[kind], name);
      entry.names = [name, ...aliases];
      for (const alias of aliases) entries[kind].set(labelKey(alias), entry);
      if (parent !== null) entryOf(entries[kind], parent).children.push(entry);
    }
    const groups = LABEL_KINDS.flatMap((kind) =>
      [...new Set(entries[kind].values())].map(({ names }) => ({ names, broader: null })),
    );
    return new Vocabulary(entries, yield* Synonyms.read(phrases, groups), synonyms);
  }

  /** The labels that a name means: by any spelling, by their aliases, and those below them. */
  meantIn(profiles: Readonly<Record<LabelPerspective, Pick<LabelProfiles, 'names'>>>): LabelsMeant {
    return (perspective, name) =>
      [...this.#meant(KIND_OF[perspective], name)].flatMap((key) => profiles[perspective].names.withKey(key));
  }

  /** Of all labels that have an alias or a place in the tree. */
  *names(): Generator<string> {
    for (const kind of LABEL_KINDS) for (const entry of this.entries[kind].values()) yield* entry.names;
  }

  /** Other names of the labels in the text, the names of those below them, and the synonyms of all tenants. */
  of(text: string): readonly string[] {
    const named = this.named.namedIn(text).flatMap((name) => this.#entriesOf(name));
    const below = named.flatMap(descendants).flatMap(({ names }) => names);
    const own = [...this.named.of(text), ...below].filter((name) => !text.includes(name)).slice(0, MAX_NAMES);
    return [...new Set([...own, ...this.synonyms.of(text)])];
  }

  said(text: string): readonly string[] {
    return [...this.named.said(text), ...this.synonyms.said(text)];
  }

  /** The names of the labels that the text is a name of as a whole, each with those of the labels below it. */
  meantBy(text: string): readonly string[] {
    return this.#entriesOf(text)
      .flatMap((entry) => [entry, ...descendants(entry)])
      .flatMap(({ names }) => names.slice(0, 1));
  }

  called(text: string): readonly string[] {
    return this.synonyms.called(text);
  }

  /** Of a text that is the name of a kind in every school: the names of what is of this kind. 行程问题: 相遇问题. */
  below(text: string): readonly string[] {
    return this.synonyms.below(text);
  }

  #meant(kind: LabelKind, name: string): ReadonlySet<string> {
    const key = labelKey(name);
    const entry = this.entries[kind].get(key);
    if (entry === undefined) return new Set([key]);
    return new Set([entry, ...descendants(entry)].flatMap(({ names }) => names.map(labelKey)));
  }

  #entriesOf(name: string): readonly Entry[] {
    const key = labelKey(name);
    return LABEL_KINDS.flatMap((kind) => this.entries[kind].get(key) ?? []);
  }
}

function entryOf(entries: Map<string, Entry>, name: string): Entry {
  const key = labelKey(name);
  const known = entries.get(key);
  if (known !== undefined) return known;
  const entry: Entry = { names: [name], children: [] };
  entries.set(key, entry);
  return entry;
}

/** Nearest first. */
function descendants(entry: Entry): readonly Entry[] {
  const found = new Set<Entry>();
  for (let level = entry.children; level.length > 0; ) {
    const next = level.filter((one) => one !== entry && !found.has(one));
    for (const one of next) found.add(one);
    level = next.flatMap(({ children }) => children);
  }
  return [...found];
}

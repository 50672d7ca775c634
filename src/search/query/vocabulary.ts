import { groupedBy } from '../../domain/grouped.js';
import { LABEL_KINDS, type LabelKind } from '../../domain/labels.js';
import type { DescribedLabel } from '../../domain/ports/labels.js';
import type { LabelPerspective } from '../../domain/search.js';
import type { LabelProfiles } from '../../lexical/label-profiles.js';
import type { LabelsMeant } from '../../lexical/matching-cards.js';
import type { Phrases } from '../../text/phrases.js';
import { Synonyms } from '../../text/synonyms.js';
import type { QuerySynonyms } from './query.js';

const KIND_OF: Readonly<Record<LabelPerspective, LabelKind>> = { concept: 'topicTags', error: 'errorTypes' };

/** Names of labels that a text is widened by: as many as of the school's synonyms. */
const MAX_NAMES = 20;

export interface CommonSynonyms extends QuerySynonyms {
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
  /** The key of a label's name. */
  readonly keyOf: (name: string) => string;
}

/** What a tenant calls its labels, and which are part of which; synonyms of all tenants beside. */
export class Vocabulary implements CommonSynonyms {
  readonly #entries: Readonly<Record<LabelKind, Map<string, Entry>>> = { topicTags: new Map(), errorTypes: new Map() };
  readonly #named: Synonyms;

  constructor(
    described: readonly DescribedLabel[],
    private readonly parts: VocabularyParts,
  ) {
    for (const { kind, name, aliases, parent } of described) {
      const entry = this.#entry(kind, name);
      entry.names = [name, ...aliases];
      for (const alias of aliases) this.#entries[kind].set(parts.keyOf(alias), entry);
      if (parent !== null) this.#entry(kind, parent).children.push(entry);
    }
    const groups = LABEL_KINDS.flatMap((kind) =>
      [...new Set(this.#entries[kind].values())].map(({ names }) => ({ names, broader: null })),
    );
    this.#named = new Synonyms(parts.phrases, groups, 'first');
  }

  /** The labels that a name means: by any spelling, by their aliases, and those below them. */
  meantIn(profiles: Readonly<Record<LabelPerspective, Pick<LabelProfiles, 'labels'>>>): LabelsMeant {
    // By key, once for all names: a collection may have tens of thousands of labels.
    const byKey: { [P in LabelPerspective]?: ReadonlyMap<string, readonly string[]> } = {};
    return (perspective, name) => {
      byKey[perspective] ??= groupedBy(profiles[perspective].labels, this.parts.keyOf);
      const labels = byKey[perspective];
      return [...this.#meant(KIND_OF[perspective], name)].flatMap((key) => labels.get(key) ?? []);
    };
  }

  /** Other names of the labels in the text, the names of those below them, and the synonyms of all tenants. */
  of(text: string): readonly string[] {
    const named = this.#named.namedIn(text).flatMap((name) => this.#entriesOf(name));
    const below = named.flatMap(descendants).flatMap(({ names }) => names);
    const own = [...this.#named.of(text), ...below].filter((name) => !text.includes(name)).slice(0, MAX_NAMES);
    return [...new Set([...own, ...this.parts.synonyms.of(text)])];
  }

  said(text: string): readonly string[] {
    return [...this.#named.said(text), ...this.parts.synonyms.said(text)];
  }

  /** The names of the labels that the text is a name of as a whole, each with those of the labels below it. */
  meantBy(text: string): readonly string[] {
    return this.#entriesOf(text)
      .flatMap((entry) => [entry, ...descendants(entry)])
      .flatMap(({ names }) => names.slice(0, 1));
  }

  /** Of a text that is the name of a kind in every school: the names of what is of this kind. 行程问题: 相遇问题. */
  below(text: string): readonly string[] {
    return this.parts.synonyms.below(text);
  }

  #meant(kind: LabelKind, name: string): ReadonlySet<string> {
    const { keyOf } = this.parts;
    const key = keyOf(name);
    const entry = this.#entries[kind].get(key);
    if (entry === undefined) return new Set([key]);
    return new Set([entry, ...descendants(entry)].flatMap(({ names }) => names.map(keyOf)));
  }

  #entriesOf(name: string): readonly Entry[] {
    const key = this.parts.keyOf(name);
    return LABEL_KINDS.flatMap((kind) => this.#entries[kind].get(key) ?? []);
  }

  #entry(kind: LabelKind, name: string): Entry {
    const key = this.parts.keyOf(name);
    const known = this.#entries[kind].get(key);
    if (known !== undefined) return known;
    const entry: Entry = { names: [name], children: [] };
    this.#entries[kind].set(key, entry);
    return entry;
  }
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

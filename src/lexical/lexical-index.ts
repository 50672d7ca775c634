import type { SearchableContent } from '../domain/card.js';
import { PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import { versionOf } from '../domain/ports/ledger.js';
import type { IsCurrent, TenantIndex } from '../domain/ports/lexical.js';
import { type CardFilter, LABEL_PERSPECTIVES, type LabelPerspective } from '../domain/search.js';
import { atOnce } from '../domain/steps.js';
import { SortedUnion } from './arrays.js';
import { CardTable, currentDocs } from './card-table.js';
import { ChangeLog } from './change-log.js';
import { DocSet } from './doc-set.js';
import { type FilterCard, FilterColumns } from './filter-columns.js';
import { type IndexSnapshot, withOwnTerms } from './index-snapshot.js';
import { LabelProfiles } from './label-profiles.js';
import { TermDictionary } from './term-dictionary.js';
import { type Analyse, contentTerms, termSteps, termsOfTexts, termWeight } from './terms.js';
import { type CardTerms, cardTermSteps, TextLanes } from './text-lanes.js';

export type LexicalCard = SearchableContent & FilterCard & { readonly revision: number; readonly updatedAt: Date };

/** Labels by a name that a client uses for them. */
export type LabelsMeant = (perspective: LabelPerspective, name: string) => readonly string[];

/** Memory of a term or a card id: the string, and its entry in a map. */
const NAME_BYTES = 120;

/**
 * The lexical index of one tenant, or of one owner's cards: a BM25 index for each perspective, label profiles of topic
 * tags and error types, and filter columns. In memory, exact after any change.
 */
export class LexicalIndex implements TenantIndex {
  readonly cards = new CardTable();
  readonly #terms = new TermDictionary();
  readonly texts: TextLanes;
  /** The labels of the cards: topic tags and error types. */
  readonly profiles: Readonly<Record<LabelPerspective, LabelProfiles>>;
  readonly #filters = new FilterColumns();
  readonly #changes = new ChangeLog<number>();
  /** By card id, also of cards that are not here: a card that was read before its deletion must not be set after it. */
  readonly deletions = new ChangeLog<string>();
  /** Read ahead by {@link analyse}, until they are set. */
  readonly #analysed = new WeakMap<LexicalCard, CardTerms>();

  constructor(private readonly analyser: Analyse) {
    const shared = { cards: this.cards.numbers, terms: this.#terms };
    const texts = new TextLanes({ ...shared, weightOf: termWeight });
    this.texts = texts;
    const union = new SortedUnion();
    const textTerms = (doc: number): Uint32Array =>
      union.of(texts.lanes.question.termsOf(doc), texts.lanes.solution.termsOf(doc));
    const parts = { ...shared, textTerms, nameTerms: (name: string) => contentTerms(analyser(name)) };
    this.profiles = { concept: new LabelProfiles(parts), error: new LabelProfiles(parts) };
  }

  /** How many cards there are, also those whose question has no term. */
  get size(): number {
    return this.cards.numbers.size;
  }

  get bytes(): number {
    const parts = [this.texts, this.profiles.concept, this.profiles.error, this.#filters];
    const names = NAME_BYTES * (this.cards.docs + this.#terms.names.length);
    return parts.reduce((sum, { bytes }) => sum + bytes, names);
  }

  get changes(): number {
    return this.#changes.count;
  }

  /** As {@link ChangeLog.since}, by doc number. */
  changedSince(changes: number): ReadonlySet<number> | null {
    return this.#changes.since(changes);
  }

  *analyse(card: LexicalCard): Generator<void> {
    if (card.revision < this.cards.revisionOf(card.id)) return;
    this.#analysed.set(card, yield* cardTermSteps(card, this.analyser));
  }

  /** {@link analyse} and {@link set}. */
  *setSteps(card: LexicalCard): Generator<void> {
    yield* this.analyse(card);
    this.set(card);
  }

  set(card: LexicalCard): void {
    if (card.revision < this.cards.revisionOf(card.id)) return;
    const terms = this.#analysed.get(card) ?? atOnce(cardTermSteps(card, this.analyser));
    this.#analysed.delete(card);
    const doc = this.cards.set(card.id, versionOf(card));
    this.#deleteLabels(card.id, doc);
    this.texts.set(card.id, terms);
    this.profiles.concept.add(card.id, card.topicTags);
    this.profiles.error.add(card.id, card.errorTypes);
    this.#filters.set(doc, card);
    this.#changes.add(doc);
  }

  delete(cardId: string): void {
    this.deletions.add(cardId);
    const doc = this.cards.docOf(cardId);
    if (doc === undefined) return;
    this.#deleteLabels(cardId, doc);
    this.texts.delete(cardId);
    this.cards.delete(doc);
    this.#changes.add(doc);
  }

  /** No-op for a new card. The profiles read its texts: removed before these change, and added after. */
  #deleteLabels(cardId: string, doc: number): void {
    for (const perspective of LABEL_PERSPECTIVES) this.profiles[perspective].delete(cardId);
    this.#filters.delete(doc);
  }

  /** The index as it is now; later changes do not show in it. */
  snapshot(): IndexSnapshot {
    return {
      ...this.cards.snapshot(),
      terms: this.#terms.names.slice(),
      ...this.texts.snapshot(),
      labels: { concept: this.profiles.concept.snapshot(), error: this.profiles.error.snapshot() },
      filters: this.#filters.snapshot(this.cards.docs),
    };
  }

  /**
   * As {@link snapshot}, of these cards alone and without a trace of others, in time that follows their number, in
   * steps. Null if the index has changed between two steps.
   */
  *snapshotOf(cards: DocSet): Generator<void, IndexSnapshot | null> {
    const before = this.changes;
    for (const steps = this.#copyOf(cards); ; ) {
      const step = steps.next();
      if (step.done) return step.value;
      yield;
      if (this.changes !== before) return null;
    }
  }

  /** The index must not change between two steps. */
  *#copyOf(cards: DocSet): Generator<void, IndexSnapshot> {
    const docs = cards.docs();
    const table = this.cards.snapshotOf(cards);
    yield;
    const texts = yield* this.texts.snapshotOf(docs);
    const concept = yield* this.profiles.concept.snapshotOf(docs);
    const error = yield* this.profiles.error.snapshotOf(docs);
    const filters = this.#filters.snapshotOf(docs);
    const part = { ...table, ...texts, labels: { concept, error }, filters };
    return yield* withOwnTerms(part, this.#terms.names);
  }

  /**
   * Fills an empty index with the cards of a snapshot that are current, in steps of some milliseconds; it must not be
   * used before the last step.
   */
  *restore(snapshot: IndexSnapshot, isCurrent: IsCurrent): Generator<void> {
    const { cardIds, terms, revisions, updatedAtMs, labels, filters, ...texts } = snapshot;
    const kept = currentDocs({ cardIds, revisions, updatedAtMs }, isCurrent);
    const holds = { kept, cards: Uint32Array.from(kept), terms: new Uint32Array(terms.length) };
    for (const [doc, revision] of revisions.entries()) if (revision > 0 && kept[doc] === 0) this.#changes.add(doc);
    yield;
    yield* this.#filters.restore(filters, kept);
    yield* this.texts.restore(texts, holds);
    for (const one of LABEL_PERSPECTIVES) yield* this.profiles[one].restore(labels[one], holds);
    yield;
    yield* this.cards.restore({ cardIds, revisions, updatedAtMs }, kept, holds.cards);
    yield* this.#terms.restore(terms, holds.terms);
  }

  /**
   * The cards that match a filter; `meant` returns the labels that a name in the lists of any labels means: by default,
   * the label of this name.
   */
  matching(filter: CardFilter, meant: LabelsMeant = (_, name) => [name]): DocSet {
    const found = this.#filters.matching(filter);
    const keep = (perspective: LabelPerspective, labels: readonly string[]): void => {
      const labelled = new DocSet(this.cards.docs);
      for (const label of labels) for (const doc of this.profiles[perspective].docsOf(label)) labelled.add(doc);
      found.intersect(labelled);
    };
    const any = { concept: filter.topicTags, error: filter.errorTypes };
    const all = { concept: filter.allTopicTags, error: filter.allErrorTypes };
    for (const one of LABEL_PERSPECTIVES) {
      const labels = any[one]?.flatMap((name) => meant(one, name));
      if (labels !== undefined) keep(one, labels);
      for (const name of all[one] ?? []) keep(one, meant(one, name));
    }
    for (const cardId of filter.excludeCardIds ?? []) {
      const doc = this.cards.docOf(cardId);
      if (doc !== undefined) found.delete(doc);
    }
    return found;
  }

  /** The terms of texts, in order. */
  termsOf(texts: readonly string[]): readonly string[] {
    return termsOfTexts(texts, this.analyser);
  }

  /** As {@link termsOf}, a text in each step. */
  termSteps(texts: readonly string[]): Generator<void, readonly string[]> {
    return termSteps(texts, this.analyser);
  }

  /** Whether a text is of one term, and no card has it. */
  isUnknown(word: string): boolean {
    const [term, ...others] = this.analyser(word);
    return term !== undefined && others.length === 0 && this.#terms.of(term) === undefined;
  }

  /** Whether the card that is most like a text has all of its words, in any of its own texts. */
  hasCardWith(text: string): boolean {
    const terms = contentTerms(this.analyser(text));
    const known = terms.flatMap((term) => this.#terms.of(term) ?? []);
    if (known.length < terms.length) return false;
    const [best] = this.texts.search('question', terms, 1, { combined: true });
    const doc = best === undefined ? undefined : this.cards.docOf(best.cardId);
    if (doc === undefined) return false;
    const has = new Set(PERSPECTIVES.flatMap((perspective) => [...this.texts.lanes[perspective].termsOf(doc)]));
    return known.every((term) => has.has(term));
  }

  /** At most `limit` cards that carry the label: of more, the best for the terms in `text`, then any others. */
  cardsWithLabel(
    { label, of }: { readonly label: string; readonly of: LabelPerspective },
    { terms, text }: { readonly terms: readonly string[]; readonly text: Perspective },
    limit: number,
  ): string[] {
    const among = this.profiles[of].docsOf(label);
    const any = Array.from(among.subarray(0, limit), (doc) => this.cards.idOf(doc));
    if (among.length <= limit) return any;
    const best = this.texts.search(text, terms, limit, { among }).map(({ cardId }) => cardId);
    return [...new Set([...best, ...any])].slice(0, limit);
  }
}

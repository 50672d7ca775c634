import { perspectiveTexts, questionOf, type SearchableContent } from '../domain/card.js';
import { type ByPerspective, byPerspective, type Perspective } from '../domain/perspective.js';
import type { CardVersion } from '../domain/ports/ledger.js';
import type { EncodedSnapshot } from '../domain/ports/lexical.js';
import type { LexicalLane } from '../domain/ports/scoring.js';
import { type CardFilter, LABEL_PERSPECTIVES, type LabelPerspective } from '../domain/search.js';
import { SortedUnion } from './arrays.js';
import type { AddedQuery, ScoredCard } from './bm25.js';
import { ChangeLog } from './change-log.js';
import { DocSet } from './doc-set.js';
import { type FilterCard, FilterColumns } from './filter-columns.js';
import { decoded, encoded, withOwnTerms } from './index-snapshot.js';
import { LabelProfiles, type LikelyLabel } from './label-profiles.js';
import { TermDictionary } from './term-dictionary.js';
import { type Analyse, termWeight } from './terms.js';
import { TextLanes } from './text-lanes.js';

/** Card fields that are indexed. */
export type LexicalCard = SearchableContent & FilterCard & { readonly revision: number; readonly updatedAt: Date };

/** No text that a person wrote has as many; a text of signs alone may, and is cut. */
const MAX_TERMS = 20_000;

/** Labels by a name that a client uses for them. */
export type LabelsMeant = (perspective: LabelPerspective, name: string) => readonly string[];

/** Memory of a term or a card id: the string, and its entry in a map. */
const NAME_BYTES = 120;

/** Whether a version of a card is the current one. */
export type IsCurrent = (cardId: string, revision: number, updatedAtMs: number) => boolean;

/**
 * The lexical index of one tenant, or of one owner's cards: a BM25 index for each perspective, label profiles of topic
 * tags and error types, and filter columns. In memory, exact after any change.
 */
export class LexicalIndex {
  readonly #analyse: Analyse;
  readonly #cards = new TermDictionary();
  readonly #terms = new TermDictionary();
  /**
   * By doc; revision 0 without a card. A revision alone is no version: a database that was restored from a backup gives
   * some of them out again.
   */
  #revisions: number[] = [];
  #updatedAtMs: number[] = [];
  readonly #texts: TextLanes;
  readonly #profiles: Readonly<Record<LabelPerspective, LabelProfiles>>;
  readonly #filters = new FilterColumns();
  readonly #changes = new ChangeLog();

  constructor(analyse: Analyse) {
    this.#analyse = analyse;
    const shared = { cards: this.#cards, terms: this.#terms };
    const texts = new TextLanes({ ...shared, weightOf: termWeight });
    this.#texts = texts;
    const union = new SortedUnion();
    const textTerms = (doc: number): Uint32Array =>
      union.of(texts.termsOf('question', doc), texts.termsOf('solution', doc));
    const parts = { ...shared, textTerms, nameTerms: analyse };
    this.#profiles = { concept: new LabelProfiles(parts), error: new LabelProfiles(parts) };
  }

  /** How many cards there are: every card has a question. */
  get size(): number {
    return this.#texts.size;
  }

  /** About the memory that it takes. */
  get bytes(): number {
    const { concept, error } = this.#profiles;
    const names = NAME_BYTES * (this.#cards.names.length + this.#terms.names.length);
    return this.#texts.bytes + concept.bytes + error.bytes + this.#filters.bytes + names;
  }

  /** How often a card was set or deleted. */
  get changes(): number {
    return this.#changes.count;
  }

  /** As {@link ChangeLog.since}, by doc number. */
  changedSince(changes: number): ReadonlySet<number> | null {
    return this.#changes.since(changes);
  }

  /** Doc numbers are below this one. */
  get docs(): number {
    return this.#cards.names.length;
  }

  /** '' for a free doc number. */
  idOf(doc: number): string {
    return this.#cards.names[doc] ?? '';
  }

  docOf(cardId: string): number | undefined {
    return this.#cards.of(cardId);
  }

  /** 0 if the card is not indexed. */
  revisionOf(cardId: string): number {
    const doc = this.#cards.of(cardId);
    return doc === undefined ? 0 : (this.#revisions[doc] ?? 0);
  }

  /** Undefined if the card is not indexed. */
  versionOf(cardId: string): CardVersion | undefined {
    const doc = this.#cards.of(cardId);
    const revision = doc === undefined ? 0 : (this.#revisions[doc] ?? 0);
    return revision === 0 ? undefined : { revision, updatedAtMs: this.#updatedAtMs[doc as number] as number };
  }

  /** Whether this very version of the card is indexed. */
  holds(cardId: string, revision: number, updatedAtMs: number): boolean {
    const version = this.versionOf(cardId);
    return version?.revision === revision && version.updatedAtMs === updatedAtMs;
  }

  cardIds(): string[] {
    return this.#cards.names.filter((_, doc) => (this.#revisions[doc] ?? 0) > 0);
  }

  /** In the order of their doc numbers. */
  idsOf(docs: DocSet): string[] {
    return Array.from(docs.docs(), (doc) => this.#cards.names[doc] as string);
  }

  /** Indexes a card, or indexes it anew; no-op for an older revision than the indexed one. */
  set(card: LexicalCard): void {
    if (card.revision < this.revisionOf(card.id)) return;
    const texts = perspectiveTexts(card);
    const terms = byPerspective((perspective) => this.termsOf(texts[perspective]));
    this.delete(card.id);
    const doc = this.#cards.take(card.id);
    this.#cards.hold(doc);
    this.#revisions[doc] = card.revision;
    this.#updatedAtMs[doc] = card.updatedAt.getTime();
    this.#texts.set(card.id, { texts: terms, attempt: this.#attemptTerms(card, terms) });
    // After the texts, which the profiles read.
    this.#profiles.concept.add(card.id, card.topicTags);
    this.#profiles.error.add(card.id, card.errorTypes);
    this.#filters.set(doc, card);
    this.#changes.add(doc);
  }

  /** None if the card is no attempt: see {@link TextLanes}. */
  #attemptTerms(card: LexicalCard, terms: ByPerspective<readonly string[]>): readonly string[] {
    const { studentSolutionText } = card;
    if (studentSolutionText !== null) return this.termsOf([questionOf(card), studentSolutionText]);
    return terms.error.length === 0 ? [] : terms.question;
  }

  /** No-op if the card is not indexed. */
  delete(cardId: string): void {
    const doc = this.#cards.of(cardId);
    if (doc === undefined) return;
    // Before the texts, which the profiles read.
    this.#profiles.concept.delete(cardId);
    this.#profiles.error.delete(cardId);
    this.#texts.delete(cardId);
    this.#filters.delete(doc);
    this.#revisions[doc] = 0;
    this.#cards.release(doc);
    this.#changes.add(doc);
  }

  /** The index as it is now; later changes do not show in it. */
  snapshot(): EncodedSnapshot {
    return encoded({
      cardIds: this.#cards.names.slice(),
      terms: this.#terms.names.slice(),
      revisions: Uint32Array.from(this.#revisions),
      updatedAtMs: Float64Array.from(this.#updatedAtMs),
      ...this.#texts.snapshot(),
      labels: { concept: this.#profiles.concept.snapshot(), error: this.#profiles.error.snapshot() },
      filters: this.#filters.snapshot(this.docs),
    });
  }

  /** As {@link snapshot}, of these cards alone and without a trace of others, in time that follows their number. */
  snapshotOf(cards: DocSet): EncodedSnapshot {
    const docs = cards.docs();
    const { concept, error } = this.#profiles;
    const part = {
      cardIds: this.idsOf(cards),
      revisions: Uint32Array.from(docs, (doc) => this.#revisions[doc] as number),
      updatedAtMs: Float64Array.from(docs, (doc) => this.#updatedAtMs[doc] as number),
      ...this.#texts.snapshotOf(docs),
      labels: { concept: concept.snapshotOf(docs), error: error.snapshotOf(docs) },
      filters: this.#filters.snapshotOf(docs),
    };
    return encoded(withOwnTerms(part, this.#terms.names));
  }

  /**
   * Fills an empty index with the cards of a snapshot that are current, in steps of some ten milliseconds for 50,000
   * cards; it must not be used before the last step. RangeError for an invalid snapshot, after which the index is of no
   * use.
   */
  *restore(snapshot: EncodedSnapshot, isCurrent: IsCurrent): Generator<void> {
    const { cardIds, terms, revisions, updatedAtMs, labels, filters, ...texts } = decoded(snapshot);
    const kept = new Uint8Array(cardIds.length);
    for (const [doc, cardId] of cardIds.entries()) {
      const revision = revisions[doc] ?? 0;
      if (revision > 0 && isCurrent(cardId, revision, updatedAtMs[doc] ?? 0)) kept[doc] = 1;
    }
    const holds = { kept, cards: Uint32Array.from(kept), terms: new Uint32Array(terms.length) };
    this.#revisions = Array.from(revisions, (revision, doc) => (kept[doc] === 1 ? revision : 0));
    this.#updatedAtMs = Array.from(updatedAtMs);
    this.#filters.restore(filters, kept);
    yield;
    yield* this.#texts.restore(texts, holds);
    for (const perspective of LABEL_PERSPECTIVES) {
      this.#profiles[perspective].restore(labels[perspective], holds);
      yield;
    }
    this.#cards.restore(cardIds, holds.cards);
    this.#terms.restore(terms, holds.terms);
  }

  /**
   * The cards that match a filter, by doc number; `meant` returns the labels of this index that a name of the filter
   * means.
   */
  matching(filter: CardFilter, meant: LabelsMeant = (_, name) => [name]): DocSet {
    const found = this.#filters.matching(filter);
    const keep = (perspective: LabelPerspective, names: readonly string[]): void => {
      const labels = names.flatMap((name) => meant(perspective, name));
      found.intersect(this.#withAnyLabel(perspective, labels));
    };
    if (filter.topicTags !== undefined) keep('concept', filter.topicTags);
    if (filter.errorTypes !== undefined) keep('error', filter.errorTypes);
    for (const tag of filter.allTopicTags ?? []) keep('concept', [tag]);
    for (const type of filter.allErrorTypes ?? []) keep('error', [type]);
    for (const cardId of filter.excludeCardIds ?? []) {
      const doc = this.#cards.of(cardId);
      if (doc !== undefined) found.delete(doc);
    }
    return found;
  }

  /** The owner's cards, by doc number. */
  ownedBy(ownerId: string): DocSet {
    return this.#filters.ownedBy(ownerId);
  }

  /** The terms of texts, in order. */
  termsOf(texts: readonly string[]): readonly string[] {
    return texts.flatMap(this.#analyse).slice(0, MAX_TERMS);
  }

  /** Whether a text is of one term, and no card has it. */
  isUnknown(word: string): boolean {
    const [term, ...others] = this.#analyse(word);
    return term !== undefined && others.length === 0 && this.#terms.of(term) === undefined;
  }

  /** All topic tags or error types, in no particular order. */
  labels(perspective: LabelPerspective): readonly string[] {
    return this.#profiles[perspective].labels;
  }

  /** As {@link TextLanes.search}. */
  search(perspective: Perspective, terms: readonly string[], limit: number): ScoredCard[] {
    return this.#texts.search(perspective, terms, limit);
  }

  /** As {@link TextLanes.scores}. */
  scores(perspective: Perspective, terms: readonly string[], cardIds: readonly string[]): Float64Array {
    return this.#texts.scores(perspective, terms, cardIds);
  }

  /** As {@link TextLanes.lane}. */
  lane(perspective: Perspective, query: AddedQuery): LexicalLane {
    return this.#texts.lane(perspective, query);
  }

  hasText(perspective: Perspective, doc: number): boolean {
    return this.#texts.hasText(perspective, doc);
  }

  hasLabel(perspective: LabelPerspective, doc: number): boolean {
    return this.#profiles[perspective].hasLabel(doc);
  }

  /** As {@link LabelProfiles.greatestValues}. */
  greatestLabelValues(perspective: LabelPerspective, values: ReadonlyMap<string, number>): Float64Array {
    return this.#profiles[perspective].greatestValues(values);
  }

  /** As {@link LabelProfiles.rank}. */
  likelyLabels(
    perspective: LabelPerspective,
    terms: readonly string[],
    limit: number,
    leaveOut?: string,
  ): LikelyLabel[] {
    return this.#profiles[perspective].rank(terms, limit, leaveOut);
  }

  /** As {@link LabelProfiles.similarNames}. */
  similarNames(perspective: LabelPerspective, label: string): ReadonlyMap<string, number> {
    return this.#profiles[perspective].similarNames(label);
  }

  /** How many cards carry the label. */
  cardsOf(perspective: LabelPerspective, label: string): number {
    return this.#profiles[perspective].docsOf(label).length;
  }

  /** The card's topic tags or error types, in alphabetical order. */
  labelsOf(perspective: LabelPerspective, cardId: string): string[] {
    return this.#profiles[perspective].labelsOf(cardId);
  }

  allWithLabel(perspective: LabelPerspective, label: string): string[] {
    return Array.from(this.#profiles[perspective].docsOf(label), (doc) => this.#cards.names[doc] ?? '');
  }

  /** At most `limit` cards that carry the label; of more, those that are the best for the terms in `text`. */
  cardsWithLabel(
    { label, of }: { readonly label: string; readonly of: LabelPerspective },
    { terms, text }: { readonly terms: readonly string[]; readonly text: Perspective },
    limit: number,
  ): string[] {
    const docs = this.#profiles[of].docsOf(label);
    if (docs.length <= limit) return Array.from(docs, (doc) => this.#cards.names[doc] ?? '');
    return this.#texts.searchDocs(text, terms, limit, docs).map(({ cardId }) => cardId);
  }

  #withAnyLabel(perspective: LabelPerspective, labels: readonly string[]): DocSet {
    const found = DocSet.below(this.docs);
    for (const label of labels) for (const doc of this.#profiles[perspective].docsOf(label)) found.add(doc);
    return found;
  }
}

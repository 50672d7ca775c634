import { type CardContent, perspectiveTexts } from '../domain/card.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { EncodedSnapshot } from '../domain/ports/lexical.js';
import { LABEL_PERSPECTIVES, type LabelPerspective } from '../domain/search.js';
import { Scratch, SortedUnion } from './arrays.js';
import { type AddedQuery, Bm25Index, type ScoredCard } from './bm25.js';
import { decoded, encoded } from './index-snapshot.js';
import { LabelProfiles, type LikelyLabel } from './label-profiles.js';
import { TermDictionary } from './term-dictionary.js';
import { type Analyse, termWeight } from './terms.js';

/** What of a card is indexed. */
export type LexicalCard = Pick<
  CardContent,
  'questionText' | 'studentSolutionText' | 'goldSolutionBrief' | 'topicTags' | 'errorTypes'
> & { readonly id: string; readonly revision: number; readonly updatedAt: Date };

/** No text that a person wrote has as many; a text of signs alone may, and is cut. */
const MAX_TERMS = 20_000;

/** Whether a version of a card is the current one. */
export type IsCurrent = (cardId: string, revision: number, updatedAtMs: number) => boolean;

/**
 * The lexical index of one tenant, or of one owner's cards: a BM25 index for each perspective, and label profiles of topic tags
 * and error types. In memory, exact after any change.
 */
export class LexicalIndex {
  readonly #analyse: Analyse;
  readonly #cards = new TermDictionary();
  readonly #terms = new TermDictionary();
  /**
   * By doc; revision 0 without a card. A revision alone is no version: a database that was restored from a backup gives some of
   * them out again.
   */
  #revisions: number[] = [];
  #updatedAtMs: number[] = [];
  readonly #lanes: ByPerspective<Bm25Index>;
  /**
   * The question with the wrong solution, as one text, of cards with error types: the lexical lane of the error perspective
   * compares a query with this and with the error's own text, and takes the better score. A student's question and answer are like
   * those of another card; a description of an error is like its error types.
   */
  readonly #attempts: Bm25Index;
  readonly #profiles: Readonly<Record<LabelPerspective, LabelProfiles>>;
  #changes = 0;
  readonly #errorScores = new Scratch(Float64Array);
  readonly #attemptScores = new Scratch(Float64Array);

  constructor(analyse: Analyse) {
    this.#analyse = analyse;
    const shared = { cards: this.#cards, terms: this.#terms };
    this.#lanes = byPerspective(() => new Bm25Index({ ...shared, weightOf: termWeight }));
    this.#attempts = new Bm25Index({ ...shared, weightOf: termWeight });
    const { question, solution } = this.#lanes;
    const union = new SortedUnion();
    const textTerms = (doc: number): Uint32Array => union.of(question.termsOf(doc), solution.termsOf(doc));
    const parts = { ...shared, textTerms, nameTerms: analyse };
    this.#profiles = { concept: new LabelProfiles(parts), error: new LabelProfiles(parts) };
  }

  /** How many cards there are: every card has a question. */
  get size(): number {
    return this.#lanes.question.size;
  }

  /** The size of the arrays, without the dictionaries. */
  get bytes(): number {
    const profiles = this.#profiles.concept.bytes + this.#profiles.error.bytes;
    return PERSPECTIVES.reduce(
      (sum, perspective) => sum + this.#lanes[perspective].bytes,
      profiles + this.#attempts.bytes,
    );
  }

  /** How often a card was set or deleted. */
  get changes(): number {
    return this.#changes;
  }

  /** Doc numbers are below this one. */
  get docs(): number {
    return this.#cards.names.length;
  }

  docOf(cardId: string): number | undefined {
    return this.#cards.of(cardId);
  }

  /** 0 if the card is not indexed. */
  revisionOf(cardId: string): number {
    const doc = this.#cards.of(cardId);
    return doc === undefined ? 0 : (this.#revisions[doc] ?? 0);
  }

  /** Whether this very version of the card is indexed. */
  holds(cardId: string, revision: number, updatedAtMs: number): boolean {
    const doc = this.#cards.of(cardId);
    return doc !== undefined && this.#revisions[doc] === revision && this.#updatedAtMs[doc] === updatedAtMs;
  }

  cardIds(): string[] {
    return this.#cards.names.filter((_, doc) => (this.#revisions[doc] ?? 0) > 0);
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
    for (const perspective of PERSPECTIVES) this.#lanes[perspective].set(card.id, terms[perspective]);
    const attempt =
      card.studentSolutionText === null ? terms.question : this.termsOf([card.questionText, card.studentSolutionText]);
    this.#attempts.set(card.id, terms.error.length === 0 ? [] : attempt);
    // After the texts, which the profiles read.
    this.#profiles.concept.add(card.id, card.topicTags);
    this.#profiles.error.add(card.id, card.errorTypes);
    this.#changes += 1;
  }

  /** No-op if the card is not indexed. */
  delete(cardId: string): void {
    const doc = this.#cards.of(cardId);
    if (doc === undefined) return;
    // Before the texts, which the profiles read.
    this.#profiles.concept.delete(cardId);
    this.#profiles.error.delete(cardId);
    for (const perspective of PERSPECTIVES) this.#lanes[perspective].delete(cardId);
    this.#attempts.delete(cardId);
    this.#revisions[doc] = 0;
    this.#cards.release(doc);
    this.#changes += 1;
  }

  /** The index as it is now; later changes do not show in it. */
  snapshot(): EncodedSnapshot {
    return encoded({
      cardIds: this.#cards.names.slice(),
      terms: this.#terms.names.slice(),
      revisions: Uint32Array.from(this.#revisions),
      updatedAtMs: Float64Array.from(this.#updatedAtMs),
      lanes: byPerspective((perspective) => this.#lanes[perspective].snapshot()),
      attempts: this.#attempts.snapshot(),
      labels: { concept: this.#profiles.concept.snapshot(), error: this.#profiles.error.snapshot() },
    });
  }

  /**
   * Fills an empty index with the cards of a snapshot that are current, in steps of some ten milliseconds for 50,000 cards; it
   * must not be used before the last step. RangeError for an invalid snapshot, after which the index is of no use.
   */
  *restore(snapshot: EncodedSnapshot, isCurrent: IsCurrent): Generator<void> {
    const { cardIds, terms, revisions, updatedAtMs, lanes, attempts, labels } = decoded(snapshot);
    const kept = new Uint8Array(cardIds.length);
    for (const [doc, cardId] of cardIds.entries()) {
      const revision = revisions[doc] ?? 0;
      if (revision > 0 && isCurrent(cardId, revision, updatedAtMs[doc] ?? 0)) kept[doc] = 1;
    }
    const holds = { kept, cards: Uint32Array.from(kept), terms: new Uint32Array(terms.length) };
    this.#revisions = Array.from(revisions, (revision, doc) => (kept[doc] === 1 ? revision : 0));
    this.#updatedAtMs = Array.from(updatedAtMs);
    yield;
    for (const perspective of PERSPECTIVES) {
      this.#lanes[perspective].restore(lanes[perspective], holds);
      yield;
    }
    this.#attempts.restore(attempts, holds);
    yield;
    for (const perspective of LABEL_PERSPECTIVES) {
      this.#profiles[perspective].restore(labels[perspective], holds);
      yield;
    }
    this.#cards.restore(cardIds, holds.cards);
    this.#terms.restore(terms, holds.terms);
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

  /** As {@link Bm25Index.search}. */
  search(perspective: Perspective, terms: readonly string[], limit: number): ScoredCard[] {
    const found = this.#lanes[perspective].search(terms, limit);
    return perspective === 'error' ? bestOf(found, this.#attempts.search(terms, limit), limit) : found;
  }

  /** As {@link Bm25Index.scores}. */
  scores(perspective: Perspective, terms: readonly string[], cardIds: readonly string[]): Float64Array {
    const scores = this.#lanes[perspective].scores(terms, cardIds);
    return perspective === 'error' ? greater(scores, this.#attempts.scores(terms, cardIds)) : scores;
  }

  /** As {@link Bm25Index.addScores}. */
  addScores(perspective: Perspective, query: AddedQuery, places: Int32Array, sums: Float64Array): void {
    if (perspective !== 'error') {
      this.#lanes[perspective].addScores(query, places, sums);
      return;
    }
    const byError = this.#errorScores.zeros(sums.length);
    const byAttempt = this.#attemptScores.zeros(sums.length);
    this.#lanes.error.addScores(query, places, byError);
    this.#attempts.addScores(query, places, byAttempt);
    for (let place = 0; place < sums.length; place++) {
      sums[place] = (sums[place] as number) + Math.max(byError[place] as number, byAttempt[place] as number);
    }
  }

  hasText(perspective: Perspective, doc: number): boolean {
    return this.#lanes[perspective].hasText(doc);
  }

  hasLabel(perspective: LabelPerspective, doc: number): boolean {
    return this.#profiles[perspective].hasLabel(doc);
  }

  /** As {@link LabelProfiles.greatestValues}. */
  greatestLabelValues(perspective: LabelPerspective, values: ReadonlyMap<string, number>): Float64Array {
    return this.#profiles[perspective].greatestValues(values);
  }

  /** As {@link LabelProfiles.rank}. */
  likelyLabels(perspective: LabelPerspective, terms: readonly string[], limit: number): LikelyLabel[] {
    return this.#profiles[perspective].rank(terms, limit);
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
    return this.#lanes[text].searchDocs(terms, limit, docs).map(({ cardId }) => cardId);
  }
}

/** By place: the greater of two scores; NaN where both are. */
function greater(scores: Float64Array, others: Float64Array): Float64Array {
  return scores.map((score, place) => Math.max(score, others[place] as number));
}

/** At most `limit` cards of either list with their better score, best first, equal ones by id. */
function bestOf(found: readonly ScoredCard[], others: readonly ScoredCard[], limit: number): ScoredCard[] {
  const scores = new Map<string, number>();
  for (const { cardId, score } of [...found, ...others]) scores.set(cardId, Math.max(score, scores.get(cardId) ?? 0));
  return Array.from(scores, ([cardId, score]) => ({ cardId, score }))
    .sort((a, b) => b.score - a.score || (a.cardId < b.cardId ? -1 : 1))
    .slice(0, limit);
}

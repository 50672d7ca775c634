import { type CardContent, perspectiveTexts } from '../domain/card.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { EncodedSnapshot } from '../domain/ports/lexical.js';
import { LABEL_PERSPECTIVES, type LabelPerspective } from '../domain/search.js';
import { type AddedQuery, Bm25Index } from './bm25.js';
import { packed, unpacked } from './index-snapshot.js';
import { type InferredLabel, LabelProfiles } from './label-profiles.js';
import { SortedUnion } from './sorted-union.js';
import { TermDictionary } from './term-dictionary.js';
import { termWeight } from './terms.js';
import type { ScoredCard } from './top-k.js';
import { Versions } from './versions.js';

/** What of a card is matched by words and labels. */
export type LexicalCard = Pick<
  CardContent,
  'questionText' | 'studentSolutionText' | 'goldSolutionBrief' | 'topicTags' | 'errorTypes'
> & { readonly id: string; readonly revision: number; readonly updatedAt: Date };

/** No text that a person wrote has as many; one of signs alone may, and is matched by its first ones. */
const MAX_FEATURES = 20_000;

/** Whether a version of a card is the one that there is now. */
export type IsCurrent = (cardId: string, revision: number, updatedAtMs: number) => boolean;

/** The words and formula shapes of a text, by which it is matched; always the same ones for the same text. */
export type Analyse = (text: string) => readonly string[];

/**
 * One tenant's cards as words and labels: a BM25 index for each perspective, and what the cards of each topic tag and of each
 * error type have in common. Exact after any change; kept in memory and rebuilt from the cards.
 */
export class LexicalIndex {
  readonly #analyse: Analyse;
  readonly #cards = new TermDictionary();
  readonly #terms = new TermDictionary();
  readonly #versions = new Versions();
  readonly #lanes: ByPerspective<Bm25Index>;
  readonly #profiles: Readonly<Record<LabelPerspective, LabelProfiles>>;
  #changes = 0;

  constructor(analyse: Analyse) {
    this.#analyse = analyse;
    const shared = { cards: this.#cards, terms: this.#terms };
    this.#lanes = byPerspective(() => new Bm25Index({ ...shared, weightOf: termWeight }));
    const { question, solution } = this.#lanes;
    const union = new SortedUnion();
    const saidBy = (slot: number): Uint32Array => union.of(question.termsOf(slot), solution.termsOf(slot));
    const parts = { ...shared, saidBy, wordsOf: analyse };
    this.#profiles = { concept: new LabelProfiles(parts), error: new LabelProfiles(parts) };
  }

  /** How many cards there are: every card has a question. */
  get size(): number {
    return this.#lanes.question.size;
  }

  /** The size of the arrays; the strings of ids, words and labels come on top. */
  get bytes(): number {
    const profiles = this.#profiles.concept.bytes + this.#profiles.error.bytes;
    return PERSPECTIVES.reduce((sum, perspective) => sum + this.#lanes[perspective].bytes, profiles);
  }

  /** How often a card was set or deleted so far. */
  get changes(): number {
    return this.#changes;
  }

  /** The revision of the card that is here; 0 where it is not. */
  revisionOf(cardId: string): number {
    const slot = this.#cards.of(cardId);
    return slot === undefined ? 0 : this.#versions.revision(slot);
  }

  /** Whether this very version of the card is here. */
  holds(cardId: string, revision: number, updatedAtMs: number): boolean {
    const slot = this.#cards.of(cardId);
    return slot !== undefined && this.#versions.is(slot, revision, updatedAtMs);
  }

  /** The ids of the cards that are here. */
  cardIds(): string[] {
    return this.#cards.names.filter((_, slot) => this.#versions.revision(slot) > 0);
  }

  /** Sets what a card says, whether it was here before or not; an older revision than the one that is here is passed over. */
  set(card: LexicalCard): void {
    if (card.revision < this.revisionOf(card.id)) return;
    const texts = perspectiveTexts(card);
    const features = byPerspective((perspective) => this.termsOf(texts[perspective]));
    this.delete(card.id);
    const slot = this.#cards.take(card.id);
    this.#cards.hold(slot);
    this.#versions.set(slot, card.revision, card.updatedAt.getTime());
    for (const perspective of PERSPECTIVES) this.#lanes[perspective].set(card.id, features[perspective]);
    // After the words: the profiles ask what the card says.
    this.#profiles.concept.add(card.id, card.topicTags);
    this.#profiles.error.add(card.id, card.errorTypes);
    this.#changes += 1;
  }

  /** Without effect where the card is not here. */
  delete(cardId: string): void {
    const slot = this.#cards.of(cardId);
    if (slot === undefined) return;
    // Before the words: the profiles ask what the card says.
    this.#profiles.concept.delete(cardId);
    this.#profiles.error.delete(cardId);
    for (const perspective of PERSPECTIVES) this.#lanes[perspective].delete(cardId);
    this.#versions.clear(slot);
    this.#cards.release(slot);
    this.#changes += 1;
  }

  /** The index as it is at this moment; nothing that happens later changes the copy. */
  copy(): EncodedSnapshot {
    return packed({
      cardIds: this.#cards.names.slice(),
      terms: this.#terms.names.slice(),
      versions: this.#versions.copy(this.#cards.names.length),
      lanes: byPerspective((perspective) => this.#lanes[perspective].copy()),
      labels: { concept: this.#profiles.concept.copy(), error: this.#profiles.error.copy() },
    });
  }

  /**
   * Fills an empty index with the cards of a copy that are still current, a step at a time, each some ten milliseconds for
   * 50,000 cards; it answers nothing before the last. RangeError where the copy is none: the index is of no use then.
   */
  *restore(copy: EncodedSnapshot, isCurrent: IsCurrent): Generator<void> {
    const { cardIds, terms, versions, lanes, labels } = unpacked(copy);
    const kept = new Uint8Array(cardIds.length);
    for (const [slot, cardId] of cardIds.entries()) {
      const revision = versions.revisions[slot] ?? 0;
      if (revision > 0 && isCurrent(cardId, revision, versions.updatedAtMs[slot] ?? 0)) kept[slot] = 1;
    }
    const holds = { kept, cards: Uint32Array.from(kept), terms: new Uint32Array(terms.length) };
    this.#versions.restore(versions, kept);
    yield;
    for (const perspective of PERSPECTIVES) {
      this.#lanes[perspective].restore(lanes[perspective], holds);
      yield;
    }
    for (const perspective of LABEL_PERSPECTIVES) {
      this.#profiles[perspective].restore(labels[perspective], holds);
      yield;
    }
    this.#cards.restore(cardIds, holds.cards);
    this.#terms.restore(terms, holds.terms);
  }

  /** What texts are matched by, in order. */
  termsOf(texts: readonly string[]): readonly string[] {
    return texts.flatMap(this.#analyse).slice(0, MAX_FEATURES);
  }

  /** The best cards by the words of one perspective: see {@link Bm25Index.search}. */
  search(
    perspective: Perspective,
    features: readonly string[],
    limit: number,
    admitted?: ReadonlySet<string>,
  ): ScoredCard[] {
    return this.#lanes[perspective].search(features, limit, admitted);
  }

  /** The cards' scores by the words of one perspective, in order; null where a card has no text there. */
  scores(perspective: Perspective, features: readonly string[], cardIds: readonly string[]): (number | null)[] {
    return this.#lanes[perspective].scores(features, cardIds);
  }

  /** Writes the cards' scores by the words of one perspective into `out`, in order; NaN where a card has no text there. */
  scoresInto(
    perspective: Perspective,
    features: readonly string[],
    cardIds: readonly string[],
    out: Float64Array,
  ): void {
    this.#lanes[perspective].scoresInto(features, cardIds, out);
  }

  /** How many slots there are, in use or not. */
  get slots(): number {
    return this.#cards.names.length;
  }

  /** A card's slot, its place in what is said of all cards; undefined where the card is not here. */
  slotOf(cardId: string): number | undefined {
    return this.#cards.of(cardId);
  }

  /** Whether the card in a slot has a text in the perspective. */
  hasText(perspective: Perspective, slot: number): boolean {
    return this.#lanes[perspective].hasText(slot);
  }

  /** Whether the card in a slot carries a label. */
  hasLabel(perspective: LabelPerspective, slot: number): boolean {
    return this.#profiles[perspective].hasLabel(slot);
  }

  /** Adds what each card scores by the words of one perspective: see {@link Bm25Index.addScores}. */
  addScores(perspective: Perspective, query: AddedQuery, places: Int32Array, sums: Float64Array): void {
    this.#lanes[perspective].addScores(query, places, sums);
  }

  /** By slot: the greatest value of a card's labels, 0 where none has one. Valid until the next call. */
  labelValues(perspective: LabelPerspective, values: ReadonlyMap<string, number>): Float64Array {
    return this.#profiles[perspective].labelValues(values);
  }

  /** The labels that a text may deserve, at most `limit`, best first. */
  infer(perspective: LabelPerspective, features: readonly string[], limit: number): InferredLabel[] {
    return this.#profiles[perspective].infer(features, limit);
  }

  /** The card's topic tags or error types, in alphabetical order; none where it has none or is not here. */
  labelsOf(perspective: LabelPerspective, cardId: string): string[] {
    return this.#profiles[perspective].labelsOf(cardId);
  }

  /** The cards that carry a label, in no particular order. */
  cardsOf(perspective: LabelPerspective, label: string): readonly string[] {
    return this.#profiles[perspective].cardsOf(label);
  }
}

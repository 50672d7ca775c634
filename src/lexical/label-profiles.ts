import { type QueryStatistics, weightedQuery } from './bm25-scoring.js';
import { ForwardIndex, type ForwardIndexSnapshot } from './forward-index.js';
import { LabelNameTerms } from './label-name-terms.js';
import { type LabelValues, type LikelyLabel, labelScore } from './label-posterior.js';
import type { LabelSets } from './label-sets.js';
import { Postings } from './postings.js';
import { type LeftOut, ProfilePostings } from './profile-postings.js';
import { type Holds, keptLists, renumbered, transposed } from './restore-postings.js';
import { TermDictionary } from './term-dictionary.js';
import { contentTerms, termWeight } from './terms.js';
import { topK } from './top-k.js';

export interface LabelProfilesParts {
  /** The terms of a label's name: always the same ones for the same label. */
  readonly nameTerms: (label: string) => readonly string[];
  /** Card ids as doc numbers; both dictionaries are shared with the index of the texts. */
  readonly cards: TermDictionary;
  readonly terms: TermDictionary;
  /** The terms of a card's texts, ascending, each once; the same when it is deleted as when it was added. */
  readonly textTerms: (doc: number) => Uint32Array;
  /** As {@link ProfilePostings} has it, by default. */
  readonly maxPairs?: number;
}

export interface LabelsSnapshot {
  /** By label number; '' for a free one. */
  readonly names: readonly string[];
  /** By doc: the labels of the card. */
  readonly labels: ForwardIndexSnapshot;
  /** By label: the terms of its name. */
  readonly nameTerms: ForwardIndexSnapshot;
}

/**
 * Label profiles: one pseudo-document for each label (topic tag or error type), in which a term counts once for every
 * card of the label that has it, and once more if it is in the label's name; ranked by BM25, each term of the query
 * once. Exact after any change: equal to profiles that are built anew.
 */
export class LabelProfiles {
  readonly #labels = new TermDictionary();
  readonly #postings: ProfilePostings;
  /** Lists of keys alone: doc -> labels, label -> docs. */
  #labelsOf = new ForwardIndex();
  #docsOf = new Postings();
  readonly names: LabelNameTerms;
  /** How often a label appeared or disappeared. */
  #changes = 0;

  constructor(private readonly parts: LabelProfilesParts) {
    this.names = new LabelNameTerms(parts.terms, this.#labels);
    this.#postings = new ProfilePostings((doc) => this.#labelsOf.keysOf(doc), parts.maxPairs);
  }

  /** The size of its arrays, without the dictionaries. */
  get bytes(): number {
    return [this.#postings, this.#labelsOf, this.#docsOf, this.names].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Differs after the labels have changed. */
  get changes(): number {
    return this.#changes;
  }

  /** All labels, in no particular order. */
  get labels(): readonly string[] {
    return this.#labels.names.filter((name) => name !== '');
  }

  /** Adds the labels (each once) of a card that has none here; its texts must be indexed. */
  add(cardId: string, labels: readonly string[]): void {
    if (labels.length === 0) return;
    const doc = this.parts.cards.take(cardId);
    this.parts.cards.hold(doc);
    const numbers = labels.map((label) => this.#numberOf(label)).sort((a, b) => a - b);
    this.#labelsOf.fill(doc, numbers);
    for (const label of numbers) {
      this.#labels.hold(label);
      this.#docsOf.insert(label, doc, 1);
    }
    this.#postings.addCard(doc, numbers, this.parts.textTerms(doc));
  }

  /** No-op if the card has no label here; its texts must still be indexed as when it was added. */
  delete(cardId: string): void {
    const doc = this.parts.cards.of(cardId);
    if (doc === undefined || !this.hasLabel(doc)) return;
    const labels = [...this.#labelsOf.keysOf(doc)];
    this.#postings.subtractCard(doc, labels, this.parts.textTerms(doc));
    for (const label of labels) {
      this.#docsOf.remove(label, doc);
      if (this.#docsOf.length(label) === 0) this.#removeName(label);
      this.#labels.release(label);
    }
    this.#labelsOf.clear(doc);
    this.parts.cards.release(doc);
  }

  snapshot(): LabelsSnapshot {
    const names = this.#labels.names.slice();
    const labels = this.#labelsOf.snapshot(this.parts.cards.names.length);
    return { names, labels, nameTerms: this.names.snapshot(names.length) };
  }

  /** As {@link snapshot}, of these docs and their labels, in steps. */
  *snapshotOf(docs: Uint32Array): Generator<void, LabelsSnapshot> {
    const { lists, kept } = yield* renumbered({ labels: this.#labelsOf.snapshotOf(docs) }, this.#labels.names.length);
    const names = Array.from(kept, (label) => this.#labels.names[label] as string);
    return { names, labels: lists.labels, nameTerms: this.names.snapshotOf(kept) };
  }

  /** Fills empty profiles with the kept cards of a snapshot, whose texts must be indexed, in steps; counts holds. */
  *restore({ names, labels, nameTerms }: LabelsSnapshot, holds: Holds): Generator<void> {
    const docs = labels.starts.length;
    const held = new Uint32Array(names.length);
    this.#labelsOf = yield* keptLists(labels, { kept: holds.kept, terms: held });
    this.#docsOf = yield* transposed(this.#labelsOf, docs, names.length, new Postings());
    yield* this.#labels.restore(names, held);
    this.#changes += 1;
    for (let doc = 0; doc < docs; doc++) if (this.hasLabel(doc)) holds.cards[doc] = (holds.cards[doc] ?? 0) + 1;
    const kept = Uint8Array.from(held, (cards) => (cards > 0 ? 1 : 0));
    yield* this.names.restore(nameTerms, kept, holds.terms);
    const later = new Set<number>();
    yield* this.#postings.restore(names.length, holds.terms.length, (label) => this.#termSets(label, later));
    for (const doc of later) {
      this.#postings.addCard(doc, [...this.#labelsOf.keysOf(doc)], this.parts.textTerms(doc));
      yield;
    }
  }

  /** The card's labels, in alphabetical order. */
  labelsOf(cardId: string): string[] {
    const doc = this.parts.cards.of(cardId);
    if (doc === undefined) return [];
    return [...this.#labelsOf.keysOf(doc)].map((label) => this.#labels.names[label] ?? '').sort();
  }

  /** The cards that carry the label, by doc number. A view, valid until the next change. No list has the number -1. */
  docsOf(label: string): Uint32Array {
    return this.#docsOf.keysOf(this.#labels.of(label) ?? -1);
  }

  /** How many cards carry the label. */
  countOf(label: string): number {
    return this.#docsOf.length(this.#labels.of(label) ?? -1);
  }

  cardIdsOf(label: string): string[] {
    return Array.from(this.docsOf(label), (doc) => this.parts.cards.names[doc] as string);
  }

  hasLabel(doc: number): boolean {
    return this.#labelsOf.has(doc);
  }

  /** The number of the card's set of labels. */
  setOf(doc: number, sets: LabelSets): number {
    return sets.numberOf(this.#labelsOf.keysOf(doc));
  }

  /** By set: the {@link labelScore} of its cards, 0 without a label that has a posterior. */
  scoresBySet({ posteriors, common }: LabelValues, sets: LabelSets): Float64Array {
    const sums = new Float64Array(sets.size);
    for (const [label, posterior] of posteriors) {
      const number = this.#labels.of(label);
      if (number === undefined) continue;
      for (const set of sets.with(number)) sums[set] = (sums[set] as number) + posterior;
    }
    return sums.map((sum) => (sum > 0 ? labelScore(sum, common) : 0));
  }

  /** By place: the {@link labelScore} of the card, 0 without a label that has a posterior; NaN without labels. */
  scoresByDoc({ posteriors, common }: LabelValues, docs: Int32Array): Float64Array {
    const byLabel = new Float64Array(this.#labels.names.length);
    // A typed array ignores -1: no card has the label.
    for (const [label, posterior] of posteriors) byLabel[this.#labels.of(label) ?? -1] = posterior;
    const scores = new Float64Array(docs.length);
    for (let place = 0; place < docs.length; place++) {
      const { keys, end } = this.#labelsOf.pairsOf(docs[place] as number);
      let sum = end === 0 ? Number.NaN : 0;
      for (let at = 0; at < end; at++) sum += byLabel[keys[at] as number] as number;
      scores[place] = labelScore(sum, common);
    }
    return scores;
  }

  /**
   * At most `limit` labels whose profiles share a term with the query, best first, equal ones in alphabetical order.
   * With `leaveOut`, the profiles of this card's labels are those without the card; the rarity of terms still counts
   * it.
   */
  rank(terms: readonly string[], limit: number, leaveOut?: string): LikelyLabel[] {
    const statistics: QueryStatistics = {
      ...this.#postings.statistics(this.#labels.size),
      weightOf: termWeight,
      numberOf: (term) => this.parts.terms.of(term),
    };
    const query = weightedQuery([...new Set(contentTerms(terms))], statistics);
    const queried = new Set(query.terms.map(({ term }) => term));
    const leftOut = this.#leftOut(leaveOut);
    const scores = this.#postings.scores(query, leftOut);
    // The name of a label without any other card is gone with it.
    for (const label of leftOut?.labels ?? []) if (this.#docsOf.length(label) === 1) scores[label] = 0;
    const { names } = this.#labels;
    return topK(scores, limit, names).map((label) => ({
      label: names[label] as string,
      score: (scores[label] as number) / query.maxScore,
      named: this.names.shareOf(label, statistics, queried),
      cards: this.#docsOf.length(label) - (leftOut?.labels.includes(label) ? 1 : 0),
    }));
  }

  #leftOut(cardId: string | undefined): LeftOut | undefined {
    const doc = cardId === undefined ? undefined : this.parts.cards.of(cardId);
    if (doc === undefined) return undefined;
    return { labels: [...this.#labelsOf.keysOf(doc)], terms: new Set(this.parts.textTerms(doc)) };
  }

  /** The terms of the label's name, then those of each of its cards but `later` ones; views, valid until the next. */
  *#termSets(label: number, later: Set<number>): Generator<Uint32Array> {
    yield this.names.termsOf(label);
    for (const doc of this.#docsOf.keysOf(label)) {
      const terms = this.parts.textTerms(doc);
      if (this.#postings.keepsPairs(this.#labelsOf.keysOf(doc), terms)) yield terms;
      else later.add(doc);
    }
  }

  #numberOf(name: string): number {
    const known = this.#labels.of(name);
    if (known !== undefined) return known;
    const label = this.#labels.take(name);
    this.#changes += 1;
    this.names.add(label, this.parts.nameTerms(name));
    this.#postings.add([label], this.names.termsOf(label));
    return label;
  }

  #removeName(label: number): void {
    this.#changes += 1;
    this.#postings.subtract([label], this.names.termsOf(label));
    this.names.remove(label);
  }
}

import { Scratch } from './arrays.js';
import { idfOf, PROFILE_PARAMETERS, type QueryStatistics, TermAtATime, weightedQuery } from './bm25-scoring.js';
import { Postings, type PostingsSnapshot } from './postings.js';
import { counted, type Holds, keptLists, transposed } from './restore-postings.js';
import { TermDictionary } from './term-dictionary.js';
import { termWeight } from './terms.js';
import { topK } from './top-k.js';

/** A label that a query may be about. */
export interface LikelyLabel {
  readonly label: string;
  /** 0 .. 1: how much of the query the profile of the label covers. */
  readonly score: number;
  /** 0 .. 1: how much of the label's name, by the weight of its terms, the query has. */
  readonly named: number;
  /** How many cards carry the label. */
  readonly cards: number;
}

export interface LabelProfilesParts {
  /** The terms of a label's name: always the same ones for the same label. */
  readonly nameTerms: (label: string) => readonly string[];
  /** Card ids as doc numbers; both dictionaries are shared with the index of the texts. */
  readonly cards: TermDictionary;
  readonly terms: TermDictionary;
  /** The terms of a card's texts, ascending, each once; the same when it is deleted as when it was added. */
  readonly textTerms: (doc: number) => Uint32Array;
}

export interface LabelsSnapshot {
  /** By label number; '' for a free one. */
  readonly names: readonly string[];
  /** By doc: the labels of the card. */
  readonly labels: PostingsSnapshot;
  /** By label: the terms of its name. */
  readonly nameTerms: PostingsSnapshot;
}

/**
 * Label profiles: one pseudo-document for each label (topic tag or error type), in which a term counts once for every card of
 * the label that has it, and once more if it is in the label's name; ranked by BM25, each term of the query once. Exact after any
 * change: equal to profiles that are built anew.
 */
export class LabelProfiles {
  readonly #parts: LabelProfilesParts;
  readonly #labels = new TermDictionary();
  /** term -> (label, cards): a label may have more cards than 16 bits can count. */
  #postings = new Postings(Uint32Array);
  /** Lists of keys alone: doc -> labels, label -> docs, label -> terms of its name. */
  #labelsOf = new Postings();
  #docsOf = new Postings();
  #nameTerms = new Postings();
  /** By label: the sum of its counts. */
  #lengths: number[] = [];
  #totalLength = 0;
  #changes = 0;
  readonly #evaluation = new TermAtATime();
  readonly #room = new Scratch(Float64Array);

  constructor(parts: LabelProfilesParts) {
    this.#parts = parts;
  }

  /** The size of its arrays, without the dictionaries. */
  get bytes(): number {
    const all = [this.#postings, this.#labelsOf, this.#docsOf, this.#nameTerms];
    return all.reduce((sum, postings) => sum + postings.bytes, 0);
  }

  /** All labels, in no particular order. */
  get labels(): readonly string[] {
    return this.#labels.names.filter((name) => name !== '');
  }

  /** Adds the labels (each once) of a card that has none here; its texts must be indexed. */
  add(cardId: string, labels: readonly string[]): void {
    if (labels.length === 0) return;
    const doc = this.#parts.cards.take(cardId);
    this.#parts.cards.hold(doc);
    const numbers = labels.map((label) => this.#numberOf(label));
    fill(this.#labelsOf, doc, numbers);
    const terms = this.#parts.textTerms(doc);
    for (const label of numbers) {
      this.#labels.hold(label);
      this.#docsOf.insert(label, doc, 1);
      this.#add(label, terms);
    }
  }

  /** No-op if the card has no label here; its texts must still be indexed as when it was added. */
  delete(cardId: string): void {
    const doc = this.#parts.cards.of(cardId);
    if (doc === undefined || !this.hasLabel(doc)) return;
    const terms = this.#parts.textTerms(doc);
    for (const label of this.#labelsOf.keysOf(doc)) {
      this.#subtract(label, terms);
      this.#docsOf.remove(label, doc);
      if (this.#docsOf.length(label) === 0) this.#removeName(label);
      this.#labels.release(label);
    }
    this.#labelsOf.clear(doc);
    this.#parts.cards.release(doc);
  }

  snapshot(): LabelsSnapshot {
    const names = this.#labels.names.slice();
    const labels = this.#labelsOf.snapshot(this.#parts.cards.names.length);
    return { names, labels, nameTerms: this.#nameTerms.snapshot(names.length) };
  }

  /**
   * Fills empty profiles with the kept cards of a snapshot, whose texts must be indexed, and counts its holds. RangeError for an
   * invalid snapshot.
   */
  restore({ names, labels, nameTerms }: LabelsSnapshot, holds: Holds): void {
    const docs = labels.lengths.length;
    const held = new Uint32Array(names.length);
    this.#labelsOf = keptLists(labels, new Postings(), { kept: holds.kept, terms: held });
    this.#docsOf = transposed(this.#labelsOf, docs, names.length, new Postings());
    this.#labels.restore(names, held);
    for (let doc = 0; doc < docs; doc++) if (this.hasLabel(doc)) holds.cards[doc] = (holds.cards[doc] ?? 0) + 1;
    const kept = Uint8Array.from(held, (cards) => (cards > 0 ? 1 : 0));
    this.#nameTerms = keptLists(nameTerms, new Postings(), { kept, terms: holds.terms });
    const { lists, lengths } = counted(names.length, holds.terms.length, (label) => this.#termSets(label));
    this.#postings = transposed(lists, names.length, holds.terms.length, new Postings(Uint32Array));
    this.#lengths = [...lengths];
    this.#totalLength = lengths.reduce((sum, length) => sum + length, 0);
    this.#changes += 1;
  }

  /** The card's labels, in alphabetical order. */
  labelsOf(cardId: string): string[] {
    const doc = this.#parts.cards.of(cardId);
    if (doc === undefined) return [];
    return [...this.#labelsOf.keysOf(doc)].map((label) => this.#labels.names[label] ?? '').sort();
  }

  /** The cards that carry the label, by doc number. A view, valid until the next change. */
  docsOf(label: string): Uint32Array {
    const number = this.#labels.of(label);
    return number === undefined ? new Uint32Array() : this.#docsOf.keysOf(number);
  }

  hasLabel(doc: number): boolean {
    return this.#labelsOf.length(doc) > 0;
  }

  /** By doc: the greatest of the card's labels' values, 0 if none of them has one. Valid until the next call. */
  greatestValues(values: ReadonlyMap<string, number>): Float64Array {
    const greatest = this.#room.zeros(this.#parts.cards.names.length);
    for (const [label, value] of values) {
      const docs = this.docsOf(label);
      for (let at = 0; at < docs.length; at++) {
        const doc = docs[at] as number;
        if (value > (greatest[doc] as number)) greatest[doc] = value;
      }
    }
    return greatest;
  }

  /** At most `limit` labels whose profiles share a term with the query, best first, equal ones in alphabetical order. */
  rank(terms: readonly string[], limit: number): LikelyLabel[] {
    const statistics: QueryStatistics = {
      docs: this.#labels.size,
      totalLength: this.#totalLength,
      weightOf: termWeight,
      numberOf: (term) => this.#parts.terms.of(term),
      docFrequency: (term) => this.#postings.length(term),
      parameters: PROFILE_PARAMETERS,
    };
    const query = weightedQuery([...new Set(terms)], statistics);
    const queried = new Set(query.terms.map(({ term }) => term));
    const lists = { postings: this.#postings, lengths: this.#lengths, changes: this.#changes };
    const scores = this.#evaluation.scores(query, lists, this.#room);
    const { names } = this.#labels;
    return topK(scores, limit, names).map((label) => ({
      label: names[label] as string,
      score: (scores[label] as number) / query.maxScore,
      named: this.#named(label, statistics, queried),
      cards: this.#docsOf.length(label),
    }));
  }

  #named(label: number, { docs, docFrequency }: QueryStatistics, queried: ReadonlySet<number>): number {
    let total = 0;
    let shared = 0;
    for (const term of this.#nameTerms.keysOf(label)) {
      const weight = termWeight(this.#parts.terms.names[term] as string) * idfOf(docs, docFrequency(term));
      total += weight;
      if (queried.has(term)) shared += weight;
    }
    return total === 0 ? 0 : shared / total;
  }

  /** The terms of the label's name, then those of each of its cards; views, each valid until the next. */
  *#termSets(label: number): Generator<Uint32Array> {
    yield this.#nameTerms.keysOf(label);
    for (const doc of this.#docsOf.keysOf(label)) yield this.#parts.textTerms(doc);
  }

  #numberOf(name: string): number {
    const known = this.#labels.of(name);
    if (known !== undefined) return known;
    const label = this.#labels.take(name);
    this.#lengths[label] = 0;
    const { terms, nameTerms } = this.#parts;
    const numbers = [...new Set(nameTerms(name))].map((term) => terms.take(term));
    for (const term of numbers) terms.hold(term);
    fill(this.#nameTerms, label, numbers);
    this.#add(label, this.#nameTerms.keysOf(label));
    return label;
  }

  #removeName(label: number): void {
    const terms = this.#nameTerms.keysOf(label);
    this.#subtract(label, terms);
    for (const term of terms) this.#parts.terms.release(term);
    this.#nameTerms.clear(label);
  }

  #add(label: number, terms: Uint32Array): void {
    for (const term of terms) {
      const at = this.#postings.find(term, label);
      if (at < 0) this.#postings.insert(term, label, 1);
      else this.#postings.counts[at] = (this.#postings.counts[at] ?? 0) + 1;
    }
    this.#lengthen(label, terms.length);
  }

  #subtract(label: number, terms: Uint32Array): void {
    for (const term of terms) {
      const at = this.#postings.find(term, label);
      const count = this.#postings.counts[at] ?? 0;
      if (count > 1) this.#postings.counts[at] = count - 1;
      else this.#postings.remove(term, label);
    }
    this.#lengthen(label, -terms.length);
  }

  #lengthen(label: number, by: number): void {
    this.#lengths[label] = (this.#lengths[label] ?? 0) + by;
    this.#totalLength += by;
    this.#changes += 1;
  }
}

/** Fills an empty list with keys, each once. */
function fill(postings: Postings, list: number, keys: readonly number[]): void {
  postings.reserve(list, keys.length);
  for (const key of [...keys].sort((a, b) => a - b)) postings.insert(list, key, 1);
}

import { idfOf, type QueryStatistics } from './bm25-scoring.js';
import { ForwardIndex, type ForwardIndexSnapshot } from './forward-index.js';
import { Postings } from './postings.js';
import { type Holds, keptLists, transposed } from './restore-postings.js';
import type { TermDictionary } from './term-dictionary.js';
import { termWeight } from './terms.js';

/** Similar names that are kept, some 2 MB. */
const MAX_KEPT = 32_768;

/** The terms of the names of labels, and which names are similar. */
export class LabelNameTerms {
  readonly #dictionary: TermDictionary;
  readonly #labels: TermDictionary;
  /** label -> terms of its name. */
  #termsOf = new ForwardIndex();
  /** term -> labels with the term in their name. */
  #namedBy = new Postings();
  /** By label, as far as known: the squared length of its name, as it is with all other names. */
  readonly #squares = new Map<number, number>();
  /** By label, of those that were asked for since the names last changed: a search asks twice for the same ones. */
  readonly #similar = new Map<number, ReadonlyMap<string, number>>();
  #kept = 0;

  /**
   * @param dictionary of the terms; a name holds its terms there.
   * @param labels the names by number; of those that are held, each is named here.
   */
  constructor(dictionary: TermDictionary, labels: TermDictionary) {
    this.#dictionary = dictionary;
    this.#labels = labels;
  }

  get bytes(): number {
    return this.#termsOf.bytes + this.#namedBy.bytes;
  }

  /** A view, valid until the next call. */
  termsOf(label: number): Uint32Array {
    return this.#termsOf.keysOf(label);
  }

  /** Names a label that has no name here. */
  add(label: number, nameTerms: readonly string[]): void {
    const terms = [...new Set(nameTerms)].map((term) => this.#dictionary.take(term));
    for (const term of terms) this.#dictionary.hold(term);
    this.#termsOf.fill(label, terms);
    this.#forget();
    for (const term of terms) this.#namedBy.insert(term, label, 1);
  }

  remove(label: number): void {
    for (const term of this.termsOf(label)) {
      this.#namedBy.remove(term, label);
      this.#dictionary.release(term);
    }
    this.#termsOf.clear(label);
    this.#forget();
  }

  /** The other labels that share terms with this one: the cosine of the names, 0 .. 1, rare terms weighing more. */
  similar(label: number): ReadonlyMap<string, number> {
    const known = this.#similar.get(label);
    if (known !== undefined) return known;
    const shared = new Map<number, number>();
    for (const term of this.termsOf(label)) {
      const square = this.#squareOf(term);
      for (const other of this.#namedBy.keysOf(term)) shared.set(other, (shared.get(other) ?? 0) + square);
    }
    const own = shared.get(label) ?? 0;
    shared.delete(label);
    const similar = new Map<string, number>();
    for (const [other, product] of shared) {
      // Zero for names of function words alone.
      const norm = Math.sqrt(own * this.#squareOfName(other));
      similar.set(this.#labels.names[other] as string, norm === 0 ? 0 : Math.min(1, product / norm));
    }
    if (this.#kept + similar.size > MAX_KEPT) this.#forgetSimilar();
    this.#similar.set(label, similar);
    this.#kept += similar.size;
    return similar;
  }

  /** 0 .. 1: how much of the label's name, by the weight of its terms, a query has. */
  shareOf(label: number, { docs, docFrequency }: QueryStatistics, queried: ReadonlySet<number>): number {
    let total = 0;
    let shared = 0;
    for (const term of this.termsOf(label)) {
      const weight = this.#weightOf(term, docFrequency(term), docs);
      total += weight;
      if (queried.has(term)) shared += weight;
    }
    return total === 0 ? 0 : shared / total;
  }

  snapshot(labels: number): ForwardIndexSnapshot {
    return this.#termsOf.snapshot(labels);
  }

  snapshotOf(labels: Uint32Array): ForwardIndexSnapshot {
    return this.#termsOf.snapshotOf(labels);
  }

  /** Fills empty names with the kept labels of a snapshot, in steps, and counts its holds of terms. */
  *restore(snapshot: ForwardIndexSnapshot, kept: Uint8Array, terms: Holds['terms']): Generator<void> {
    this.#termsOf = yield* keptLists(snapshot, { kept, terms });
    this.#namedBy = yield* transposed(this.#termsOf, kept.length, terms.length, new Postings());
  }

  #weightOf(term: number, frequency: number, docs: number): number {
    return termWeight(this.#dictionary.names[term] as string, frequency / docs) * idfOf(docs, frequency);
  }

  #squareOf(term: number): number {
    return this.#weightOf(term, this.#namedBy.length(term), this.#labels.size) ** 2;
  }

  #squareOfName(label: number): number {
    const known = this.#squares.get(label);
    if (known !== undefined) return known;
    const square = this.termsOf(label).reduce((sum, term) => sum + this.#squareOf(term), 0);
    this.#squares.set(label, square);
    return square;
  }

  #forget(): void {
    this.#squares.clear();
    this.#forgetSimilar();
  }

  #forgetSimilar(): void {
    this.#similar.clear();
    this.#kept = 0;
  }
}

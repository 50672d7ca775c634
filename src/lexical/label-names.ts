import { idfOf, type QueryStatistics } from './bm25-scoring.js';
import { ForwardIndex, type ForwardIndexSnapshot } from './forward-index.js';
import { Postings } from './postings.js';
import { type Holds, keptLists, transposed } from './restore-postings.js';
import type { TermDictionary } from './term-dictionary.js';
import { termWeight } from './terms.js';

/** The terms of the names of labels. Labels are numbers of the caller's dictionary. */
export class LabelNames {
  readonly #dictionary: TermDictionary;
  /** label -> terms of its name. */
  #termsOf = new ForwardIndex();
  /** term -> labels with the term in their name. */
  #namedBy = new Postings();
  /** By label, as far as known: the squared length of its name, as it is with all other names. */
  readonly #squares = new Map<number, number>();

  /** @param dictionary of the terms; a name holds its terms there. */
  constructor(dictionary: TermDictionary) {
    this.#dictionary = dictionary;
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
    this.#squares.clear();
    for (const term of terms) this.#namedBy.insert(term, label, 1);
  }

  remove(label: number): void {
    for (const term of this.termsOf(label)) {
      this.#namedBy.remove(term, label);
      this.#dictionary.release(term);
    }
    this.#termsOf.clear(label);
    this.#squares.clear();
  }

  /**
   * The other labels that share terms with this one: the cosine of the names, 0 .. 1, rare terms weighing more.
   *
   * @param labels how many there are; another number only after a change of the names.
   */
  similar(label: number, labels: number): ReadonlyMap<number, number> {
    const squareOf = (term: number): number => {
      const rarity = idfOf(labels, this.#namedBy.length(term));
      return (termWeight(this.#dictionary.names[term] as string) * rarity) ** 2;
    };
    const squareOfName = (other: number): number => {
      const known = this.#squares.get(other);
      if (known !== undefined) return known;
      const square = this.termsOf(other).reduce((sum, term) => sum + squareOf(term), 0);
      this.#squares.set(other, square);
      return square;
    };
    const shared = new Map<number, number>();
    for (const term of this.termsOf(label)) {
      const square = squareOf(term);
      for (const other of this.#namedBy.keysOf(term)) shared.set(other, (shared.get(other) ?? 0) + square);
    }
    const own = shared.get(label) ?? 0;
    shared.delete(label);
    return new Map(
      Array.from(shared, ([other, product]) => [other, Math.min(1, product / Math.sqrt(own * squareOfName(other)))]),
    );
  }

  /** 0 .. 1: how much of the label's name, by the weight of its terms, a query has. */
  shareOf(label: number, { docs, docFrequency }: QueryStatistics, queried: ReadonlySet<number>): number {
    let total = 0;
    let shared = 0;
    for (const term of this.termsOf(label)) {
      const weight = termWeight(this.#dictionary.names[term] as string) * idfOf(docs, docFrequency(term));
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

  /**
   * Fills empty names with the kept labels of a snapshot, in steps, and counts its holds of terms. RangeError for an
   * invalid snapshot.
   */
  *restore(snapshot: ForwardIndexSnapshot, kept: Uint8Array, terms: Holds['terms']): Generator<void> {
    this.#termsOf = yield* keptLists(snapshot, { kept, terms });
    this.#namedBy = yield* transposed(this.#termsOf, kept.length, terms.length, new Postings());
  }
}

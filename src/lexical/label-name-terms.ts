import { labelKey } from '../domain/labels.js';
import { Scratch } from './arrays.js';
import { idfOf, type QueryStatistics } from './bm25-scoring.js';
import { ForwardIndex, type ForwardIndexSnapshot } from './forward-index.js';
import { Postings } from './postings.js';
import { type Holds, keptLists, transposed } from './restore-postings.js';
import type { TermDictionary } from './term-dictionary.js';
import { termWeight } from './terms.js';

/** Similar names that are kept: 3 MB. */
const MAX_KEPT = 262_144;

/** In arrays of values that are at least 0. */
const NONE = -1;

/** Labels, each with its cosine at the same place. */
interface Similar {
  readonly labels: Uint32Array;
  readonly cosines: Float64Array;
}

/** The names of labels by their keys, the terms of the names, and which names are similar. */
export class LabelNameTerms {
  /** label -> terms of its name. */
  #termsOf = new ForwardIndex();
  /** Names by {@link labelKey}: hardly ever more than one. */
  readonly #byKey = new Map<string, readonly string[]>();
  /** term -> labels with the term in their name. */
  #namedBy = new Postings();
  /** By term, as far as known: its squared weight, as it is with all names. */
  readonly #squares = new Map<number, number>();
  /** By label, as far as known: the squared length of its name; otherwise {@link NONE}. */
  #squaresOfNames = new Float64Array(0);
  /** By label, of those that were asked for since the names last changed: a search asks twice for the same ones. */
  readonly #similar = new Map<number, Similar>();
  #kept = 0;
  readonly #found = new Scratch(Uint32Array);

  /**
   * @param dictionary of the terms; a name holds its terms there.
   * @param labels the names by number; of those that are held, each is named here.
   */
  constructor(
    private readonly dictionary: TermDictionary,
    private readonly labels: TermDictionary,
  ) {}

  get bytes(): number {
    return this.#termsOf.bytes + this.#namedBy.bytes;
  }

  /** The labels with this {@link labelKey}. */
  withKey(key: string): readonly string[] {
    return this.#byKey.get(key) ?? [];
  }

  /** A view, valid until the next call. */
  termsOf(label: number): Uint32Array {
    return this.#termsOf.keysOf(label);
  }

  /** Names a label that has no name here. */
  add(label: number, nameTerms: readonly string[]): void {
    const terms = [...new Set(nameTerms)].map((term) => this.dictionary.take(term));
    for (const term of terms) this.dictionary.hold(term);
    this.#termsOf.fill(label, terms);
    this.#addKey(label);
    this.#forget();
    for (const term of terms) this.#namedBy.insert(term, label, 1);
  }

  remove(label: number): void {
    for (const term of this.termsOf(label)) {
      this.#namedBy.remove(term, label);
      this.dictionary.release(term);
    }
    this.#termsOf.clear(label);
    const name = this.labels.names[label] as string;
    const key = labelKey(name);
    const others = this.withKey(key).filter((other) => other !== name);
    if (others.length > 0) this.#byKey.set(key, others);
    else this.#byKey.delete(key);
    this.#forget();
  }

  /**
   * By name, the other labels that share terms of their names with any of these: the greatest of what `worthOf` makes,
   * at least 0, of the cosine of both names (0 .. 1, rare terms weighing more) and the given number. Names of function
   * words alone have the cosine 0.
   */
  namedLike(
    given: Iterable<readonly [label: string, number: number]>,
    worthOf: (cosine: number, number: number) => number,
  ): ReadonlyMap<string, number> {
    const { names } = this.labels;
    const values = new Float64Array(names.length).fill(NONE);
    const found: number[] = [];
    for (const [name, number] of given) {
      const label = this.labels.of(name);
      if (label === undefined) continue;
      const { labels, cosines } = this.#similarTo(label);
      for (let at = 0; at < labels.length; at++) {
        const other = labels[at] as number;
        if (values[other] === NONE) found.push(other);
        values[other] = Math.max(values[other] as number, worthOf(cosines[at] as number, number));
      }
    }
    return new Map(found.map((label) => [names[label] as string, values[label] as number]));
  }

  #similarTo(label: number): Similar {
    const known = this.#similar.get(label);
    if (known !== undefined) return known;
    const shared = new Float64Array(this.labels.names.length).fill(NONE);
    const found = this.#found.any(shared.length);
    let count = 0;
    for (const term of this.termsOf(label)) {
      const square = this.#squareOf(term);
      for (const other of this.#namedBy.keysOf(term)) {
        if (shared[other] === NONE && other !== label) found[count++] = other;
        shared[other] = Math.max(0, shared[other] as number) + square;
      }
    }
    const own = shared[label] as number;
    const labels = found.slice(0, count);
    // A loop, in which a function for each label would take four times as long.
    const cosines = new Float64Array(count);
    for (let at = 0; at < count; at++) {
      const other = labels[at] as number;
      const norm = Math.sqrt(own * this.#squareOfName(other));
      cosines[at] = norm === 0 ? 0 : Math.min(1, (shared[other] as number) / norm);
    }
    const similar = { labels, cosines };
    if (this.#kept + labels.length > MAX_KEPT) this.#forgetSimilar();
    this.#similar.set(label, similar);
    this.#kept += labels.length;
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

  /** The most of these different terms that one name has. */
  mostIn(terms: readonly string[]): number {
    const counts = new Uint32Array(this.labels.names.length);
    let most = 0;
    for (const term of terms) {
      for (const label of this.#namedBy.keysOf(this.dictionary.of(term) ?? -1)) {
        const count = (counts[label] as number) + 1;
        counts[label] = count;
        if (count > most) most = count;
      }
    }
    return most;
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
    for (let label = 0; label < kept.length; label++) {
      yield;
      if (kept[label] === 1) this.#addKey(label);
    }
  }

  #addKey(label: number): void {
    const name = this.labels.names[label] as string;
    const key = labelKey(name);
    this.#byKey.set(key, [...this.withKey(key), name]);
  }

  #weightOf(term: number, frequency: number, docs: number): number {
    return termWeight(this.dictionary.names[term] as string, frequency / docs) * idfOf(docs, frequency);
  }

  #squareOf(term: number): number {
    const known = this.#squares.get(term);
    if (known !== undefined) return known;
    const square = this.#weightOf(term, this.#namedBy.length(term), this.labels.size) ** 2;
    this.#squares.set(term, square);
    return square;
  }

  #squareOfName(label: number): number {
    if (this.#squaresOfNames.length === 0) {
      this.#squaresOfNames = new Float64Array(this.labels.names.length).fill(NONE);
    }
    const known = this.#squaresOfNames[label] as number;
    if (known !== NONE) return known;
    const square = this.termsOf(label).reduce((sum, term) => sum + this.#squareOf(term), 0);
    this.#squaresOfNames[label] = square;
    return square;
  }

  #forget(): void {
    this.#squares.clear();
    this.#squaresOfNames = new Float64Array(0);
    this.#forgetSimilar();
  }

  #forgetSimilar(): void {
    this.#similar.clear();
    this.#kept = 0;
  }
}

import { Scratch } from './arrays.js';
import { addLongCounts } from './bm25-evaluation.js';
import { PROFILE_PARAMETERS, type QueryStatistics, type WeightedQuery } from './bm25-scoring.js';
import type { Pairs } from './pairs.js';
import { Postings } from './postings.js';
import { counted, transposed } from './restore-postings.js';

/**
 * The pairs (label, term) of a card that has more are not kept, but made for each query. Four long texts with 50 new
 * labels of each kind have half a million, which took 11 MB and .2 to 7 s of processor time, now .3 MB and 6 to 60 ms
 * (by hand). These are 20 labels and 1,000 different terms.
 */
const MAX_PAIRS = 20_000;

/** A card and its labels that do not count. */
export interface LeftOut {
  readonly labels: readonly number[];
  readonly terms: ReadonlySet<number>;
}

/**
 * The terms of label profiles, with their counts: postings that BM25 scores, and whose counts change with each card.
 * Labels, terms and docs are numbers of the caller's dictionaries.
 */
export class ProfilePostings {
  /** term -> (label, cards): a label may have more cards than 16 bits can count. */
  #postings = new Postings({ countBits: 32 });
  /** term -> cards whose pairs are not kept. */
  readonly #docs = new Postings();
  /** By label: the sum of its counts. */
  #lengths: number[] = [];
  #totalLength = 0;
  /** By term, since the last change: how many labels have it. */
  readonly #frequencies = new Map<number, number>();
  readonly #norms = new Scratch(Float64Array);
  /** By label: 0 between two terms. */
  readonly #counts = new Scratch(Float64Array);
  readonly #room = new Scratch(Float64Array);

  /** @param labelsOf the labels of a card as it was added, valid until the next call. */
  constructor(
    private readonly labelsOf: (doc: number) => Uint32Array,
    private readonly maxPairs = MAX_PAIRS,
  ) {}

  get bytes(): number {
    return this.#postings.bytes + this.#docs.bytes;
  }

  /** Whether the pairs (label, term) of such a card are kept in the postings; otherwise each query makes its own. */
  keepsPairs(labels: ArrayLike<number>, terms: ArrayLike<number>): boolean {
    return labels.length * terms.length <= this.maxPairs;
  }

  /** {@link add} of a card. */
  addCard(doc: number, labels: readonly number[], terms: Uint32Array): void {
    if (this.keepsPairs(labels, terms)) {
      this.add(labels, terms);
      return;
    }
    for (const term of terms) this.#docs.insert(term, doc, 1);
    for (const label of labels) this.#lengthen(label, terms.length);
  }

  /** The inverse of {@link addCard}. */
  subtractCard(doc: number, labels: readonly number[], terms: Uint32Array): void {
    if (this.keepsPairs(labels, terms)) {
      this.subtract(labels, terms);
      return;
    }
    for (const term of terms) this.#docs.remove(term, doc);
    for (const label of labels) this.#lengthen(label, -terms.length);
  }

  /** Counts each of these terms once more for each label; labels ascending, each once. */
  add(labels: readonly number[], terms: Uint32Array): void {
    for (const term of terms) this.#postings.increment(term, labels);
    for (const label of labels) this.#lengthen(label, terms.length);
  }

  /** The inverse of {@link add}. */
  subtract(labels: readonly number[], terms: Uint32Array): void {
    for (const term of terms) this.#postings.decrement(term, labels);
    for (const label of labels) this.#lengthen(label, -terms.length);
  }

  /** Fills empty postings, in steps; `setsOf` yields the sets of terms that were added to a label. */
  *restore(labels: number, terms: number, setsOf: (label: number) => Iterable<Uint32Array>): Generator<void> {
    const { lists, lengths } = yield* counted(labels, terms, setsOf);
    this.#postings = yield* transposed(lists, labels, terms, new Postings({ countBits: 32 }));
    this.#lengths = [...lengths];
    this.#totalLength = lengths.reduce((sum, length) => sum + length, 0);
    this.#frequencies.clear();
  }

  /** What weighs a query for these profiles, of which there are `labels`. */
  statistics(labels: number): Pick<QueryStatistics, 'docs' | 'totalLength' | 'docFrequency' | 'parameters'> {
    return {
      docs: labels,
      totalLength: this.#totalLength,
      docFrequency: (term) => this.#frequencyOf(term),
      parameters: PROFILE_PARAMETERS,
    };
  }

  /** By label, as they are without the card that is left out. Valid until the next call. */
  scores(query: WeightedQuery, leftOut?: LeftOut): Float64Array {
    const norms = this.#norms.any(this.#lengths.length);
    for (let label = 0; label < norms.length; label++) {
      norms[label] = query.base + query.perTerm * (this.#lengths[label] as number);
    }
    for (const label of leftOut?.labels ?? []) {
      norms[label] = query.base + query.perTerm * ((this.#lengths[label] as number) - (leftOut as LeftOut).terms.size);
    }
    const scores = this.#room.zeros(norms.length);
    for (const { term, weight } of query.terms) {
      const own = leftOut?.terms.has(term) ? leftOut.labels : [];
      const list = this.#listOf(term, own);
      addLongCounts({ ...list, weight }, list.counts as Uint32Array, norms, scores);
    }
    return scores;
  }

  /** The labels that have the term, each once, with its count less one for those of `own`. */
  #listOf(term: number, own: readonly number[] = []): Pairs {
    const kept = this.#postings.pairsOf(term);
    if (this.#docs.length(term) + own.length === 0) return kept;
    const byLabel = this.#counts.any(this.#lengths.length);
    const labels: number[] = [];
    const count = (label: number, by: number): void => {
      if (byLabel[label] === 0) labels.push(label);
      byLabel[label] = (byLabel[label] as number) + by;
    };
    for (let at = kept.start; at < kept.end; at++) {
      count(kept.keys[at] as number, kept.counts[at] as number);
    }
    for (const doc of this.#docs.keysOf(term)) for (const label of this.labelsOf(doc)) count(label, 1);
    for (const label of own) byLabel[label] = (byLabel[label] as number) - 1;
    const counts = Uint32Array.from(labels, (label) => byLabel[label] as number);
    for (const label of labels) byLabel[label] = 0;
    return { keys: Uint32Array.from(labels), counts, start: 0, end: labels.length };
  }

  #frequencyOf(term: number): number {
    if (this.#docs.length(term) === 0) return this.#postings.length(term);
    const known = this.#frequencies.get(term);
    if (known !== undefined) return known;
    const frequency = this.#listOf(term).end;
    this.#frequencies.set(term, frequency);
    return frequency;
  }

  #lengthen(label: number, by: number): void {
    this.#lengths[label] = (this.#lengths[label] ?? 0) + by;
    this.#totalLength += by;
    this.#frequencies.clear();
  }
}

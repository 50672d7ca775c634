import { Scratch } from './arrays.js';
import { TermAtATime } from './bm25-evaluation.js';
import { PROFILE_PARAMETERS, type QueryStatistics, saturation, type WeightedQuery } from './bm25-scoring.js';
import { Postings } from './postings.js';
import { counted, transposed } from './restore-postings.js';

/**
 * The terms of label profiles, with their counts: postings that BM25 scores, and whose counts change with each card.
 * Labels and terms are numbers of the caller's dictionaries.
 */
export class ProfilePostings {
  /** term -> (label, cards): a label may have more cards than 16 bits can count. */
  #postings = new Postings({ countBits: 32 });
  /** By label: the sum of its counts. */
  #lengths: number[] = [];
  #totalLength = 0;
  #changes = 0;
  readonly #evaluation = new TermAtATime();
  readonly #room = new Scratch(Float64Array);

  get bytes(): number {
    return this.#postings.bytes;
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
    this.#changes += 1;
  }

  /** What weighs a query for these profiles, of which there are `labels`. */
  statistics(labels: number): Pick<QueryStatistics, 'docs' | 'totalLength' | 'docFrequency' | 'parameters'> {
    return {
      docs: labels,
      totalLength: this.#totalLength,
      docFrequency: (term) => this.#postings.length(term),
      parameters: PROFILE_PARAMETERS,
    };
  }

  /** By label. Valid until the next call. */
  scores(query: WeightedQuery): Float64Array {
    const lists = { postings: this.#postings, lengths: this.#lengths, changes: this.#changes };
    return this.#evaluation.scores(query, [lists], this.#room);
  }

  /** The score of a label after {@link subtract} of these terms. */
  scoreWithout(label: number, terms: ReadonlySet<number>, query: WeightedQuery): number {
    const length = (this.#lengths[label] ?? 0) - terms.size;
    let score = 0;
    for (const { term, weight } of query.terms) {
      const at = this.#postings.find(term, label);
      const count = at < 0 ? 0 : (this.#postings.counts[at] ?? 0) - (terms.has(term) ? 1 : 0);
      if (count > 0) score += weight * saturation(query, count, length);
    }
    return score;
  }

  #lengthen(label: number, by: number): void {
    this.#lengths[label] = (this.#lengths[label] ?? 0) + by;
    this.#totalLength += by;
    this.#changes += 1;
  }
}

import { grown } from './arrays.js';
import { type Bm25Field, type Bm25Parts, Bm25Queries } from './bm25-queries.js';
import { ForwardIndex, type ForwardIndexSnapshot } from './forward-index.js';
import { comparePairs, countedPairs, type Pairs } from './pairs.js';
import { Postings } from './postings.js';
import { type Holds, keptLists, transposed } from './restore-postings.js';
import { TermDictionary } from './term-dictionary.js';

/** Frequencies have 16 bits; no text of a card is nearly that long. */
const MAX_TERMS = 65_535;

/** Indexes of the same cards can share their dictionaries; a term weighs 1 by default. */
export type Bm25Options = Partial<Omit<Bm25Parts, 'mostDocs'>>;

/**
 * A BM25 index of one field, in flat arrays. Exact after any change: it scores like one that is built anew from the
 * cards as they are.
 */
export class Bm25Index implements Bm25Field {
  /** Card ids as doc numbers. */
  readonly #cards: TermDictionary;
  readonly #terms: TermDictionary;
  readonly queries: Bm25Queries;
  /** term -> (doc, frequency), and the forward index: doc -> (term, frequency). */
  #postings = new Postings({ shared: true });
  #forward = new ForwardIndex();
  /** By doc, in terms; 0 for a card without a text here. */
  #lengths = new Uint32Array(64);
  #size = 0;
  #totalLength = 0;
  #changes = 0;

  constructor({ weightOf = () => 1, cards = new TermDictionary(), terms = new TermDictionary() }: Bm25Options = {}) {
    this.#cards = cards;
    this.#terms = terms;
    this.queries = new Bm25Queries([this], { weightOf, cards, terms });
  }

  get postings(): Postings {
    return this.#postings;
  }

  get forward(): ForwardIndex {
    return this.#forward;
  }

  get lengths(): ArrayLike<number> {
    return this.#lengths;
  }

  get size(): number {
    return this.#size;
  }

  get totalLength(): number {
    return this.#totalLength;
  }

  get changes(): number {
    return this.#changes;
  }

  /** The size of its arrays, without the dictionaries. */
  get bytes(): number {
    return this.#lengths.byteLength + this.#postings.bytes + this.#forward.bytes;
  }

  /**
   * Indexes a card, or indexes it anew; without terms it is removed. RangeError for more than 65,535 terms. Takes time
   * for the terms that the card did not have or has no longer, in proportion to their postings lists.
   */
  set(cardId: string, terms: readonly string[]): void {
    if (terms.length > MAX_TERMS) throw new RangeError(`card ${cardId} has more than ${MAX_TERMS} terms`);
    if (terms.length === 0) {
      this.delete(cardId);
      return;
    }
    const doc = this.#cards.take(cardId);
    if (doc >= this.#lengths.length) this.#lengths = grown(this.#lengths, Math.ceil((doc + 1) * 1.5));
    if (!this.hasText(doc)) {
      this.#cards.hold(doc);
      this.#size += 1;
    }
    const pairs = countedPairs(Uint32Array.from(terms, (term) => this.#terms.take(term)));
    if (this.#replacePostings(doc, pairs)) {
      this.#forward.clear(doc);
      this.#forward.write(doc, pairs);
    }
    this.#changes += 1;
    this.#totalLength += terms.length - (this.#lengths[doc] as number);
    this.#lengths[doc] = terms.length;
  }

  /** No-op if the card is not indexed. */
  delete(cardId: string): void {
    const doc = this.#cards.of(cardId);
    if (doc === undefined || !this.hasText(doc)) return;
    this.#replacePostings(doc, countedPairs(new Uint32Array()));
    this.#forward.clear(doc);
    this.#size -= 1;
    this.#changes += 1;
    this.#totalLength -= this.#lengths[doc] ?? 0;
    this.#lengths[doc] = 0;
    this.#cards.release(doc);
  }

  /** The numbers of a document's terms, ascending, each once. A view, valid until the next call. */
  termsOf(doc: number): Uint32Array {
    return this.#forward.keysOf(doc);
  }

  /** The docs that have each of these terms; none for no terms. */
  docsWith(terms: readonly string[]): ReadonlySet<number> {
    const rarestFirst = terms
      .map((term) => this.#terms.of(term) ?? -1)
      .sort((a, b) => this.#postings.length(a) - this.#postings.length(b));
    const [rarest = -1, ...others] = rarestFirst;
    const docs = this.#postings.keysOf(rarest);
    return new Set(docs.filter((doc) => others.every((term) => this.#postings.find(term, doc) >= 0)));
  }

  hasText(doc: number): boolean {
    return (this.#lengths[doc] ?? 0) > 0;
  }

  /** The forward index, from which {@link restore} makes the rest. */
  snapshot(): ForwardIndexSnapshot {
    return this.#forward.snapshot(this.#cards.names.length);
  }

  /** As {@link snapshot}, of these docs. */
  snapshotOf(docs: Uint32Array): ForwardIndexSnapshot {
    return this.#forward.snapshotOf(docs);
  }

  /** Fills an empty index with the kept cards of a snapshot, in steps, and counts its holds. */
  *restore(snapshot: ForwardIndexSnapshot, holds: Holds): Generator<void> {
    const docs = snapshot.starts.length;
    this.#forward = yield* keptLists(snapshot, holds);
    this.#postings = yield* transposed(this.#forward, docs, holds.terms.length, new Postings({ shared: true }));
    this.#lengths = new Uint32Array(Math.max(64, docs));
    this.#changes += 1;
    for (let doc = 0; doc < docs; doc++) {
      const { counts, end } = this.#forward.pairsOf(doc);
      let length = 0;
      for (let at = 0; at < end; at++) length += counts[at] as number;
      this.#lengths[doc] = length;
      this.#totalLength += length;
      if (length === 0) continue;
      this.#size += 1;
      holds.cards[doc] = (holds.cards[doc] ?? 0) + 1;
    }
  }

  /** Makes the postings of a document those of `next`; returns whether any of them changed. */
  #replacePostings(doc: number, next: Pairs): boolean {
    return comparePairs(this.#forward.pairsOf(doc), next, {
      removed: (term) => {
        this.#postings.remove(term, doc);
        this.#terms.release(term);
      },
      added: (term, count) => {
        this.#terms.hold(term);
        this.#postings.insert(term, doc, count);
      },
      changed: (term, count) => {
        this.#postings.counts[this.#postings.find(term, doc)] = count;
      },
    });
  }
}

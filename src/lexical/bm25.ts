import type { Bm25Scan } from '../domain/ports/scoring.js';
import { grown, Scratch } from './arrays.js';
import {
  DocumentAtATime,
  type QueryStatistics,
  type ScoredLists,
  TermAtATime,
  type WeightedQuery,
  weightedQuery,
} from './bm25-scoring.js';
import { ForwardIndex, type ForwardIndexSnapshot } from './forward-index.js';
import { comparePairs, countedPairs, type Pairs } from './pairs.js';
import { Postings } from './postings.js';
import { type Holds, keptLists, transposed } from './restore-postings.js';
import { TermDictionary } from './term-dictionary.js';
import { topK } from './top-k.js';

/** Frequencies have 16 bits; no text of a card is nearly that long. */
const MAX_TERMS = 65_535;

/**
 * Looking at a term of one document costs about as much as adding the scores of so many documents of a postings list.
 */
const LOOK_UP_COST = 2;

/** Indexes of the same cards can share their dictionaries. */
export interface Bm25Options {
  /** As {@link QueryStatistics.weightOf}; 1 by default. */
  readonly weightOf?: QueryStatistics['weightOf'];
  readonly cards?: TermDictionary;
  readonly terms?: TermDictionary;
}

export interface ScoredCard {
  readonly cardId: string;
  /** 0 .. 1 */
  readonly score: number;
}

/** A query of a lexical lane with this weight. */
export interface AddedQuery {
  readonly terms: readonly string[];
  /** The same terms and those of an expansion; none without one. */
  readonly expanded: readonly string[];
  /** Above 0. */
  readonly weight: number;
}

/**
 * A BM25 index of one perspective, in flat arrays. Exact after any change: it scores like one that is built anew from
 * the cards as they are.
 *
 * A score is BM25 divided by that of a document that is the query, so that scores of short and long queries compare: 0
 * .. 1, where a card that has the terms more often or in a shorter text than the query has 1 too.
 */
export class Bm25Index {
  readonly #weightOf: QueryStatistics['weightOf'];
  /** Card ids as doc numbers. */
  readonly #cards: TermDictionary;
  readonly #terms: TermDictionary;
  /** term -> (doc, frequency), and the forward index: doc -> (term, frequency). */
  #postings = new Postings({ shared: true });
  #forward = new ForwardIndex();
  /** By doc, in terms; 0 for a card without a text here. */
  #lengths = new Uint32Array(64);
  #size = 0;
  #totalLength = 0;
  #changes = 0;
  readonly #scores = new Scratch(Float64Array);
  readonly #evaluation = new TermAtATime();
  readonly #evaluated = new DocumentAtATime();

  constructor({ weightOf = () => 1, cards = new TermDictionary(), terms = new TermDictionary() }: Bm25Options = {}) {
    this.#weightOf = weightOf;
    this.#cards = cards;
    this.#terms = terms;
  }

  /** How many cards have a text here. */
  get size(): number {
    return this.#size;
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
    this.#size = 0;
    this.#changes += 1;
    this.#totalLength = 0;
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

  /** At most `limit` cards with a score above 0, best first, equal ones by id; of these docs alone, where given. */
  search(terms: readonly string[], limit: number, among?: ArrayLike<number>): ScoredCard[] {
    const query = this.#weighted(terms);
    const scores = this.#scoreAll(query, this.#scores);
    const { names } = this.#cards;
    return topK(scores, limit, names, among).map((doc) => ({
      cardId: names[doc] as string,
      score: normalised(scores[doc] as number, query),
    }));
  }

  /** By place, equal to the scores of {@link search}; NaN for a doc without a text here, or below 0. */
  scores(terms: readonly string[], docs: Int32Array): Float64Array {
    const query = this.#weighted(terms);
    const postings = query.terms.reduce((sum, { term }) => sum + this.#postings.length(term), 0);
    const lookUps = (docs.length * this.#totalLength) / Math.max(1, this.#size);
    const all = postings < LOOK_UP_COST * lookUps ? this.#scoreAll(query, this.#scores) : null;
    if (all === null) this.#evaluated.open(query, this.#terms.names.length);
    const scores = new Float64Array(docs.length);
    for (let place = 0; place < docs.length; place++) {
      const doc = docs[place] as number;
      if (!this.hasText(doc)) {
        scores[place] = Number.NaN;
        continue;
      }
      const score =
        all === null
          ? this.#evaluated.score(this.#forward.pairsOf(doc), this.#lengths[doc] as number)
          : (all[doc] as number);
      scores[place] = normalised(score, query);
    }
    return scores;
  }

  /** What a scoring pass needs for the query; valid until the index changes. */
  scan({ terms, expanded, weight }: AddedQuery): Bm25Scan {
    const whole = expanded.length === 0 ? null : this.#weighted(expanded);
    const { counts } = this.#postings;
    if (!(counts instanceof Uint16Array)) throw new TypeError('counts of more than 16 bits cannot be scanned');
    return this.#evaluation.scan({ query: this.#weighted(terms), whole, weight }, { ...this.#lists(), counts });
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

  #weighted(terms: readonly string[]): WeightedQuery {
    return weightedQuery(terms, {
      docs: this.#size,
      totalLength: this.#totalLength,
      weightOf: this.#weightOf,
      numberOf: (term) => this.#terms.of(term),
      docFrequency: (term) => this.#postings.length(term),
    });
  }

  /** By doc, not normalised; valid until the next use of `room`. */
  #scoreAll(query: WeightedQuery, room: Scratch<Float64Array>): Float64Array {
    return this.#evaluation.scores(query, this.#lists(), room);
  }

  #lists(): ScoredLists {
    return { postings: this.#postings, lengths: this.#lengths, changes: this.#changes };
  }
}

/** A query without terms has no score of its own to divide by. */
function normalised(score: number, { ownScore }: WeightedQuery): number {
  return score === 0 ? 0 : Math.min(1, score / ownScore);
}

import type { Bm25Scan } from '../domain/ports/scoring.js';
import { Scratch } from './arrays.js';
import { DocumentAtATime, type ScoredLists, TermAtATime } from './bm25-evaluation.js';
import { type QueryStatistics, type WeightedQuery, weightedQuery } from './bm25-scoring.js';
import type { ForwardIndex } from './forward-index.js';
import type { TermDictionary } from './term-dictionary.js';
import { topK } from './top-k.js';

/**
 * Looking at a term of one document costs about as much as adding the scores of so many documents of a postings list.
 */
const LOOK_UP_COST = 2;

export interface Bm25Field extends ScoredLists {
  readonly forward: ForwardIndex;
  /** How many cards have a text here. */
  readonly size: number;
  /** In terms, of all cards together. */
  readonly totalLength: number;
}

export interface Bm25Parts {
  readonly weightOf: QueryStatistics['weightOf'];
  /** Card ids as doc numbers, and the terms: of all fields. */
  readonly cards: TermDictionary;
  readonly terms: TermDictionary;
  /** By the number of cards: see {@link QueryStatistics.mostDocs}. */
  readonly mostDocs?: (docs: number) => number;
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
 * A search asks for the scores of its terms several times: for the best cards, for those of each likely label, and for
 * the candidates. Valid until the next query.
 */
interface LastQuery {
  readonly terms: readonly string[];
  /** Of all fields. */
  readonly changes: number;
  readonly query: WeightedQuery;
  /** By doc. */
  readonly scores: Float64Array;
  /** Of all cards, once they are asked for. */
  readonly best: { readonly limit: number; readonly cards: readonly ScoredCard[] } | null;
}

/**
 * BM25 over the texts of cards in one field, or in several as if these were one text, as in Lucene's
 * CombinedFieldQuery (BM25F with weights of 1: Robertson, Zaragoza and Taylor, "Simple BM25 Extension to Multiple
 * Weighted Fields", 2004): frequencies of a term and lengths add up, and as many documents have a term as in the field
 * where most have it. Several fields need no postings of their own.
 *
 * A score is BM25 divided by that of a document that is the query, so that scores of short and long queries compare: 0
 * .. 1, where a card that has the terms more often or in a shorter text than the query has 1 too.
 */
export class Bm25Queries {
  readonly #scores = new Scratch(Float64Array);
  readonly #evaluation = new TermAtATime();
  readonly #evaluated = new DocumentAtATime();
  #last: LastQuery | null = null;

  constructor(
    private readonly fields: readonly Bm25Field[],
    private readonly parts: Bm25Parts,
  ) {}

  /** At most `limit` cards with a score above 0, best first, equal ones by id; of these docs alone, where given. */
  search(terms: readonly string[], limit: number, among?: ArrayLike<number>): readonly ScoredCard[] {
    const last = this.#lastQuery(terms) ?? this.#scored(terms, this.#weighted(terms));
    const { query, scores, best } = last;
    if (among === undefined && best?.limit === limit) return best.cards;
    const { names } = this.parts.cards;
    const cards = topK(scores, limit, names, among).map((doc) => ({
      cardId: names[doc] as string,
      score: normalised(scores[doc] as number, query),
    }));
    if (among === undefined) this.#last = { ...last, best: { limit, cards } };
    return cards;
  }

  /** By place, equal to the scores of {@link search}; NaN for a doc without a text here, or below 0. */
  scores(terms: readonly string[], docs: Int32Array): Float64Array {
    const last = this.#lastQuery(terms);
    const query = last?.query ?? this.#weighted(terms);
    const isForAll = last === null && this.#areBetterScoredAll(docs.length, query);
    const all = (isForAll ? this.#scored(terms, query) : last)?.scores ?? null;
    if (all === null) this.#evaluated.open(query, this.parts.terms.names.length);
    const scores = new Float64Array(docs.length);
    for (let place = 0; place < docs.length; place++) {
      const doc = docs[place] as number;
      let length = 0;
      for (const { lengths } of this.fields) length += lengths[doc] ?? 0;
      if (length === 0) {
        scores[place] = Number.NaN;
        continue;
      }
      const score = all === null ? this.#evaluated.score(this.fields, doc, length) : (all[doc] as number);
      scores[place] = normalised(score, query);
    }
    return scores;
  }

  /** What a scoring pass needs for the query; valid until a field changes. */
  scan({ terms, expanded, weight }: AddedQuery): Bm25Scan {
    const whole = expanded.length === 0 ? null : this.#weighted(expanded);
    return this.#evaluation.scan({ query: this.#weighted(terms), whole, weight }, this.fields);
  }

  /** Scores all documents. */
  #scored(terms: readonly string[], query: WeightedQuery): LastQuery {
    const scores = this.#evaluation.scores(query, this.fields, this.#scores);
    this.#last = { terms, changes: this.#changes, query, scores, best: null };
    return this.#last;
  }

  /** Null if these are not the terms of the last query that all documents were scored for, or one has changed since. */
  #lastQuery(terms: readonly string[]): LastQuery | null {
    const last = this.#last;
    if (last === null || last.changes !== this.#changes || last.terms.length !== terms.length) return null;
    return terms.every((term, place) => term === last.terms[place]) ? last : null;
  }

  get #changes(): number {
    return this.fields.reduce((sum, { changes }) => sum + changes, 0);
  }

  /** Whether scoring all documents takes less time than looking at so many. */
  #areBetterScoredAll(docs: number, { terms }: WeightedQuery): boolean {
    let [postings, lookUps] = [0, 0];
    for (const field of this.fields) {
      lookUps += (docs * field.totalLength) / Math.max(1, field.size);
      for (const { term } of terms) postings += field.postings.length(term);
    }
    return postings < LOOK_UP_COST * lookUps;
  }

  #weighted(terms: readonly string[]): WeightedQuery {
    const docs = most(this.fields, ({ size }) => size);
    return weightedQuery(terms, {
      docs,
      totalLength: this.fields.reduce((sum, field) => sum + field.totalLength, 0),
      weightOf: this.parts.weightOf,
      numberOf: (term) => this.parts.terms.of(term),
      docFrequency: (term) => most(this.fields, ({ postings }) => postings.length(term)),
      mostDocs: this.parts.mostDocs?.(docs) ?? Number.POSITIVE_INFINITY,
    });
  }
}

function most(fields: readonly Bm25Field[], count: (field: Bm25Field) => number): number {
  let greatest = 0;
  for (const field of fields) greatest = Math.max(greatest, count(field));
  return greatest;
}

/** A query without terms has no score of its own to divide by. */
function normalised(score: number, { ownScore }: WeightedQuery): number {
  return score === 0 ? 0 : Math.min(1, score / ownScore);
}

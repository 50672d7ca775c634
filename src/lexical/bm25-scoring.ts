import type { Bm25Scan, WeightedLists } from '../domain/ports/scoring.js';
import { type Scratch, sharedArray } from './arrays.js';
import type { Pairs } from './pairs.js';
import type { Postings } from './postings.js';

/** Term frequency saturation and length normalisation. */
interface Bm25Parameters {
  readonly k1: number;
  readonly b: number;
}

/** The usual values: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). */
const TEXT_PARAMETERS: Bm25Parameters = { k1: 1.2, b: 0.75 };

/** Label profiles are longer than texts, and repeat a term once for each card. */
export const PROFILE_PARAMETERS: Bm25Parameters = { k1: 2, b: 0.8 };

/** The statistics of an index that weigh a query. */
export interface QueryStatistics {
  readonly docs: number;
  /** In terms, of all documents together. */
  readonly totalLength: number;
  /** The factor of the idf of a term that this share of the documents has, at least 0. */
  readonly weightOf: (term: string, share: number) => number;
  /** Undefined if no document has the term. */
  readonly numberOf: (term: string) => number | undefined;
  readonly docFrequency: (term: number) => number;
  /** {@link TEXT_PARAMETERS} by default. */
  readonly parameters?: Bm25Parameters;
}

/**
 * A query as one state of an index weighs it: each of its terms adds `weight` x {@link saturation} to a document's
 * score.
 */
export interface WeightedQuery {
  /** The terms that any document has, by number. */
  readonly terms: readonly { readonly term: number; readonly weight: number }[];
  /** Length normalisation: `base + perTerm x length of the document`. */
  readonly base: number;
  readonly perTerm: number;
  /** The score of a document that is the query. */
  readonly ownScore: number;
  /** The score that endless repetition of the query would approach. */
  readonly maxScore: number;
}

/** Weighs the terms of a query. Terms that no document has count in `ownScore` and `maxScore` only. */
export function weightedQuery(terms: readonly string[], statistics: QueryStatistics): WeightedQuery {
  const { docs, totalLength, weightOf, numberOf, docFrequency } = statistics;
  const { k1, b } = statistics.parameters ?? TEXT_PARAMETERS;
  const base = k1 * (1 - b);
  const perTerm = docs === 0 ? k1 * b : (k1 * b * docs) / totalLength;
  const norm = { base, perTerm };
  let ownScore = 0;
  let maxScore = 0;
  const weights: { term: number; weight: number }[] = [];
  for (const [text, count] of countsOf(terms)) {
    const term = numberOf(text);
    const frequency = term === undefined ? 0 : docFrequency(term);
    const factor = weightOf(text, frequency / Math.max(1, docs));
    if (factor === 0) continue;
    // A term that the query repeats counts as often.
    const weight = count * factor * idfOf(docs, frequency) * (k1 + 1);
    ownScore += weight * saturation(norm, count, terms.length);
    maxScore += weight;
    if (term !== undefined) weights.push({ term, weight });
  }
  return { terms: weights, ...norm, ownScore, maxScore };
}

/** The inverse document frequency, above 0, of a term that `frequency` of `docs` documents have. */
export function idfOf(docs: number, frequency: number): number {
  return Math.log(1 + (docs - frequency + 0.5) / (frequency + 0.5));
}

/** The share of a term's weight that a document of `length` terms gets which has it `count` times: 0 .. 1. */
export function saturation(
  { base, perTerm }: Pick<WeightedQuery, 'base' | 'perTerm'>,
  count: number,
  length: number,
): number {
  return count / (count + (base + perTerm * length));
}

/**
 * The part of an expanded query that the query itself does not have: the scores of both parts sum to those of the
 * whole.
 */
function addedPart(query: WeightedQuery, expanded: WeightedQuery): WeightedQuery {
  const weights = new Map(query.terms.map(({ term, weight }) => [term, weight]));
  const terms = expanded.terms
    .map(({ term, weight }) => ({ term, weight: weight - (weights.get(term) ?? 0) }))
    .filter(({ weight }) => weight > 0);
  return { ...expanded, terms };
}

/** The documents that a query is evaluated on. */
export interface ScoredLists {
  /** term -> (doc, frequency) */
  readonly postings: Postings;
  /** By doc, in terms. */
  readonly lengths: ArrayLike<number>;
  /** Differs after every change. */
  readonly changes: number;
}

/** A query and its expansion, if it has one, in a lane of this weight. */
export interface ScanQuery {
  readonly query: WeightedQuery;
  readonly whole: WeightedQuery | null;
  readonly weight: number;
}

/** Evaluates queries on all documents of one index, term-at-a-time. */
export class TermAtATime {
  /** By doc: the length normalisation; of the index after `#normsAt` changes. */
  #norms = new Float64Array(0);
  #normsAt = -1;

  /** By doc, in `room`: the sum of weight x saturation over the query's terms. */
  scores(query: WeightedQuery, lists: ScoredLists, room: Scratch<Float64Array>): Float64Array {
    const norms = this.#normsOf(query, lists);
    const scores = room.zeros(lists.lengths.length);
    const { keys, counts } = lists.postings;
    for (const { term, weight } of query.terms) {
      const list = { keys, start: lists.postings.start(term), end: lists.postings.end(term), weight };
      if (counts instanceof Uint16Array) addList(list, counts, norms, scores);
      else addLongCounts(list, counts, norms, scores);
    }
    return scores;
  }

  /** The same for a scoring pass; its arrays are those of the index, and valid until it changes. */
  scan({ query, whole, weight }: ScanQuery, lists: ScoredLists & { readonly counts: Uint16Array }): Bm25Scan {
    const { postings, counts } = lists;
    const [factor, wholeFactor] = [factorOf(weight, query), whole === null ? 0 : factorOf(weight, whole)];
    return {
      keys: postings.keys,
      counts,
      norms: this.#normsOf(query, lists),
      own: listsOf(query, factor, postings),
      // No postings list is read twice: an expansion adds to what the query itself scores.
      added: whole === null ? null : listsOf(addedPart(query, whole), wholeFactor, postings),
      ownShare: factor === 0 ? 0 : wholeFactor / factor,
    };
  }

  #normsOf({ base, perTerm }: WeightedQuery, { lengths, changes }: ScoredLists): Float64Array {
    if (this.#normsAt === changes) return this.#norms;
    if (this.#norms.length !== lengths.length) this.#norms = sharedArray(Float64Array, lengths.length);
    for (let doc = 0; doc < lengths.length; doc++) this.#norms[doc] = base + perTerm * (lengths[doc] as number);
    this.#normsAt = changes;
    return this.#norms;
  }
}

function listsOf({ terms }: WeightedQuery, factor: number, postings: Postings): WeightedLists {
  return {
    starts: Uint32Array.from(terms, ({ term }) => postings.start(term)),
    ends: Uint32Array.from(terms, ({ term }) => postings.end(term)),
    weights: Float64Array.from(terms, ({ weight }) => factor * weight),
  };
}

/**
 * Of a query that scores `weight` where it is the whole text; 0 for a query without terms, which has no score to divide
 * by.
 */
function factorOf(weight: number, { ownScore }: WeightedQuery): number {
  return ownScore === 0 ? 0 : weight / ownScore;
}

interface WeightedList {
  readonly keys: Uint32Array;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

/**
 * Adds weight x `saturation`, written out and without a branch: one for terms that occur once, as most do, is
 * mispredicted so often that it takes twice the time of the division.
 */
function addList(
  { keys, start, end, weight }: WeightedList,
  counts: Uint16Array,
  norms: Float64Array,
  scores: Float64Array,
): void {
  for (let at = start; at < end; at++) {
    const doc = keys[at] as number;
    const count = counts[at] as number;
    scores[doc] = (scores[doc] as number) + weight * (count / (count + (norms[doc] as number)));
  }
}

/** The same: in one function for both types V8 looks each one up, which takes half as long again. */
function addLongCounts(
  { keys, start, end, weight }: WeightedList,
  counts: Uint32Array,
  norms: Float64Array,
  scores: Float64Array,
): void {
  for (let at = start; at < end; at++) {
    const doc = keys[at] as number;
    const count = counts[at] as number;
    scores[doc] = (scores[doc] as number) + weight * (count / (count + (norms[doc] as number)));
  }
}

/** Evaluates a query on single documents, by the forward index. */
export class DocumentAtATime {
  #query: WeightedQuery | null = null;
  /** By term number: its place in the query, from 1; 0 for other terms. */
  #places = new Uint32Array(0);
  /** By place: how often the document has the term. */
  #counts = new Float64Array(0);

  /** Takes the next query, of an index with so many term numbers. */
  open(query: WeightedQuery, terms: number): void {
    // Only what the query before has set: of an index with a million terms the array has megabytes.
    for (const { term } of this.#query?.terms ?? []) this.#places[term] = 0;
    if (this.#places.length < terms) this.#places = new Uint32Array(Math.ceil(1.2 * terms));
    this.#query = query;
    query.terms.forEach(({ term }, place) => {
      this.#places[term] = place + 1;
    });
    this.#counts = new Float64Array(query.terms.length + 1);
  }

  /** Adds in the order of the query, as {@link TermAtATime} does, so that both give the same. */
  score({ keys, counts, start, end }: Pairs, length: number): number {
    const query = this.#query;
    if (query === null) throw new Error('a query must be opened first');
    const { terms } = query;
    const found = this.#counts.fill(0);
    for (let at = start; at < end; at++) found[this.#places[keys[at] as number] as number] = counts[at] as number;
    let score = 0;
    for (let place = 0; place < terms.length; place++) {
      const count = found[place + 1] as number;
      if (count > 0) score += (terms[place] as { weight: number }).weight * saturation(query, count, length);
    }
    return score;
  }
}

function countsOf(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

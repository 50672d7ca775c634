import type { Bm25Scan, WeightedLists } from '../domain/ports/scoring.js';
import { Scratch, sharedArray } from './arrays.js';
import { addedPart, saturation, type WeightedQuery } from './bm25-scoring.js';
import type { ForwardIndex } from './forward-index.js';
import type { Pairs } from './pairs.js';
import type { Postings } from './postings.js';

/** A field of the documents that a query is evaluated on. Several count as one text: frequencies of a term add up. */
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

/** Evaluates queries on all documents, term-at-a-time. */
export class TermAtATime {
  /** By doc: the length normalisation; of the fields after `#normsAt` changes. */
  #norms = new Float64Array(0);
  #normsAt = -1;
  readonly #sums = new Scratch(Float64Array);

  /** By doc, in `room`: the sum of weight x saturation over the query's terms. */
  scores(query: WeightedQuery, fields: readonly ScoredLists[], room: Scratch<Float64Array>): Float64Array {
    const norms = this.#normsOf(query, fields);
    const scores = room.zeros(norms.length);
    const sums = this.#sums.zeros(fields.length > 1 ? norms.length : 0);
    for (const { term, weight } of query.terms) {
      const [list, ...others] = fields.flatMap(({ postings }) =>
        postings.length(term) === 0 ? [] : [{ ...postings.pairsOf(term), weight }],
      );
      if (list === undefined) continue;
      if (others.length > 0) addCombined([list, ...others], norms, sums, scores);
      else addList(list, shortCounts(list), norms, scores);
    }
    return scores;
  }

  /** The same for a scoring pass; its arrays are those of the fields, and valid until one changes. */
  scan({ query, whole, weight }: ScanQuery, fields: readonly ScoredLists[]): Bm25Scan {
    const [factor, wholeFactor] = [factorOf(weight, query), whole === null ? 0 : factorOf(weight, whole)];
    return {
      fields: fields.map(({ postings }) => ({ keys: postings.keys, counts: shortCounts(postings) })),
      norms: this.#normsOf(query, fields),
      own: listsOf(query, factor, fields),
      // No postings list is read twice: an expansion adds to what the query itself scores.
      added: whole === null ? null : listsOf(addedPart(query, whole), wholeFactor, fields),
      ownShare: factor === 0 ? 0 : wholeFactor / factor,
    };
  }

  #normsOf({ base, perTerm }: WeightedQuery, fields: readonly ScoredLists[]): Float64Array {
    const changes = fields.reduce((sum, field) => sum + field.changes, 0);
    if (this.#normsAt === changes) return this.#norms;
    const docs = Math.max(...fields.map(({ lengths }) => lengths.length));
    if (this.#norms.length !== docs) this.#norms = sharedArray(Float64Array, docs);
    for (let doc = 0; doc < docs; doc++) {
      let length = 0;
      for (const { lengths } of fields) length += lengths[doc] ?? 0;
      this.#norms[doc] = base + perTerm * length;
    }
    this.#normsAt = changes;
    return this.#norms;
  }
}

function listsOf({ terms }: WeightedQuery, factor: number, fields: readonly ScoredLists[]): WeightedLists {
  const starts = new Uint32Array(terms.length * fields.length);
  const ends = new Uint32Array(starts.length);
  const weights = new Float64Array(terms.length);
  let at = 0;
  for (const [place, { term, weight }] of terms.entries()) {
    weights[place] = factor * weight;
    for (const { postings } of fields) {
      starts[at] = postings.start(term);
      ends[at++] = postings.end(term);
    }
  }
  return { starts, ends, weights };
}

/**
 * Of a query that scores `weight` where it is the whole text; 0 for a query without terms, which has no score to divide
 * by.
 */
function factorOf(weight: number, { ownScore }: WeightedQuery): number {
  return ownScore === 0 ? 0 : weight / ownScore;
}

function shortCounts({ counts }: Pick<Pairs, 'counts'>): Uint16Array {
  if (!(counts instanceof Uint16Array)) throw new TypeError('these are not the counts of texts');
  return counts;
}

interface WeightedList extends Pairs {
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
export function addLongCounts(
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

/** Adds the lists of a term in several fields; `sums` are zeros, and remain so. */
function addCombined(
  lists: readonly WeightedList[],
  norms: Float64Array,
  sums: Float64Array,
  scores: Float64Array,
): void {
  for (const { keys, counts, start, end } of lists) {
    for (let at = start; at < end; at++) {
      const doc = keys[at] as number;
      sums[doc] = (sums[doc] as number) + (counts[at] as number);
    }
  }
  for (const { keys, start, end, weight } of lists) {
    for (let at = start; at < end; at++) {
      const doc = keys[at] as number;
      // 0 where the list of another field has been here.
      const count = sums[doc] as number;
      sums[doc] = 0;
      scores[doc] = (scores[doc] as number) + weight * (count / (count + (norms[doc] as number)));
    }
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

  /** Of a document; adds in the order of the query, as {@link TermAtATime} does, so that both are the same. */
  score(fields: readonly { readonly forward: ForwardIndex }[], doc: number, length: number): number {
    const query = this.#query;
    if (query === null) throw new Error('a query must be opened first');
    const { terms } = query;
    const found = this.#counts.fill(0);
    for (const { forward } of fields) {
      const end = forward.read(doc);
      const { keys, counts } = forward;
      for (let at = 0; at < end; at++) {
        const place = this.#places[keys[at] as number] as number;
        found[place] = (found[place] as number) + (counts[at] as number);
      }
    }
    let score = 0;
    for (let place = 0; place < terms.length; place++) {
      const count = found[place + 1] as number;
      if (count > 0) score += (terms[place] as { weight: number }).weight * saturation(query, count, length);
    }
    return score;
  }
}

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
  /** A term that more documents have is as one that none has; no limit by default. */
  readonly mostDocs?: number;
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

/** Weighs the terms of a query. Terms that no document or too many have count in `ownScore` and `maxScore` only. */
export function weightedQuery(terms: readonly string[], statistics: QueryStatistics): WeightedQuery {
  const { docs, totalLength, weightOf, numberOf, docFrequency, mostDocs = Number.POSITIVE_INFINITY } = statistics;
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
    if (term !== undefined && frequency <= mostDocs) weights.push({ term, weight });
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
export function addedPart(query: WeightedQuery, expanded: WeightedQuery): WeightedQuery {
  const weights = new Map(query.terms.map(({ term, weight }) => [term, weight]));
  const terms = expanded.terms
    .map(({ term, weight }) => ({ term, weight: weight - (weights.get(term) ?? 0) }))
    .filter(({ weight }) => weight > 0);
  return { ...expanded, terms };
}

function countsOf(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

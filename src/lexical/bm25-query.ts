/**
 * How soon repeating a word stops to count, and how much length counts against a card: the usual values, within the ranges
 * of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
 */
const K1 = 1.2;
const B = 0.75;

/** What an index knows that weighs a query. */
export interface QueryStatistics {
  /** How many cards there are, and how many tokens they have together. */
  readonly cards: number;
  readonly totalLength: number;
  /** How much a token counts: above 0. */
  readonly weightOf: (token: string) => number;
  /** Undefined where no card says the token. */
  readonly termOf: (token: string) => number | undefined;
  readonly cardsWith: (term: number) => number;
}

/** A query as one state of an index weighs it: a card has `weight * count / (count + base + perToken * its length)` a term. */
export interface WeighedQuery {
  readonly terms: readonly { readonly term: number; readonly weight: number }[];
  readonly base: number;
  readonly perToken: number;
  /** What a card that repeats the whole query would have. */
  readonly ownScore: number;
}

/** Weighs the tokens of a query; those that no card says count in {@link WeighedQuery.ownScore} alone. */
export function weighed(tokens: readonly string[], statistics: QueryStatistics): WeighedQuery {
  const { cards, totalLength, weightOf, termOf, cardsWith } = statistics;
  const base = K1 * (1 - B);
  const perToken = cards === 0 ? K1 * B : (K1 * B * cards) / totalLength;
  const ownLoss = base + perToken * tokens.length;
  let ownScore = 0;
  const terms: { term: number; weight: number }[] = [];
  for (const [token, count] of countsOf(tokens)) {
    const term = termOf(token);
    const having = term === undefined ? 0 : cardsWith(term);
    const idf = Math.log(1 + (cards - having + 0.5) / (having + 0.5));
    // A word that the query repeats counts as often.
    const weight = count * weightOf(token) * idf * (K1 + 1);
    ownScore += (weight * count) / (count + ownLoss);
    if (term !== undefined) terms.push({ term, weight });
  }
  return { terms, base, perToken, ownScore };
}

/** What a query weighs more than one that says the same but for some words fewer: sums over both parts are sums over the whole. */
export function addedTo(query: WeighedQuery, whole: WeighedQuery): WeighedQuery {
  const weights = new Map(query.terms.map(({ term, weight }) => [term, weight]));
  const terms = whole.terms
    .map(({ term, weight }) => ({ term, weight: weight - (weights.get(term) ?? 0) }))
    .filter(({ weight }) => weight > 0);
  return { ...whole, terms };
}

function countsOf(tokens: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** Simple methods that rank cards by their labels, with which the benchmark of quality compares the search. */
import { idfOf } from '../src/lexical/bm25-scoring.js';

/** What a method reads of a card. */
interface ReferenceCard {
  readonly tokens: readonly string[];
  readonly labels: readonly string[];
}

/** Term -> weight. */
type Weights = ReadonlyMap<string, number>;

/** Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). */
const K1 = 1.2;
const B = 0.75;

/** A card's score is `LABEL_SHARE x (the best share of its labels) ** POWER + the rest x cosine`. */
const LABEL_SHARE = 0.7;
const POWER = 2;

/** BM25 weights of the terms of documents. */
class Bm25Weights {
  readonly #frequencies = new Map<string, number>();
  readonly #documents: number;
  readonly #averageLength: number;

  constructor(documents: readonly (readonly string[])[]) {
    for (const tokens of documents)
      for (const term of new Set(tokens)) this.#frequencies.set(term, (this.#frequencies.get(term) ?? 0) + 1);
    this.#documents = documents.length;
    this.#averageLength = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  }

  /** Of the terms that any document has. */
  of(tokens: readonly string[]): Weights {
    const counts = new Map<string, number>();
    for (const term of tokens) if (this.#frequencies.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const norm = K1 * (1 - B + (B * tokens.length) / this.#averageLength);
    return new Map(
      Array.from(counts, ([term, count]) => {
        const idf = idfOf(this.#documents, this.#frequencies.get(term) as number);
        return [term, (idf * count * (K1 + 1)) / (count + norm)];
      }),
    );
  }
}

function unit(weights: Weights): Weights {
  const length = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight ** 2, 0));
  return length === 0 ? weights : new Map(Array.from(weights, ([term, weight]) => [term, weight / length]));
}

function product(query: Weights, document: Weights): number {
  let sum = 0;
  for (const [term, weight] of query) sum += weight * (document.get(term) ?? 0);
  return sum;
}

function sharesOfGreatest(values: Float64Array): Float64Array {
  const greatest = Math.max(1e-9, ...values);
  return values.map((value) => value / greatest);
}

/** The labels of a collection by two views of their cards: centroids of BM25 vectors, and pseudo-documents. */
export class LabelReferences {
  readonly #cards: readonly (readonly number[])[];
  readonly #weights: Bm25Weights;
  readonly #vectors: readonly Weights[];
  readonly #centroids: readonly Weights[];
  readonly #pseudo: readonly Weights[];

  /** `tokensOf` reads the names of labels. */
  constructor(cards: readonly ReferenceCard[], tokensOf: (text: string) => readonly string[]) {
    const names = [...new Set(cards.flatMap(({ labels }) => labels))];
    const numbers = new Map(names.map((name, number) => [name, number]));
    this.#cards = cards.map(({ labels }) => labels.map((label) => numbers.get(label) as number));
    this.#weights = new Bm25Weights(cards.map(({ tokens }) => tokens));
    this.#vectors = cards.map(({ tokens }) => unit(this.#weights.of(tokens)));
    const sums = names.map(() => new Map<string, number>());
    const documents = names.map((name) => [...tokensOf(name)]);
    cards.forEach(({ tokens }, place) => {
      for (const label of this.#cards[place] as readonly number[]) {
        const sum = sums[label] as Map<string, number>;
        for (const [term, weight] of this.#vectors[place] as Weights) sum.set(term, (sum.get(term) ?? 0) + weight);
        (documents[label] as string[]).push(...new Set(tokens));
      }
    });
    this.#centroids = sums.map(unit);
    const weights = new Bm25Weights(documents);
    this.#pseudo = documents.map((tokens) => weights.of(tokens));
  }

  /** By name of the method: the scores of the cards. */
  scores(tokens: readonly string[]): ReadonlyMap<string, Float64Array> {
    const vector = unit(this.#weights.of(tokens));
    const terms: Weights = new Map(tokens.map((term) => [term, 1]));
    const centroids = sharesOfGreatest(Float64Array.from(this.#centroids, (one) => product(vector, one)));
    const pseudo = sharesOfGreatest(Float64Array.from(this.#pseudo, (one) => product(terms, one)));
    const both = sharesOfGreatest(centroids.map((share, label) => share + (pseudo[label] as number)));
    const cosines = sharesOfGreatest(Float64Array.from(this.#vectors, (one) => product(vector, one)));
    const byLabels = (shares: Float64Array): Float64Array =>
      cosines.map((cosine, card) => {
        const labels = this.#cards[card] as readonly number[];
        const best = labels.reduce((most, label) => Math.max(most, shares[label] as number), 0);
        return LABEL_SHARE * best ** POWER + (1 - LABEL_SHARE) * cosine;
      });
    return new Map([
      ['label pseudo-documents', byLabels(pseudo)],
      ['label centroids', byLabels(centroids)],
      ['label centroids and pseudo-documents', byLabels(both)],
    ]);
  }
}

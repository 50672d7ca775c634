import { Numbering } from './numbering.js';
import { PackedLists } from './packed-lists.js';
import { best, type ScoredCard } from './top.js';

/**
 * How soon repeating a word stops to count, and how much length counts against a card: the usual values, within the ranges
 * of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
 */
const K1 = 1.2;
const B = 0.75;

/** A count is kept in 16 bits; no text of a card is nearly that long. */
const MAX_TOKENS = 65_535;

/**
 * A BM25 index of one perspective: which cards say what the query says, best first. Everything is kept in flat arrays and
 * is exact after any change: the scores are those of an index built anew from the cards as they are.
 *
 * A score is BM25 divided by what a card that repeats the whole query would get, so that scores of short and long
 * queries compare; 0 .. 1, where a card that says it all more tersely or more often than the query also has 1.
 */
export class Bm25Index {
  readonly #slots = new Numbering();
  readonly #terms = new Numbering();
  /** term -> (slot, count), and slot -> (term, count). */
  readonly #postings = new PackedLists();
  readonly #contents = new PackedLists();
  /** By slot: the card's length in tokens. */
  #lengths = new Uint32Array(64);
  #totalLength = 0;
  /** By slot: room to add up scores, all 0 between searches, and to list who has one. */
  #sums = new Float64Array(64);
  #touched = new Uint32Array(64);
  readonly #weightOf: (token: string) => number;

  /** `weightOf` says how much a token of the query counts: above 0. */
  constructor(weightOf: (token: string) => number = () => 1) {
    this.#weightOf = weightOf;
  }

  /** How many cards have a text here. */
  get size(): number {
    return this.#slots.size;
  }

  /** The size of its arrays; the strings of ids and words come on top. */
  get bytes(): number {
    const arrays = [this.#lengths, this.#sums, this.#touched];
    return arrays.reduce((sum, array) => sum + array.byteLength, this.#postings.bytes + this.#contents.bytes);
  }

  has(cardId: string): boolean {
    return this.#slots.of(cardId) !== undefined;
  }

  /** Sets what a card says, whether it was here before or not; without tokens it is here no more. */
  set(cardId: string, tokens: readonly string[]): void {
    if (tokens.length > MAX_TOKENS) throw new RangeError(`card ${cardId} has more than ${MAX_TOKENS} tokens`);
    this.delete(cardId);
    if (tokens.length === 0) return;
    const slot = this.#slots.take(cardId);
    if (slot >= this.#lengths.length) this.#grow();
    this.#lengths[slot] = tokens.length;
    this.#totalLength += tokens.length;
    const counts = [...countsOf(tokens)].map(([token, count]) => [this.#terms.take(token), count] as const);
    this.#contents.reserve(slot, counts.length);
    for (const [term, count] of counts.sort(([a], [b]) => a - b)) {
      this.#contents.insert(slot, term, count);
      this.#postings.insert(term, slot, count);
    }
  }

  /** False where the card was not here. */
  delete(cardId: string): boolean {
    const slot = this.#slots.of(cardId);
    if (slot === undefined) return false;
    for (let at = this.#contents.start(slot); at < this.#contents.end(slot); at++) {
      const term = this.#contents.keys[at] ?? 0;
      this.#postings.remove(term, slot);
      if (this.#postings.length(term) === 0) this.#terms.release(term);
    }
    this.#contents.clear(slot);
    this.#totalLength -= this.#lengths[slot] ?? 0;
    this.#lengths[slot] = 0;
    this.#slots.release(slot);
    return true;
  }

  /**
   * The best cards for the query, at most `limit`, each with a score above 0; best first, equal ones by id. With
   * `admitted`, only those cards.
   */
  search(tokens: readonly string[], limit: number, admitted?: ReadonlySet<string>): ScoredCard[] {
    const query = this.#query(tokens);
    const touched = this.#addUp(query);
    // Either the admitted cards are looked up one by one, or those that would be among the best are asked whether they are
    // admitted: some limit x ln(cards / limit) of them, and more by the share that is not.
    const few = admitted !== undefined && admitted.size ** 2 < 6 * limit * this.size;
    const slots = few ? this.#slotsOf(admitted) : touched;
    const found = best(slots, limit, {
      scores: this.#sums,
      cardIds: this.#slots.names,
      admitted: few ? undefined : admitted,
    });
    for (const slot of touched) this.#sums[slot] = 0;
    return found.map(({ cardId, score }) => ({ cardId, score: Math.min(1, score / query.ownScore) }));
  }

  /** The cards' scores, in order, just as {@link search} gives them; null where a card has no text here. */
  scores(tokens: readonly string[], cardIds: readonly string[]): (number | null)[] {
    const query = this.#query(tokens);
    return cardIds.map((cardId) => {
      const slot = this.#slots.of(cardId);
      if (slot === undefined) return null;
      const score = this.#score(query, slot);
      return score === 0 ? 0 : Math.min(1, score / query.ownScore);
    });
  }

  #query(tokens: readonly string[]): Query {
    const cards = this.#slots.size;
    const averageLength = cards === 0 ? 1 : this.#totalLength / cards;
    const base = K1 * (1 - B);
    const perToken = (K1 * B) / averageLength;
    const ownLoss = base + perToken * tokens.length;
    let ownScore = 0;
    const terms: { term: number; weight: number }[] = [];
    for (const [token, count] of countsOf(tokens)) {
      const term = this.#terms.of(token);
      const cardsWith = term === undefined ? 0 : this.#postings.length(term);
      const idf = Math.log(1 + (cards - cardsWith + 0.5) / (cardsWith + 0.5));
      // A word that the query repeats counts as often.
      const weight = count * this.#weightOf(token) * idf * (K1 + 1);
      ownScore += (weight * count) / (count + ownLoss);
      if (term !== undefined) terms.push({ term, weight });
    }
    return { terms, base, perToken, ownScore };
  }

  /** Adds up the scores of all cards that share a word with the query, a word at a time; answers which these are. */
  #addUp({ terms, base, perToken }: Query): Uint32Array {
    const { keys, counts } = this.#postings;
    const sums = this.#sums;
    const lengths = this.#lengths;
    let touched = 0;
    for (const { term, weight } of terms) {
      const end = this.#postings.end(term);
      for (let at = this.#postings.start(term); at < end; at++) {
        const slot = keys[at] as number;
        const count = counts[at] as number;
        const sum = sums[slot] as number;
        if (sum === 0) this.#touched[touched++] = slot;
        sums[slot] = sum + (weight * count) / (count + base + perToken * (lengths[slot] as number));
      }
    }
    return this.#touched.subarray(0, touched);
  }

  /** One card's score, added up in the same order as for all. */
  #score({ terms, base, perToken }: Query, slot: number): number {
    let sum = 0;
    for (const { term, weight } of terms) {
      const at = this.#contents.find(slot, term);
      const count = at < 0 ? 0 : (this.#contents.counts[at] ?? 0);
      if (count > 0) sum += (weight * count) / (count + base + perToken * (this.#lengths[slot] ?? 0));
    }
    return sum;
  }

  #slotsOf(cardIds: ReadonlySet<string>): number[] {
    const slots: number[] = [];
    for (const cardId of cardIds) {
      const slot = this.#slots.of(cardId);
      if (slot !== undefined) slots.push(slot);
    }
    return slots;
  }

  #grow(): void {
    const capacity = Math.ceil(this.#lengths.length * 1.5);
    const lengths = new Uint32Array(capacity);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
    this.#sums = new Float64Array(capacity);
    this.#touched = new Uint32Array(capacity);
  }
}

/** A query as this state of the index weighs it. */
interface Query {
  readonly terms: readonly { readonly term: number; readonly weight: number }[];
  /** What a count is damped by: `base + perToken * length of the card`. */
  readonly base: number;
  readonly perToken: number;
  /** What a card that repeats the whole query would score, before dividing. */
  readonly ownScore: number;
}

function countsOf(tokens: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

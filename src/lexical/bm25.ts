import { type WeighedQuery, weighed } from './bm25-query.js';
import { Postings, type PostingsSnapshot } from './postings.js';
import { type Holds, keptLists, transposed } from './restore-postings.js';
import { ScoresOfAll } from './score-all.js';
import { TermDictionary } from './term-dictionary.js';
import { best, type ScoredCard } from './top-k.js';

/** A count is kept in 16 bits; no text of a card is nearly that long. */
const MAX_TOKENS = 65_535;

/** To find a word in one card costs about as much as to add up the scores of so many cards that have it. */
const FIND_COST = 8;

/** What an index may be given; indexes that are about the same cards can share their numberings. */
export interface Bm25Options {
  /** How much a token of a query counts: above 0; 1 where it is not given. */
  readonly weightOf?: (token: string) => number;
  readonly cards?: TermDictionary;
  readonly terms?: TermDictionary;
}

/** A query that every card is scored by, and how much its score counts: above 0. */
export interface AddedQuery {
  readonly tokens: readonly string[];
  /** The same tokens and others that were added; none where none were. */
  readonly expanded: readonly string[];
  readonly weight: number;
}

/**
 * A BM25 index of one perspective: which cards say what the query says, best first. Everything is kept in flat arrays and
 * is exact after any change: the scores are those of an index built anew from the cards as they are.
 *
 * A score is BM25 divided by what a card that repeats the whole query would get, so that scores of short and long
 * queries compare; 0 .. 1, where a card that says it all more tersely or more often than the query also has 1.
 */
export class Bm25Index {
  readonly #weightOf: (token: string) => number;
  /** Card ids as slots. */
  readonly #cards: TermDictionary;
  readonly #terms: TermDictionary;
  /** term -> (slot, count), and slot -> (term, count). */
  #postings = new Postings();
  #contents = new Postings();
  /** By slot: the card's length in tokens; 0 where it has no text here. */
  #lengths = new Uint32Array(64);
  #size = 0;
  #totalLength = 0;
  /** By slot: room to add up scores, all 0 between searches, and to list who has one. */
  #sums = new Float64Array(64);
  #touched = new Uint32Array(64);
  /** How often a card was set or deleted. */
  #changes = 0;
  readonly #all = new ScoresOfAll();

  constructor({ weightOf = () => 1, cards = new TermDictionary(), terms = new TermDictionary() }: Bm25Options = {}) {
    this.#weightOf = weightOf;
    this.#cards = cards;
    this.#terms = terms;
  }

  /** How many cards have a text here. */
  get size(): number {
    return this.#size;
  }

  /** The size of its arrays; the numberings with their strings come on top. */
  get bytes(): number {
    const arrays = [this.#lengths, this.#sums, this.#touched];
    return arrays.reduce((sum, array) => sum + array.byteLength, this.#postings.bytes + this.#contents.bytes);
  }

  has(cardId: string): boolean {
    return this.#slotOf(cardId) !== undefined;
  }

  /** Sets what a card says, whether it was here before or not; without tokens it is here no more. */
  set(cardId: string, tokens: readonly string[]): void {
    if (tokens.length > MAX_TOKENS) throw new RangeError(`card ${cardId} has more than ${MAX_TOKENS} tokens`);
    this.delete(cardId);
    if (tokens.length === 0) return;
    const slot = this.#cards.take(cardId);
    this.#cards.hold(slot);
    if (slot >= this.#lengths.length) this.#grow(Math.max(slot + 1, Math.ceil(this.#lengths.length * 1.5)));
    this.#lengths[slot] = tokens.length;
    this.#size += 1;
    this.#changes += 1;
    this.#totalLength += tokens.length;
    const said = Uint32Array.from(tokens, (token) => this.#terms.take(token)).sort();
    this.#contents.reserve(slot, countDistinct(said));
    for (let at = 0; at < said.length; ) {
      const term = said[at] as number;
      const first = at;
      while (said[at] === term) at += 1;
      this.#terms.hold(term);
      this.#contents.insert(slot, term, at - first);
      this.#postings.insert(term, slot, at - first);
    }
  }

  /** False where the card was not here. */
  delete(cardId: string): boolean {
    const slot = this.#slotOf(cardId);
    if (slot === undefined) return false;
    for (const term of this.termsOf(slot)) {
      this.#postings.remove(term, slot);
      this.#terms.release(term);
    }
    this.#contents.clear(slot);
    this.#size -= 1;
    this.#changes += 1;
    this.#totalLength -= this.#lengths[slot] ?? 0;
    this.#lengths[slot] = 0;
    this.#cards.release(slot);
    return true;
  }

  /** The terms that the card in a slot says, ascending, each once; none where it has no text. A view, valid until the next change. */
  termsOf(slot: number): Uint32Array {
    return this.#contents.keysOf(slot);
  }

  /** What the cards say at this moment, by slot; enough to {@link restore} the index from. */
  copy(): PostingsSnapshot {
    return this.#contents.copy(this.#cards.names.length);
  }

  /** Takes the cards that are to be kept from a copy, and counts what it holds of the numberings. RangeError where the copy is none. */
  restore(copy: PostingsSnapshot, holds: Holds): void {
    const slots = copy.lengths.length;
    this.#contents = keptLists(copy, new Postings(), holds);
    this.#postings = transposed(this.#contents, slots, holds.terms.length, new Postings());
    this.#grow(Math.max(64, slots));
    this.#size = 0;
    this.#changes += 1;
    this.#totalLength = 0;
    for (let slot = 0; slot < slots; slot++) {
      let length = 0;
      for (let at = this.#contents.start(slot); at < this.#contents.end(slot); at++) {
        length += this.#contents.counts[at] ?? 0;
      }
      this.#lengths[slot] = length;
      this.#totalLength += length;
      if (length > 0) {
        this.#size += 1;
        holds.cards[slot] = (holds.cards[slot] ?? 0) + 1;
      }
    }
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
      cardIds: this.#cards.names,
      admitted: few ? undefined : admitted,
    });
    for (const slot of touched) this.#sums[slot] = 0;
    return found.map(({ cardId, score }) => ({ cardId, score: Math.min(1, score / query.ownScore) }));
  }

  /** The cards' scores, in order, just as {@link search} gives them; null where a card has no text here. */
  scores(tokens: readonly string[], cardIds: readonly string[]): (number | null)[] {
    const scores = new Float64Array(cardIds.length);
    this.scoresInto(tokens, cardIds, scores);
    return Array.from(scores, (score) => (Number.isNaN(score) ? null : score));
  }

  /** Writes the cards' scores into `out`, in order, just as {@link search} gives them; NaN where a card has no text here. */
  scoresInto(tokens: readonly string[], cardIds: readonly string[], out: Float64Array): void {
    const query = this.#query(tokens);
    const postings = query.terms.reduce((sum, { term }) => sum + this.#postings.length(term), 0);
    // Either way the same numbers are added up in the same order.
    const all = postings < FIND_COST * query.terms.length * cardIds.length;
    const touched = all ? this.#addUp(query) : this.#touched.subarray(0, 0);
    for (let place = 0; place < cardIds.length; place++) {
      const slot = this.#slotOf(cardIds[place] as string);
      let score = Number.NaN;
      if (slot !== undefined) score = all ? (this.#sums[slot] as number) : this.#score(query, slot);
      // A query of no tokens scores 0 and would be divided by 0.
      out[place] = score === 0 ? 0 : Math.min(1, score / query.ownScore);
    }
    for (let at = 0; at < touched.length; at++) this.#sums[touched[at] as number] = 0;
  }

  /** Whether the card in a slot has a text here. */
  hasText(slot: number): boolean {
    return (this.#lengths[slot] ?? 0) > 0;
  }

  /**
   * Adds to `sums`, at the place that `places` gives each slot, `weight` times the card's score, as far as rounding lets
   * {@link search} give the same; nothing where that place is less than 0. A score is the better one of the query's own and
   * that of the query with words added.
   */
  addScores({ tokens, expanded, weight }: AddedQuery, places: Int32Array, sums: Float64Array): void {
    const whole = expanded.length === 0 ? null : this.#query(expanded);
    const lists = { postings: this.#postings, lengths: this.#lengths, changes: this.#changes };
    this.#all.addTo(sums, { own: this.#query(tokens), whole, weight, places }, lists);
  }

  #query(tokens: readonly string[]): WeighedQuery {
    return weighed(tokens, {
      cards: this.#size,
      totalLength: this.#totalLength,
      weightOf: this.#weightOf,
      termOf: (token) => this.#terms.of(token),
      cardsWith: (term) => this.#postings.length(term),
    });
  }

  /** Adds up the scores of all cards that share a word with the query, a word at a time; answers which these are. */
  #addUp({ terms, base, perToken }: WeighedQuery): Uint32Array {
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
  #score({ terms, base, perToken }: WeighedQuery, slot: number): number {
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
      const slot = this.#slotOf(cardId);
      if (slot !== undefined) slots.push(slot);
    }
    return slots;
  }

  /** Undefined where the card has no text here. */
  #slotOf(cardId: string): number | undefined {
    const slot = this.#cards.of(cardId);
    return slot !== undefined && (this.#lengths[slot] ?? 0) > 0 ? slot : undefined;
  }

  #grow(capacity: number): void {
    const lengths = new Uint32Array(capacity);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
    this.#sums = new Float64Array(capacity);
    this.#touched = new Uint32Array(capacity);
  }
}

function countDistinct(sorted: Uint32Array): number {
  let distinct = 0;
  for (let at = 0; at < sorted.length; at++) if (sorted[at] !== sorted[at - 1]) distinct += 1;
  return distinct;
}

import { addedTo, type WeighedQuery } from './bm25-query.js';
import type { Postings } from './postings.js';
import { Scratch } from './scratch-buffer.js';

/** What an index knows of its cards. */
export interface IndexLists {
  /** term -> (slot, count). */
  readonly postings: Postings;
  /** By slot, in tokens; 0 where the card has no text. */
  readonly lengths: Uint32Array;
  /** Another number after every change of a card. */
  readonly changes: number;
}

/** What all cards are scored by. */
export interface ScoreAll {
  readonly own: WeighedQuery;
  /** The same with words added; null where none were. */
  readonly whole: WeighedQuery | null;
  readonly weight: number;
  /** By slot: where in the sums its score belongs; less than 0 where nowhere. */
  readonly places: Int32Array;
}

/**
 * Scores every card by BM25 at once, as far as 32-bit values tell. What words that were added to the query bring is added to
 * what its own words brought, so that no list is read twice.
 */
export class ScoresOfAll {
  /** By slot: the share of a word's weight that a card has which says it once; of the lists after so many changes. */
  #once = new Float32Array(0);
  #onceAt = -1;
  readonly #byOwn = new Scratch(Float64Array);
  readonly #byAdded = new Scratch(Float64Array);

  /** Adds `weight` times each card's score, the better one of both queries', to its place in `sums`. */
  addTo(sums: Float64Array, { own, whole, weight, places }: ScoreAll, lists: IndexLists): void {
    this.#prepare(own, lists);
    const slots = Math.min(places.length, this.#once.length);
    const byOwn = this.#addUp(own, lists, this.#byOwn);
    // A query of no tokens would be divided by 0.
    const share = own.ownScore > 0 ? weight / own.ownScore : 0;
    if (whole === null) {
      for (let slot = 0; slot < slots; slot++) {
        const sum = byOwn[slot] as number;
        const place = places[slot] as number;
        if (sum > 0 && place >= 0) sums[place] = (sums[place] as number) + Math.min(weight, share * sum);
      }
      return;
    }
    const byAdded = this.#addUp(addedTo(own, whole), lists, this.#byAdded);
    const shareOfWhole = weight / whole.ownScore;
    for (let slot = 0; slot < slots; slot++) {
      const sum = byOwn[slot] as number;
      const all = sum + (byAdded[slot] as number);
      const place = places[slot] as number;
      if (all > 0 && place >= 0) {
        sums[place] = (sums[place] as number) + Math.min(weight, Math.max(share * sum, shareOfWhole * all));
      }
    }
  }

  #addUp({ terms, base, perToken }: WeighedQuery, lists: IndexLists, room: Scratch<Float64Array>): Float64Array {
    const { postings, lengths } = lists;
    const { keys, counts } = postings;
    const once = this.#once;
    const sums = room.of(once.length).fill(0);
    for (const { term, weight } of terms) {
      const end = postings.end(term);
      for (let at = postings.start(term); at < end; at++) {
        const slot = keys[at] as number;
        const count = counts[at] as number;
        // Most words are said once, and what that is worth takes a division no more.
        const share =
          count === 1 ? (once[slot] as number) : count / (count + base + perToken * (lengths[slot] as number));
        sums[slot] = (sums[slot] as number) + weight * share;
      }
    }
    return sums;
  }

  #prepare({ base, perToken }: WeighedQuery, { lengths, changes }: IndexLists): void {
    if (this.#once.length === lengths.length && this.#onceAt === changes) return;
    if (this.#once.length !== lengths.length) this.#once = new Float32Array(lengths.length);
    for (let slot = 0; slot < lengths.length; slot++) {
      this.#once[slot] = 1 / (1 + base + perToken * (lengths[slot] as number));
    }
    this.#onceAt = changes;
  }
}

import { lowerBound } from '../domain/lower-bound.js';
import { grown, moveWithin, sharedArray } from './arrays.js';
import { BLOCK_SIZES, GROWTH, sizeClassOf, sizeOf } from './block-sizes.js';
import type { Pairs } from './pairs.js';

/** Growing lists leave blocks behind; when they are a third of all, the others are moved together. */
const MOST_UNUSED = 1 / 3;

export interface PostingsOptions {
  /** A pair takes 6 bytes, or 8 with counts that need more than 16 bits. */
  readonly countBits?: 16 | 32;
  /** Whether scoring threads read {@link Postings.keys} and {@link Postings.counts}; changes take longer then. */
  readonly shared?: boolean;
}

/**
 * Many sorted lists of pairs (key, count) in two flat arrays: an array object for each of 100,000 short lists would
 * weigh several times its contents. A list that outgrows its block moves to a larger one, and the block is reused.
 */
export class Postings {
  /** Key and count of every pair; a list's pairs lie from {@link start} to {@link end}, by ascending key. */
  keys: Uint32Array;
  counts: Uint16Array | Uint32Array;
  /** Pairs in blocks, and those of them in blocks that no list uses. */
  #used = 0;
  #unused = 0;
  #starts = new Uint32Array(64);
  #lengths = new Uint32Array(64);
  /** By list: the size class of its block, counted from 1; 0 where it has none. */
  #classes = new Uint8Array(64);
  /** By size class: where blocks of that size lie unused. */
  readonly #free: number[][] = BLOCK_SIZES.map(() => []);

  constructor(private readonly options: PostingsOptions = {}) {
    this.keys = this.#keys(1024);
    this.counts = this.#counts(1024);
  }

  get bytes(): number {
    const arrays = [this.keys, this.counts, this.#starts, this.#lengths, this.#classes];
    return arrays.reduce((sum, array) => sum + array.byteLength, 0);
  }

  /** Allocates empty lists with these lengths, whose pairs the caller writes. */
  layOut(lengths: Uint32Array): void {
    if (this.#used > 0) throw new Error('only empty postings can be laid out');
    this.#growLists(lengths.length);
    for (const [list, length] of lengths.entries()) {
      if (length === 0) continue;
      const sizeClass = sizeClassOf(length);
      this.#starts[list] = this.#used;
      this.#lengths[list] = length;
      this.#classes[list] = sizeClass;
      this.#used += sizeOf(sizeClass);
    }
    this.keys = this.#keys(this.#used);
    this.counts = this.#counts(this.#used);
  }

  start(list: number): number {
    return this.#starts[list] ?? 0;
  }

  end(list: number): number {
    return this.start(list) + this.length(list);
  }

  length(list: number): number {
    return this.#lengths[list] ?? 0;
  }

  /** Valid until the next change. */
  pairsOf(list: number): Pairs {
    return { keys: this.keys, counts: this.counts, start: this.start(list), end: this.end(list) };
  }

  /** A list's keys, ascending: a view, valid until the next change. */
  keysOf(list: number): Uint32Array {
    return this.keys.subarray(this.start(list), this.end(list));
  }

  /** The key's place in {@link keys}, or -1. */
  find(list: number, key: number): number {
    const at = lowerBound(this.keys, key, this.start(list), this.end(list));
    return at < this.end(list) && this.keys[at] === key ? at : -1;
  }

  /** Adds a pair whose key is not in the list yet; `count` is above 0 and fits into {@link counts}. */
  insert(list: number, key: number, count: number): void {
    this.reserve(list, this.length(list) + 1);
    const end = this.end(list);
    // Doc numbers grow, so nearly every pair belongs at the end.
    const at =
      end === this.start(list) || (this.keys[end - 1] ?? 0) < key
        ? end
        : lowerBound(this.keys, key, this.start(list), this.end(list));
    this.#move(at + 1, at, end);
    this.keys[at] = key;
    this.counts[at] = count;
    this.#lengths[list] = this.length(list) + 1;
  }

  /** Removes a pair, which must be in the list. */
  remove(list: number, key: number): void {
    const at = this.#placeOf(list, key);
    const end = this.end(list);
    this.#move(at, at + 1, end);
    this.#lengths[list] = this.length(list) - 1;
    if (this.length(list) === 0) this.clear(list);
  }

  /** Counts each of these keys once more; keys ascending, each once. Later pairs of the list move once for all. */
  increment(list: number, keys: readonly number[]): void {
    const missing: number[] = [];
    for (const key of keys) {
      const at = this.find(list, key);
      if (at < 0) missing.push(key);
      else this.counts[at] = (this.counts[at] as number) + 1;
    }
    if (missing.length === 0) return;
    const length = this.length(list) + missing.length;
    this.reserve(list, length);
    const start = this.start(list);
    let end = this.end(list);
    for (let by = missing.length; by > 0; by--) {
      const key = missing[by - 1] as number;
      const at = lowerBound(this.keys, key, start, end);
      this.#move(at + by, at, end);
      this.keys[at + by - 1] = key;
      this.counts[at + by - 1] = 1;
      end = at;
    }
    this.#lengths[list] = length;
  }

  /** The inverse of {@link increment}: a pair whose count would be 0 is removed. */
  decrement(list: number, keys: readonly number[]): void {
    const gone: number[] = [];
    for (const key of keys) {
      const at = this.#placeOf(list, key);
      this.counts[at] = (this.counts[at] as number) - 1;
      if (this.counts[at] === 0) gone.push(at);
    }
    const end = this.end(list);
    for (const [place, at] of gone.entries()) this.#move(at - place, at + 1, gone[place + 1] ?? end);
    this.#lengths[list] = this.length(list) - gone.length;
    if (this.length(list) === 0) this.clear(list);
  }

  clear(list: number): void {
    this.#giveBack(this.#classes[list] ?? 0, this.start(list));
    this.#classes[list] = 0;
    this.#lengths[list] = 0;
  }

  /** Makes room for `length` pairs: a list that is built pair by pair would move several times. */
  reserve(list: number, length: number): void {
    if (list >= this.#starts.length) this.#growLists(list + 1);
    const before = this.#classes[list] ?? 0;
    if (before > 0 && length <= sizeOf(before)) return;
    const sizeClass = sizeClassOf(length);
    const to = this.#block(sizeClass);
    const from = this.start(list);
    this.#move(to, from, from + this.length(list));
    this.#giveBack(before, from);
    this.#starts[list] = to;
    this.#classes[list] = sizeClass;
  }

  /** The start of an unused block. Other blocks may move. */
  #block(sizeClass: number): number {
    const size = sizeOf(sizeClass);
    const free = this.#free[sizeClass - 1]?.pop();
    if (free !== undefined) {
      this.#unused -= size;
      return free;
    }
    if (this.#used + size > this.keys.length) {
      if (this.#unused > this.#used * MOST_UNUSED) this.#compact();
      if (this.#used + size > this.keys.length) {
        const capacity = Math.ceil((this.#used + size) * GROWTH);
        this.keys = grown(this.keys, capacity);
        this.counts = grown(this.counts, capacity);
      }
    }
    this.#used += size;
    return this.#used - size;
  }

  #giveBack(sizeClass: number, start: number): void {
    if (sizeClass === 0) return;
    this.#free[sizeClass - 1]?.push(start);
    this.#unused += sizeOf(sizeClass);
  }

  #compact(): void {
    const { keys, counts } = this;
    const starts = this.#starts.slice();
    this.#used -= this.#unused;
    this.#unused = 0;
    for (const blocks of this.#free) blocks.length = 0;
    this.keys = this.#keys(Math.ceil(this.#used * GROWTH));
    this.counts = this.#counts(this.keys.length);
    let used = 0;
    for (const [list, sizeClass] of this.#classes.entries()) {
      if (sizeClass === 0) continue;
      const from = starts[list] as number;
      const to = from + this.length(list);
      this.keys.set(keys.subarray(from, to), used);
      this.counts.set(counts.subarray(from, to), used);
      this.#starts[list] = used;
      used += sizeOf(sizeClass);
    }
  }

  #move(to: number, from: number, end: number): void {
    if (from >= end) return;
    moveWithin(this.keys, to, from, end);
    moveWithin(this.counts, to, from, end);
  }

  #placeOf(list: number, key: number): number {
    const at = this.find(list, key);
    if (at < 0) throw new Error(`list ${list} has no key ${key}`);
    return at;
  }

  #keys(length: number): Uint32Array {
    return this.options.shared === true ? sharedArray(Uint32Array, length) : new Uint32Array(length);
  }

  #counts(length: number): Uint16Array | Uint32Array {
    if (this.options.countBits === 32) return this.#keys(length);
    return this.options.shared === true ? sharedArray(Uint16Array, length) : new Uint16Array(length);
  }

  #growLists(lists: number): void {
    const capacity = Math.max(lists, Math.ceil(this.#starts.length * GROWTH));
    this.#starts = grown(this.#starts, capacity);
    this.#lengths = grown(this.#lengths, capacity);
    this.#classes = grown(this.#classes, capacity);
  }
}

/**
 * Many sorted lists of pairs (key, count) in two flat arrays: an array object for each of 100,000 short
 * lists would weigh several times what it holds. A list that outgrows its block moves to a larger one, and the block it
 * leaves is used again.
 */
export class PackedLists {
  /** Key and count of every pair; a list's pairs lie from {@link start} to {@link end}, by ascending key. */
  keys = new Uint32Array(1024);
  counts: Uint16Array | Uint32Array;
  #used = 0;
  #starts = new Uint32Array(64);
  #lengths = new Uint32Array(64);
  /** By list: the size class of its block, counted from 1; 0 where it has none. */
  #classes = new Uint8Array(64);
  /** By size class: where blocks of that size lie unused. */
  readonly #free: number[][] = SIZES.map(() => []);
  readonly #Counts: typeof Uint16Array | typeof Uint32Array;

  /** A pair takes 6 bytes, or 8 where counts need more than 16 bits. */
  constructor(Counts: typeof Uint16Array | typeof Uint32Array = Uint16Array) {
    this.#Counts = Counts;
    this.counts = new Counts(this.keys.length);
  }

  /** The size of the arrays. */
  get bytes(): number {
    const arrays = [this.keys, this.counts, this.#starts, this.#lengths, this.#classes];
    return arrays.reduce((sum, array) => sum + array.byteLength, 0);
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

  /** Where the key lies in {@link keys}, or -1. */
  find(list: number, key: number): number {
    const at = this.#lowerBound(list, key);
    return at < this.end(list) && this.keys[at] === key ? at : -1;
  }

  /** Adds a pair whose key is not yet in the list. `count` is above 0 and fits into the counts. */
  insert(list: number, key: number, count: number): void {
    this.reserve(list, this.length(list) + 1);
    const end = this.end(list);
    // New cards get growing numbers, so a pair nearly always belongs at the end.
    const at = end === this.start(list) || (this.keys[end - 1] ?? 0) < key ? end : this.#lowerBound(list, key);
    if (at < end) {
      this.keys.copyWithin(at + 1, at, end);
      this.counts.copyWithin(at + 1, at, end);
    }
    this.keys[at] = key;
    this.counts[at] = count;
    this.#lengths[list] = this.length(list) + 1;
  }

  /** Removes a pair that is in the list. */
  remove(list: number, key: number): void {
    const at = this.find(list, key);
    if (at < 0) throw new Error(`list ${list} has no key ${key}`);
    const end = this.end(list);
    this.keys.copyWithin(at, at + 1, end);
    this.counts.copyWithin(at, at + 1, end);
    this.#lengths[list] = this.length(list) - 1;
    if (this.length(list) === 0) this.clear(list);
  }

  /** Empties the list and gives its block back. */
  clear(list: number): void {
    const sizeClass = this.#classes[list] ?? 0;
    if (sizeClass > 0) this.#free[sizeClass - 1]?.push(this.start(list));
    this.#classes[list] = 0;
    this.#lengths[list] = 0;
  }

  /** Makes room for `length` pairs; without it, a list built pair by pair moves several times. */
  reserve(list: number, length: number): void {
    if (list >= this.#starts.length) this.#growLists(list + 1);
    const before = this.#classes[list] ?? 0;
    if (before > 0 && length <= (SIZES[before - 1] ?? 0)) return;
    const sizeClass = sizeClassOf(length);
    const from = this.start(list);
    const to = this.#block(sizeClass);
    this.keys.copyWithin(to, from, from + this.length(list));
    this.counts.copyWithin(to, from, from + this.length(list));
    if (before > 0) this.#free[before - 1]?.push(from);
    this.#starts[list] = to;
    this.#classes[list] = sizeClass;
  }

  #block(sizeClass: number): number {
    const free = this.#free[sizeClass - 1]?.pop();
    if (free !== undefined) return free;
    const start = this.#used;
    this.#used += SIZES[sizeClass - 1] ?? 0;
    if (this.#used > this.keys.length) {
      const capacity = Math.max(this.#used, Math.ceil(this.keys.length * GROWTH));
      this.keys = grown(new Uint32Array(capacity), this.keys);
      this.counts = grown(new this.#Counts(capacity), this.counts);
    }
    return start;
  }

  #growLists(lists: number): void {
    const capacity = Math.max(lists, Math.ceil(this.#starts.length * GROWTH));
    this.#starts = grown(new Uint32Array(capacity), this.#starts);
    this.#lengths = grown(new Uint32Array(capacity), this.#lengths);
    this.#classes = grown(new Uint8Array(capacity), this.#classes);
  }

  #lowerBound(list: number, key: number): number {
    let low = this.start(list);
    let high = this.end(list);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.keys[middle] ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Arrays grow by a quarter: a fifth of them at most is empty, and an element is copied about four times on its way. */
const GROWTH = 1.25;

/** The sizes of blocks, in pairs: 1, 2, 3, 4, 5, 7, 9, ... each a quarter larger; the last holds every card there can be. */
const SIZES: readonly number[] = (() => {
  const sizes = [1];
  for (let size = 1; size < 2 ** 26; sizes.push(size)) size = Math.max(size + 1, Math.ceil(size * GROWTH));
  return sizes;
})();

/** The smallest class that holds `length` pairs, counted from 1. */
function sizeClassOf(length: number): number {
  const index = SIZES.findIndex((size) => size >= length);
  if (index < 0) throw new RangeError(`a list of ${length} pairs is too long`);
  return index + 1;
}

function grown<T extends Uint32Array | Uint16Array | Uint8Array>(to: T, from: T): T {
  to.set(from);
  return to;
}

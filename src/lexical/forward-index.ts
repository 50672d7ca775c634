import { grown } from './arrays.js';
import { GROWTH } from './block-sizes.js';
import type { Pairs } from './pairs.js';

/** Lists that are written anew leave bytes behind; when they are a third of all, the others are moved together. */
const MOST_UNUSED = 1 / 3;

/** Bytes that a pair takes at most: five of its key, three of its count. */
const PAIR_BYTES = 8;

/** A forward index: list `i` is the bytes from `starts[i]` to `ends[i]`. */
export interface ForwardIndexSnapshot {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

/**
 * A forward index: by doc (or label), a sorted list of pairs of a key and its count, which is always written as a
 * whole. A pair is the gap to the key before it and whether its count is 1, as a number of 7 bits a byte, then any
 * other count alike: 2.3 bytes, beside 6 in `Postings`, which change pair by pair and are read faster.
 */
export class ForwardIndex {
  #bytes: Uint8Array = new Uint8Array(1024);
  /** Written bytes, and those of them that no list uses. */
  #used = 0;
  #unused = 0;
  #starts = new Uint32Array(64);
  #ends = new Uint32Array(64);
  /** What was read last. */
  #keys = new Uint32Array(256);
  #counts = new Uint16Array(256);

  get bytes(): number {
    return [this.#bytes, this.#starts, this.#ends].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  has(list: number): boolean {
    return (this.#ends[list] ?? 0) > (this.#starts[list] ?? 0);
  }

  /** Valid until the next call of a method of these lists. */
  pairsOf(list: number): Pairs {
    const end = this.read(list);
    return { keys: this.#keys, counts: this.#counts, start: 0, end };
  }

  /** The keys of the list that was read last, and their counts. */
  get keys(): Uint32Array {
    return this.#keys;
  }

  get counts(): Uint16Array {
    return this.#counts;
  }

  /** As {@link pairsOf}: a list's keys, ascending. */
  keysOf(list: number): Uint32Array {
    const end = this.read(list);
    return this.#keys.subarray(0, end);
  }

  /** Writes an empty list: keys below 2 ** 31, ascending, each once, with counts of 1 to 65,535. */
  write(list: number, { keys, counts, start, end }: Pairs): void {
    if (list >= this.#starts.length) this.#growLists(list + 1);
    this.#makeRoom(PAIR_BYTES * (end - start));
    const bytes = this.#bytes;
    let to = this.#used;
    let before = -1;
    for (let at = start; at < end; at++) {
      const key = keys[at] as number;
      const count = counts[at] as number;
      let rest = 2 * (key - before - 1) + (count === 1 ? 0 : 1);
      before = key;
      for (; rest > 127; rest >>>= 7) bytes[to++] = (rest & 127) | 128;
      bytes[to++] = rest;
      if (count === 1) continue;
      for (rest = count; rest > 127; rest >>>= 7) bytes[to++] = (rest & 127) | 128;
      bytes[to++] = rest;
    }
    this.#starts[list] = this.#used;
    this.#ends[list] = to;
    this.#used = to;
  }

  /** Writes an empty list of these keys, in any order and each once, with the count 1. */
  fill(list: number, keys: Iterable<number>): void {
    const sorted = Uint32Array.from(new Set(keys)).sort();
    this.write(list, { keys: sorted, counts: new Uint16Array(sorted.length).fill(1), start: 0, end: sorted.length });
  }

  clear(list: number): void {
    if (!this.has(list)) return;
    this.#unused += (this.#ends[list] as number) - (this.#starts[list] as number);
    this.#starts[list] = 0;
    this.#ends[list] = 0;
  }

  /** The first `lists` lists: a copy of their bytes. */
  snapshot(lists: number): ForwardIndexSnapshot {
    if (lists > this.#starts.length) this.#growLists(lists);
    return {
      starts: this.#starts.slice(0, lists),
      ends: this.#ends.slice(0, lists),
      bytes: this.#bytes.slice(0, this.#used),
    };
  }

  /** These lists, one behind the other. */
  snapshotOf(lists: Uint32Array): ForwardIndexSnapshot {
    const starts = new Uint32Array(lists.length);
    const ends = new Uint32Array(lists.length);
    let used = 0;
    for (const [place, list] of lists.entries()) {
      starts[place] = used;
      used += (this.#ends[list] ?? 0) - (this.#starts[list] ?? 0);
      ends[place] = used;
    }
    const bytes = new Uint8Array(used);
    for (const [place, list] of lists.entries()) {
      // Lists are short: a call of `set` for each takes longer than this loop.
      const by = (this.#starts[list] ?? 0) - (starts[place] as number);
      const end = ends[place] as number;
      for (let at = starts[place] as number; at < end; at++) bytes[at] = this.#bytes[at + by] as number;
    }
    return { starts, ends, bytes };
  }

  /** Fills empty lists with a snapshot, whose bytes are not copied. */
  restore({ starts, ends, bytes }: ForwardIndexSnapshot): void {
    this.#bytes = bytes;
    this.#starts = starts.slice();
    this.#ends = ends.slice();
    this.#used = bytes.length;
    this.#unused = bytes.length;
    for (let list = 0; list < starts.length; list++) this.#unused -= (ends[list] as number) - (starts[list] as number);
  }

  /** Reads a list into {@link keys} and {@link counts}; returns how many pairs it has. */
  read(list: number): number {
    const bytes = this.#bytes;
    let at = this.#starts[list] ?? 0;
    const end = this.#ends[list] ?? 0;
    // A pair takes at least a byte.
    if (end - at > this.#keys.length) {
      this.#keys = new Uint32Array(2 * (end - at));
      this.#counts = new Uint16Array(2 * (end - at));
    }
    const keys = this.#keys;
    const counts = this.#counts;
    let size = 0;
    let key = -1;
    while (at < end) {
      let byte = bytes[at++] as number;
      let value = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] as number;
        value |= (byte & 127) << shift;
      }
      key += (value >>> 1) + 1;
      let count = 1;
      if ((value & 1) === 1) {
        byte = bytes[at++] as number;
        count = byte & 127;
        for (let shift = 7; byte > 127; shift += 7) {
          byte = bytes[at++] as number;
          count |= (byte & 127) << shift;
        }
      }
      keys[size] = key;
      counts[size++] = count;
    }
    return size;
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return;
    if (this.#unused > this.#used * MOST_UNUSED) this.#compact();
    if (this.#used + bytes > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, Math.ceil((this.#used + bytes) * GROWTH));
    }
  }

  #compact(): void {
    const from = this.#bytes;
    this.#bytes = new Uint8Array(Math.ceil((this.#used - this.#unused) * GROWTH));
    this.#used = 0;
    this.#unused = 0;
    for (let list = 0; list < this.#starts.length; list++) {
      const [start, end] = [this.#starts[list] as number, this.#ends[list] as number];
      if (end === start) continue;
      this.#bytes.set(from.subarray(start, end), this.#used);
      this.#starts[list] = this.#used;
      this.#used += end - start;
      this.#ends[list] = this.#used;
    }
  }

  #growLists(lists: number): void {
    const capacity = Math.max(lists, Math.ceil(this.#starts.length * GROWTH));
    this.#starts = grown(this.#starts, capacity);
    this.#ends = grown(this.#ends, capacity);
  }
}

/** Bits of a word. */
const WORD = 32;

/** A bitmap over doc numbers: of 50,000 cards 6 KB. */
export class DocSet {
  readonly #words: Uint32Array;

  /** Empty, for doc numbers below `docs`. */
  constructor(docs: number) {
    this.#words = new Uint32Array(Math.ceil(docs / WORD));
  }

  /** Takes a multiple of 32 docs. */
  get capacity(): number {
    return this.#words.length * WORD;
  }

  get size(): number {
    let size = 0;
    for (let at = 0; at < this.#words.length; at++) size += ones(this.#words[at] as number);
    return size;
  }

  has(doc: number): boolean {
    return (((this.#words[doc >>> 5] ?? 0) >>> (doc & 31)) & 1) === 1;
  }

  /** `doc` is below the capacity. */
  add(doc: number): void {
    this.#words[doc >>> 5] = (this.#words[doc >>> 5] as number) | (1 << (doc & 31));
  }

  delete(doc: number): void {
    if (doc < this.capacity) this.#words[doc >>> 5] = (this.#words[doc >>> 5] as number) & ~(1 << (doc & 31));
  }

  /** A copy for doc numbers below `docs`, which no member exceeds. */
  grown(docs: number): DocSet {
    const copy = new DocSet(docs);
    copy.#words.set(this.#words.subarray(0, copy.#words.length));
    return copy;
  }

  /** Drops what is not in `other`. */
  intersect(other: DocSet): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at++) words[at] = (words[at] as number) & (other.#words[at] ?? 0);
  }

  /** Drops each doc whose code (by doc) has a 0 in `isKept` (by code). */
  keepCodes(codes: Uint32Array | Uint16Array, isKept: Uint8Array): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at++) {
      if (words[at] === 0) continue;
      const first = at * WORD;
      let bits = 0;
      // Without a branch: whether a card matches is what a processor cannot predict.
      for (let bit = 0; bit < WORD; bit++) bits |= (isKept[codes[first + bit] as number] as number) << bit;
      words[at] = (words[at] as number) & bits;
    }
  }

  /** Drops each doc whose value (by doc) is not in `from` (inclusive) .. `to` (exclusive). */
  keepRange(values: Float64Array, from: number, to: number): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at++) {
      if (words[at] === 0) continue;
      const first = at * WORD;
      let bits = 0;
      for (let bit = 0; bit < WORD; bit++) {
        const value = values[first + bit] as number;
        bits |= (Number(value >= from) & Number(value < to)) << bit;
      }
      words[at] = (words[at] as number) & bits;
    }
  }

  /** Ascending. */
  docs(): Uint32Array {
    const docs = new Uint32Array(this.size);
    let found = 0;
    for (let at = 0; at < this.#words.length; at++) {
      for (let word = this.#words[at] as number; word !== 0; word &= word - 1) {
        docs[found++] = at * WORD + (31 - Math.clz32(word & -word));
      }
    }
    return docs;
  }
}

/** How many bits of a word are set. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

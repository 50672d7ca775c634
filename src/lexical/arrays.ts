type Numbers = Uint8Array | Uint16Array | Int16Array | Uint32Array | Float64Array;

/** A longer array of the same type with the same values, and zeros behind them. */
export function grown<T extends Numbers>(from: T, capacity: number): T {
  const to = new (from.constructor as new (length: number) => T)(capacity);
  to.set(from);
  return to;
}

/**
 * An array that is reused: one of hundreds of kilobytes that is allocated anew for each search costs a page fault for each of
 * its pages.
 */
export class Scratch<T extends Float64Array | Int32Array> {
  readonly #Type: new (
    length: number,
  ) => T;
  #array: T;

  constructor(Type: new (length: number) => T) {
    this.#Type = Type;
    this.#array = new Type(0);
  }

  /** An array of zeros, valid until the next call. */
  zeros(length: number): T {
    if (length > this.#array.length) this.#array = new this.#Type(Math.ceil(1.2 * length));
    return this.#array.subarray(0, length).fill(0) as T;
  }
}

/** Merges sorted arrays into one that is reused: done for every card and label of a restored snapshot. */
export class SortedUnion {
  #room = new Uint32Array(256);

  /** The values of both arrays (ascending), ascending, each once. A view, valid until the next call. */
  of(a: Uint32Array, b: Uint32Array): Uint32Array {
    if (this.#room.length < a.length + b.length) this.#room = new Uint32Array(2 * (a.length + b.length));
    const room = this.#room;
    let size = 0;
    let i = 0;
    let j = 0;
    while (i < a.length || j < b.length) {
      const x = a[i] ?? Number.POSITIVE_INFINITY;
      const y = b[j] ?? Number.POSITIVE_INFINITY;
      room[size++] = x <= y ? x : y;
      if (x <= y) i += 1;
      if (y <= x) j += 1;
    }
    return room.subarray(0, size);
  }
}

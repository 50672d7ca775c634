type Numbers = Uint8Array | Uint16Array | Int16Array | Int32Array | Uint32Array | Float64Array;

interface ArrayType<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: SharedArrayBuffer): T;
}

/** Zeros in memory that scoring threads read too. Only this thread may write it. */
export function sharedArray<T extends Numbers>(Type: ArrayType<T>, length: number): T {
  return new Type(new SharedArrayBuffer(length * Type.BYTES_PER_ELEMENT));
}

/** A longer array of the same type in the same kind of memory, with the same values and zeros behind them. */
export function grown<T extends Numbers>(from: T, capacity: number): T {
  const Type = from.constructor as ArrayType<T> & (new (length: number) => T);
  const to = from.buffer instanceof SharedArrayBuffer ? sharedArray(Type, capacity) : new Type(capacity);
  to.set(from);
  return to;
}

/** A call of `copyWithin` costs as much as moving so many values in a loop. */
const FEW = 64;

/**
 * `copyWithin`, which V8 carries out byte by byte in shared memory unless both places are aligned alike: 20 µs for 80
 * KB beside 13 in this loop and .6 in memory of its own.
 */
export function moveWithin(array: Uint32Array | Uint16Array, to: number, from: number, end: number): void {
  if (end - from > FEW && !(array.buffer instanceof SharedArrayBuffer)) array.copyWithin(to, from, end);
  else if (array instanceof Uint32Array) moveWords(array, to, from, end);
  else moveHalfWords(array, to, from, end);
}

function moveWords(array: Uint32Array, to: number, from: number, end: number): void {
  const by = to - from;
  if (by > 0) for (let at = end - 1; at >= from; at--) array[at + by] = array[at] as number;
  else for (let at = from; at < end; at++) array[at + by] = array[at] as number;
}

/** The same: in one function for both types V8 looks the type up for each element. */
function moveHalfWords(array: Uint16Array, to: number, from: number, end: number): void {
  const by = to - from;
  if (by > 0) for (let at = end - 1; at >= from; at--) array[at + by] = array[at] as number;
  else for (let at = from; at < end; at++) array[at + by] = array[at] as number;
}

/**
 * Numbers the values of these arrays (each below `below`) anew, in their order and without gaps, in place; returns the
 * old number of each new one.
 */
export function renumber(arrays: readonly Uint32Array[], below: number): Uint32Array {
  const numbers = new Uint32Array(below);
  for (const array of arrays) for (let at = 0; at < array.length; at++) numbers[array[at] as number] = 1;
  const kept = numberKept(numbers);
  for (const array of arrays) {
    for (let at = 0; at < array.length; at++) array[at] = numbers[array[at] as number] as number;
  }
  return kept;
}

/** Replaces each 1 by its place among all, from 0 on; returns where they are. */
export function numberKept(flags: Uint32Array): Uint32Array {
  const kept = new Uint32Array(flags.reduce((sum, flag) => sum + flag, 0));
  let size = 0;
  for (let value = 0; value < flags.length; value++) {
    if (flags[value] === 0) continue;
    flags[value] = size;
    kept[size++] = value;
  }
  return kept;
}

/**
 * An array that is reused: one of hundreds of kilobytes that is allocated anew for each search costs a page fault for
 * each of its pages.
 */
export class Scratch<T extends Float64Array | Int32Array | Uint32Array> {
  #array: T;

  constructor(private readonly Type: new (length: number) => T) {
    this.#array = new Type(0);
  }

  /** An array of zeros, valid until the next call. */
  zeros(length: number): T {
    return this.any(length).fill(0) as T;
  }

  /** An array of any values, valid until the next call. */
  any(length: number): T {
    if (length > this.#array.length) this.#array = new this.Type(Math.ceil(1.2 * length));
    return this.#array.subarray(0, length) as T;
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

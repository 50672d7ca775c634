/** Unites sorted lists, in memory that is used again. */
export class SortedUnion {
  #room = new Uint32Array(256);

  /** What is in either list, ascending, each once; both are ascending. A view, valid until the next call. */
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

/**
 * Room for numbers that is used again and again: an array of hundreds of kilobytes that is made anew for each search is given
 * page by page by the system, which takes time with each page that is touched first.
 */
export class Scratch {
  #room = new Float64Array(0);

  /** An array of this length, with whatever the last user left in it; the same room as every time. */
  of(length: number): Float64Array {
    if (length > this.#room.length) this.#room = new Float64Array(Math.ceil(1.2 * length));
    return this.#room.subarray(0, length);
  }
}

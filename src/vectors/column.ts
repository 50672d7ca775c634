import { grown } from '../lexical/arrays.js';

/** Rows whose columns lie together: their numbers have 16 bits. */
const SEGMENT = 65_536;

/** The values of one dimension that are not 0, each with its row, by segments of rows. */
export class Column {
  readonly #segments: (Segment | undefined)[] = [];

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + (segment?.bytes ?? 0), 0);
  }

  /** The row must not have a value yet; `value` is a whole number of 16 bits. */
  add(row: number, value: number): void {
    const place = Math.floor(row / SEGMENT);
    this.#segments[place] ??= new Segment();
    this.#segments[place].add(row % SEGMENT, value);
  }

  /** Adds `factor` times each value to the sum of its row. */
  addTo(sums: Int32Array, factor: number): void {
    for (const [place, segment] of this.#segments.entries()) segment?.addTo(sums.subarray(place * SEGMENT), factor);
  }

  /** The values under other row numbers, without those whose number becomes -1. */
  renumbered(rowOf: Int32Array): Column {
    const column = new Column();
    for (const [place, segment] of this.#segments.entries()) {
      segment?.forEach((row, value) => {
        const to = rowOf[place * SEGMENT + row] as number;
        if (to >= 0) column.add(to, value);
      });
    }
    return column;
  }
}

/** Memory of a segment beside its values: with 200 cards it is ten times those. */
const SEGMENT_BYTES = 640;

/** 4 bytes a value. */
class Segment {
  #rows = new Uint16Array(4);
  #values = new Int16Array(4);
  #length = 0;

  get bytes(): number {
    return SEGMENT_BYTES + this.#rows.byteLength + this.#values.byteLength;
  }

  add(row: number, value: number): void {
    if (this.#length === this.#rows.length) {
      const capacity = Math.ceil(this.#length * 1.3) + 4;
      this.#rows = grown(this.#rows, capacity);
      this.#values = grown(this.#values, capacity);
    }
    this.#rows[this.#length] = row;
    this.#values[this.#length++] = value;
  }

  forEach(visit: (row: number, value: number) => void): void {
    for (let at = 0; at < this.#length; at++) visit(this.#rows[at] as number, this.#values[at] as number);
  }

  addTo(sums: Int32Array, factor: number): void {
    const rows = this.#rows;
    const values = this.#values;
    const length = this.#length;
    let at = 0;
    // Unrolled: an exact search spends much of its time here.
    for (const end = length - 3; at < end; at += 4) {
      const a = rows[at] as number;
      const b = rows[at + 1] as number;
      const c = rows[at + 2] as number;
      const d = rows[at + 3] as number;
      sums[a] = (sums[a] as number) + Math.imul(factor, values[at] as number);
      sums[b] = (sums[b] as number) + Math.imul(factor, values[at + 1] as number);
      sums[c] = (sums[c] as number) + Math.imul(factor, values[at + 2] as number);
      sums[d] = (sums[d] as number) + Math.imul(factor, values[at + 3] as number);
    }
    for (; at < length; at++) {
      const row = rows[at] as number;
      sums[row] = (sums[row] as number) + Math.imul(factor, values[at] as number);
    }
  }
}

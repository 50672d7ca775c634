import { sharedArray } from '../lexical/arrays.js';

/**
 * Where memory is shared, V8 copies runs of 8 bytes whole, others byte by byte: blocks begin and end at multiples of so
 * many.
 */
const ALIGNED = 2;

/** When a column is full, it moves to a block that is larger by a third. */
const COLUMN_GROWTH = 1.3;

/** After a compaction a fifth of the array is free. */
const GROWTH = 1.25;

/** Numbers beside the values of each dimension: where its column starts, its length and its room. */
const COLUMN_BYTES = 12;

/**
 * The columns of a segment's rows in a flat array, which scoring threads read: of each dimension the values that are
 * not 0, each with its row in the upper 16 bits. One array of both is read faster than two.
 */
export class ColumnSegment {
  cells = sharedArray(Uint32Array, 0);
  /** By dimension. */
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  readonly #rooms: number[] = [];
  #used = 0;

  get bytes(): number {
    return this.cells.byteLength + COLUMN_BYTES * this.#starts.length;
  }

  /** Where the values of a dimension start and end in `cells`; the same where it has none. */
  start(dimension: number): number {
    return this.#starts[dimension] ?? 0;
  }

  end(dimension: number): number {
    return this.start(dimension) + (this.#lengths[dimension] ?? 0);
  }

  /** `row` is above all rows that have a value; `value` is a whole number of 16 bits. */
  add(dimension: number, row: number, value: number): void {
    for (let next = this.#starts.length; next <= dimension; next++) {
      this.#starts[next] = 0;
      this.#lengths[next] = 0;
      this.#rooms[next] = 0;
    }
    const length = this.#lengths[dimension] as number;
    if (length === this.#rooms[dimension]) this.#enlarge(dimension);
    this.cells[this.end(dimension)] = (row << 16) | (value & 0xffff);
    this.#lengths[dimension] = length + 1;
  }

  #enlarge(dimension: number): void {
    const room = aligned((this.#rooms[dimension] as number) * COLUMN_GROWTH + 1);
    if (this.#used + room > this.cells.length) this.#compact(room);
    this.cells.copyWithin(this.#used, this.start(dimension), this.end(dimension));
    this.#starts[dimension] = this.#used;
    this.#rooms[dimension] = room;
    this.#used += room;
  }

  /** Once no row will be added any more: gives back the space for more values, a fifth to a third of the array. */
  seal(): void {
    for (let dimension = 0; dimension < this.#rooms.length; dimension++) {
      this.#rooms[dimension] = aligned(this.#lengths[dimension] as number);
    }
    this.#move(this.#kept());
  }

  /** Moves all columns together in a longer array, with space for another `room` values. */
  #compact(room: number): void {
    this.#move((this.#kept() + room) * GROWTH);
  }

  #kept(): number {
    return this.#rooms.reduce((sum, one) => sum + one, 0);
  }

  #move(capacity: number): void {
    const { cells } = this;
    this.cells = sharedArray(Uint32Array, aligned(capacity));
    this.#used = 0;
    for (let dimension = 0; dimension < this.#starts.length; dimension++) {
      const from = this.start(dimension);
      const to = from + (this.#rooms[dimension] as number);
      this.cells.set(cells.subarray(from, to), this.#used);
      this.#starts[dimension] = this.#used;
      this.#used += to - from;
    }
  }
}

function aligned(length: number): number {
  return ALIGNED * Math.ceil(length / ALIGNED);
}

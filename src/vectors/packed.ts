import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { CardVectors, ComparableVectors } from '../domain/ports/vectors.js';
import { dot } from './dot.js';

/** What stands before the values: three numbers, the passages of each perspective, then where each passage's values end. */
const HEADER = { revision: 0, dims: 1, form: 2, passages: 3, ends: 3 + PERSPECTIVES.length } as const;

/** Every value of every passage; or the values that are not 0, and after them which dimension each is of. */
const FORM = { dense: 0, sparse: 1 } as const;

/** A place in a vector is kept in 16 bits; longer vectors are kept whole. */
const MOST_SPARSE_DIMS = 65_536;

/**
 * All vectors of one card as one run of bytes, which is what is stored, kept in memory and compared: 32-bit numbers, then
 * 32-bit floats, then 16-bit places where the vectors are mostly zeros. A text that a model reads has no zeros and is kept
 * whole; the built-in embedder's vectors have a value for each feature of the text, and take a fraction of the room and of the
 * time to compare (`npm run bench -- costs`). Nothing is lost: what is left out would have added 0.
 */
export class PackedVectors implements ComparableVectors {
  readonly revision: number;
  /** All of it, as it is stored; the machine's own byte order, for a store that never leaves it. */
  readonly bytes: Uint8Array;
  readonly #header: Uint32Array;
  readonly #values: Float32Array;
  /** Null: every value is there, in order. */
  readonly #places: Uint16Array | null;

  private constructor(bytes: Uint8Array<ArrayBuffer>) {
    const { buffer } = bytes;
    const words = new Uint32Array(buffer, 0, buffer.byteLength >> 2);
    let passages = 0;
    for (let at = HEADER.passages; at < HEADER.ends; at++) passages += words[at] as number;
    const values = HEADER.ends + passages;
    const total = passages === 0 ? 0 : (words[values - 1] as number);
    this.revision = words[HEADER.revision] as number;
    this.bytes = bytes;
    this.#header = words;
    this.#values = new Float32Array(buffer, 4 * values, total);
    this.#places = words[HEADER.form] === FORM.sparse ? new Uint16Array(buffer, 4 * (values + total), total) : null;
  }

  /** Packs a card's vectors. An error where they are not all of one length. */
  static of({ revision, passages }: CardVectors): PackedVectors {
    const vectors = PERSPECTIVES.flatMap((perspective) => passages[perspective].map(({ vector }) => vector));
    const dims = vectors[0]?.length ?? 0;
    for (const { length } of vectors) {
      if (length !== dims) throw new Error(`vectors of ${dims} and ${length} dimensions meet`);
    }
    const filled = vectors.map(nonZeros);
    const kept = filled.reduce((sum, count) => sum + count, 0);
    const all = dims * vectors.length;
    const sparse = dims <= MOST_SPARSE_DIMS && 6 * kept < 4 * all;
    const total = sparse ? kept : all;
    const bytes = new Uint8Array(4 * (HEADER.ends + vectors.length) + (sparse ? 6 : 4) * total);
    let end = 0;
    const ends = filled.map((count) => (end += sparse ? count : dims));
    const counts = PERSPECTIVES.map((perspective) => passages[perspective].length);
    const header = [revision, dims, sparse ? FORM.sparse : FORM.dense, ...counts, ...ends];
    new Uint32Array(bytes.buffer, 0, header.length).set(header);
    const packed = new PackedVectors(bytes);
    packed.#fill(vectors);
    return packed;
  }

  /** Reads what {@link bytes} was; `stored` may be reused by its owner at once. */
  static read(stored: Uint8Array): PackedVectors {
    return new PackedVectors(new Uint8Array(stored));
  }

  get passages(): ByPerspective<readonly { readonly vector: Float32Array }[]> {
    const dims = this.#header[HEADER.dims] ?? 0;
    return byPerspective((perspective) => {
      const first = this.#first(perspective);
      return Array.from({ length: this.count(perspective) }, (_, passage) => {
        const [start, end] = [this.#start(first + passage), this.#start(first + passage + 1)];
        if (this.#places === null) return { vector: this.#values.slice(start, end) };
        const vector = new Float32Array(dims);
        for (let at = start; at < end; at++) vector[this.#places[at] as number] = this.#values[at] as number;
        return { vector };
      });
    });
  }

  similarity(perspective: Perspective, queries: readonly Float32Array[]): number | null {
    const count = this.count(perspective);
    if (count === 0 || queries.length === 0) return null;
    const first = this.#first(perspective);
    let best = 0;
    for (const query of queries) {
      if (query.length !== this.#header[HEADER.dims]) {
        throw new Error(`vectors of ${query.length} and ${this.#header[HEADER.dims]} dimensions meet`);
      }
      for (let passage = first; passage < first + count; passage++) {
        best = Math.max(best, this.#dot(query, this.#start(passage), this.#start(passage + 1)));
      }
    }
    // Rounding may lift the product of equal unit vectors above 1.
    return Math.min(1, best);
  }

  /** Whether there are values and most of them are not 0; a card without any text has none. */
  get isDense(): boolean {
    return this.#places === null && this.#values.length > 0;
  }

  /** How many passages of the perspective there are. */
  count(perspective: Perspective): number {
    return this.#header[HEADER.passages + PERSPECTIVES.indexOf(perspective)] ?? 0;
  }

  /** Visits every value of the perspective's passages that is kept, with the passage's place and the dimension's. */
  forEachValue(perspective: Perspective, visit: (passage: number, dimension: number, value: number) => void): void {
    const first = this.#first(perspective);
    for (let passage = 0; passage < this.count(perspective); passage++) {
      const start = this.#start(first + passage);
      const end = this.#start(first + passage + 1);
      for (let at = start; at < end; at++) {
        visit(passage, this.#places === null ? at - start : (this.#places[at] as number), this.#values[at] as number);
      }
    }
  }

  #dot(query: Float32Array, start: number, end: number): number {
    const values = this.#values;
    const places = this.#places;
    if (places === null) return dot(query, values, start);
    let sum = 0;
    for (let at = start; at < end; at++) sum += (values[at] as number) * (query[places[at] as number] as number);
    return sum;
  }

  #fill(vectors: readonly Float32Array[]): void {
    let at = 0;
    for (const vector of vectors) {
      if (this.#places === null) {
        this.#values.set(vector, at);
        at += vector.length;
        continue;
      }
      for (let place = 0; place < vector.length; place++) {
        const value = vector[place] as number;
        if (value === 0) continue;
        this.#values[at] = value;
        this.#places[at++] = place;
      }
    }
  }

  /** The number of the perspective's first passage among all. */
  #first(perspective: Perspective): number {
    let first = 0;
    for (const before of PERSPECTIVES) {
      if (before === perspective) break;
      first += this.count(before);
    }
    return first;
  }

  /** Where a passage's values begin. */
  #start(passage: number): number {
    return passage === 0 ? 0 : (this.#header[HEADER.ends + passage - 1] ?? 0);
  }
}

function nonZeros(vector: Float32Array): number {
  let count = 0;
  for (const value of vector) if (value !== 0) count += 1;
  return count;
}

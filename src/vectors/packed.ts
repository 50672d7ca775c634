import { endianness } from 'node:os';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { CardVectors, ComparableVectors } from '../domain/ports/vectors.js';

/** The header: three numbers, the number of passages of each perspective, then the end of each passage's values. */
const HEADER = { revision: 0, dims: 1, form: 2, passages: 3, ends: 3 + PERSPECTIVES.length } as const;

/** Sparse: the non-zero values, then their dimensions. */
const FORM = { dense: 0, sparse: 1 } as const;

const IS_LITTLE_ENDIAN = endianness() === 'LE';

/** Dimensions have 16 bits; longer vectors are stored dense. */
const MOST_SPARSE_DIMS = 65_536;

/**
 * All vectors of one card in one byte array, in which they are stored, cached and compared: 32-bit numbers, then 32-bit
 * floats, then the 16-bit dimensions of sparse vectors. Vectors of semantic models are dense; those of the built-in
 * embedder are sparse, and take a fraction of the memory and time (`npm run bench -- costs`). Lossless.
 */
export class PackedVectors implements ComparableVectors {
  readonly revision: number;
  /** In the machine's byte order: the store stays on this machine. */
  readonly bytes: Uint8Array;
  readonly #header: Uint32Array;
  readonly #values: Float32Array;
  /** The dimension of each value; null if dense. */
  readonly #dimensions: Uint16Array | null;

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
    this.#dimensions = words[HEADER.form] === FORM.sparse ? new Uint16Array(buffer, 4 * (values + total), total) : null;
  }

  /** Throws unless all vectors have the same length. */
  static of({ revision, passages }: CardVectors): PackedVectors {
    const vectors = PERSPECTIVES.flatMap((perspective) => passages[perspective]);
    const dims = vectors[0]?.length ?? 0;
    for (const { length } of vectors) {
      if (length !== dims) throw new Error(`vectors of ${dims} and ${length} dimensions cannot be compared`);
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

  /** Copies `stored`, the {@link bytes} of another one; undefined for what is none, as in a damaged file. */
  static read(stored: Uint8Array): PackedVectors | undefined {
    return isWhole(stored) ? new PackedVectors(new Uint8Array(stored)) : undefined;
  }

  /** The revision in `stored`, without copying it; undefined as by {@link read}. */
  static revisionIn(stored: Uint8Array): number | undefined {
    return isWhole(stored) ? wordIn(stored, HEADER.revision) : undefined;
  }

  get passages(): ByPerspective<readonly Float32Array[]> {
    const dims = this.#header[HEADER.dims] ?? 0;
    return byPerspective((perspective) => {
      const first = this.#first(perspective);
      return Array.from({ length: this.count(perspective) }, (_, passage) => {
        const [start, end] = [this.#start(first + passage), this.#start(first + passage + 1)];
        if (this.#dimensions === null) return this.#values.slice(start, end);
        const vector = new Float32Array(dims);
        for (let at = start; at < end; at++) vector[this.#dimensions[at] as number] = this.#values[at] as number;
        return vector;
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
        throw new Error(`vectors of ${query.length} and ${this.#header[HEADER.dims]} dimensions cannot be compared`);
      }
      for (let passage = first; passage < first + count; passage++) {
        best = Math.max(best, this.#dot(query, this.#start(passage), this.#start(passage + 1)));
      }
    }
    // Rounding may lift the product of equal unit vectors above 1.
    return Math.min(1, best);
  }

  /** False for a card without any text. */
  get isDense(): boolean {
    return this.#dimensions === null && this.#values.length > 0;
  }

  count(perspective: Perspective): number {
    return this.#header[HEADER.passages + PERSPECTIVES.indexOf(perspective)] ?? 0;
  }

  /** Visits every stored value of the perspective's passages. */
  forEachValue(perspective: Perspective, visit: (passage: number, dimension: number, value: number) => void): void {
    const first = this.#first(perspective);
    for (let passage = 0; passage < this.count(perspective); passage++) {
      const start = this.#start(first + passage);
      const end = this.#start(first + passage + 1);
      for (let at = start; at < end; at++) {
        visit(
          passage,
          this.#dimensions === null ? at - start : (this.#dimensions[at] as number),
          this.#values[at] as number,
        );
      }
    }
  }

  #dot(query: Float32Array, start: number, end: number): number {
    const values = this.#values;
    const dimensions = this.#dimensions;
    if (dimensions === null) return dot(query, values, start);
    let sum = 0;
    for (let at = start; at < end; at++) sum += (values[at] as number) * (query[dimensions[at] as number] as number);
    return sum;
  }

  #fill(vectors: readonly Float32Array[]): void {
    let at = 0;
    for (const vector of vectors) {
      if (this.#dimensions === null) {
        this.#values.set(vector, at);
        at += vector.length;
        continue;
      }
      for (let place = 0; place < vector.length; place++) {
        const value = vector[place] as number;
        if (value === 0) continue;
        this.#values[at] = value;
        this.#dimensions[at++] = place;
      }
    }
  }

  /** Index of the perspective's first passage among the card's passages. */
  #first(perspective: Perspective): number {
    let first = 0;
    for (const before of PERSPECTIVES) {
      if (before === perspective) break;
      first += this.count(before);
    }
    return first;
  }

  #start(passage: number): number {
    return passage === 0 ? 0 : (this.#header[HEADER.ends + passage - 1] ?? 0);
  }
}

function wordIn({ buffer, byteOffset }: Uint8Array, at: number): number {
  return new DataView(buffer, byteOffset).getUint32(4 * at, IS_LITTLE_ENDIAN);
}

/** Whether the header describes bytes of this length. */
function isWhole(stored: Uint8Array): boolean {
  const words = stored.length >> 2;
  if (words < HEADER.ends) return false;
  let values: number = HEADER.ends;
  for (let at = HEADER.passages; at < HEADER.ends; at++) values += wordIn(stored, at);
  if (words < values) return false;
  let total = 0;
  for (let at = HEADER.ends; at < values; at++) {
    const end = wordIn(stored, at);
    if (end < total) return false;
    total = end;
  }
  const isSparse = wordIn(stored, HEADER.form) === FORM.sparse;
  const dims = wordIn(stored, HEADER.dims);
  const isOfDims = isSparse ? dims <= MOST_SPARSE_DIMS : total === (values - HEADER.ends) * dims;
  return isOfDims && stored.length === 4 * values + (isSparse ? 6 : 4) * total;
}

function nonZeros(vector: Float32Array): number {
  let count = 0;
  for (const value of vector) if (value !== 0) count += 1;
  return count;
}

/**
 * Dot product of a vector and the values of `others` from `start` on. Four independent sums, which the processor
 * computes in parallel: `npm run bench -- costs` prints the gain.
 */
export function dot(vector: Float32Array, others: Float32Array, start: number): number {
  const { length } = vector;
  const whole = length - (length % 4);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < whole; at += 4) {
    a += (vector[at] as number) * (others[start + at] as number);
    b += (vector[at + 1] as number) * (others[start + at + 1] as number);
    c += (vector[at + 2] as number) * (others[start + at + 2] as number);
    d += (vector[at + 3] as number) * (others[start + at + 3] as number);
  }
  for (let at = whole; at < length; at++) a += (vector[at] as number) * (others[start + at] as number);
  return a + b + (c + d);
}

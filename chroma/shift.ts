import { rounded } from '../src/domain/vector-rounding.js';
import { fnv1a } from './shards.js';

/**
 * Length of the shift: the cosine of a stored vector with the original is 1 - 5e-7, and that of two shifted equal
 * vectors 1 - 1e-6, which 32-bit distances still tell from 1.
 */
const SHIFT = 1e-3;

/**
 * The vector that is stored for a unit vector: shifted a little, in a direction that the record's id decides. Equal
 * vectors, as all cards with the same topics have, make HNSW slow: among equal distances its choice of neighbours
 * excludes none, so that each new record compares all pairs of neighbours of each of its M neighbours. In a collection
 * of 50,000 a record took 12 ms, and .4 ms with the shift (`npm run bench -- reach --records 50000 --asked 50
 * --perspective concept --shift yes,no`).
 */
export function shifted(recordId: string, vector: Float32Array): Float32Array {
  const direction = directionOf(recordId, vector.length);
  return vector.map((value, at) => value + SHIFT * (direction[at] as number));
}

/**
 * The original of a stored vector, to the last bit if it was {@link rounded}, as the vectors of cards are: Chroma
 * returns vectors in their length, with errors of 2e-7.
 */
export function unshifted(recordId: string, stored: ArrayLike<number>): Float32Array {
  const direction = directionOf(recordId, stored.length);
  return rounded(Float32Array.from(stored, (value, at) => value - SHIFT * (direction[at] as number)));
}

/**
 * A unit vector (`Float32Array[dims]`) whose values differ in their signs alone: random bits of xorshift32, which the
 * FNV-1a hash of the id seeds.
 */
function directionOf(recordId: string, dims: number): Float32Array {
  // xorshift never leaves 0.
  let state = fnv1a(recordId) || 1;
  const part = 1 / Math.sqrt(dims);
  const direction = new Float32Array(dims);
  for (let at = 0; at < dims; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    direction[at] = state < 0 ? -part : part;
  }
  return direction;
}

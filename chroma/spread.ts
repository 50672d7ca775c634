import { rounded } from '../src/domain/vector-rounding.js';

/**
 * How far a stored vector is moved: its cosine with the original is 1 - 5e-7, and that of two equal vectors 1 - 1e-6
 * afterwards, which 32-bit distances still tell from 1.
 */
const SPREAD = 1e-3;

/**
 * The vector that is stored for a unit vector: moved a little, in a direction that the record's id decides. Equal
 * vectors, as all cards with the same topic have, make HNSW slow: among equal distances its choice of neighbours
 * excludes none, so that each new record compares all pairs of M neighbours of each of its neighbours. A record took
 * 11 ms in a collection of 50,000, and .4 ms moved apart (`npm run bench -- reach --perspective concept`).
 */
export function spread(recordId: string, vector: Float32Array): Float32Array {
  const direction = directionOf(recordId, vector.length);
  return vector.map((value, at) => value + SPREAD * (direction[at] as number));
}

/**
 * The vector that {@link spread} was given, to the last bit, if it was rounded, as those of cards are
 * ({@link rounded}): Chroma returns vectors in their length, with errors of 2e-7.
 */
export function gathered(recordId: string, stored: ArrayLike<number>): Float32Array {
  const direction = directionOf(recordId, stored.length);
  return rounded(Float32Array.from(stored, (value, at) => value - SPREAD * (direction[at] as number)));
}

/** A unit vector (`Float32Array[dims]`) of equal parts whose signs are random bits: xorshift32, seeded by FNV-1a. */
function directionOf(recordId: string, dims: number): Float32Array {
  let state = 0x811c9dc5;
  for (let at = 0; at < recordId.length; at++) state = Math.imul(state ^ recordId.charCodeAt(at), 0x01000193);
  // Of 0 xorshift makes 0 for ever.
  state ||= 1;
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

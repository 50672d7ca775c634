/** Values below this have few enough bits as multiples of 2^-31. */
const SMALL = 2 ** -10;
const SMALL_PARTS = 2 ** 31;

/**
 * The vector with 21 significant bits instead of 24 in each value, and of small values multiples of 2^-31, as the
 * vectors of all cards are kept: they survive the rounding of a way through Chroma, so that a gateway that reads one
 * has the same numbers, and the same scores, as the one that wrote it. The length of a unit vector changes by some
 * 1e-7.
 */
export function rounded(vector: Float32Array): Float32Array {
  const values = vector.slice();
  const bits = new Uint32Array(values.buffer);
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    // Not -0, which has other bits.
    if (Math.abs(value) < SMALL) values[at] = Math.round(value * SMALL_PARTS) / SMALL_PARTS + 0;
    // The lowest three bits, of a number without a sign: a carry goes to the exponent.
    else bits[at] = ((bits[at] as number) + 4) & ~7;
  }
  return values;
}

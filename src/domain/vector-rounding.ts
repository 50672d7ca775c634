/** Smaller values are rounded to multiples of 2^-31 instead, which 21 bits suffice for. */
const SMALL = 2 ** -10;
const SMALL_PARTS = 2 ** 31;

/**
 * The vector with 21 significant bits in each value instead of 24. The vectors of all cards are stored so: Chroma's own
 * rounding can be undone then, and a gateway that reads a vector from Chroma has the same numbers, and the same scores,
 * as the gateway that wrote it. The length of a unit vector changes by some 1e-7.
 */
export function rounded(vector: Float32Array): Float32Array {
  const values = vector.slice();
  const bits = new Uint32Array(values.buffer);
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    // Adding 0 makes 0 of -0, whose bits differ.
    if (Math.abs(value) < SMALL) values[at] = Math.round(value * SMALL_PARTS) / SMALL_PARTS + 0;
    // Half of the last kept bit is added, and the three bits below it are cleared. A carry increments the exponent.
    else bits[at] = ((bits[at] as number) + 4) & ~7;
  }
  return values;
}

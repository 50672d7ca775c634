/** 2^20: four times the rounding of 32-bit numbers, so that its multiples survive a way through Chroma. */
const PARTS = 2 ** 20;

/**
 * The vector in multiples of 2^-20, as all cards' vectors are kept: a gateway that reads one from Chroma has the same
 * numbers, and so the same scores, as the one that wrote it. Cosines change by less than 1e-6.
 */
export function onGrid(vector: Float32Array): Float32Array {
  // Not -0, which has other bits.
  return vector.map((value) => Math.round(value * PARTS) / PARTS + 0);
}

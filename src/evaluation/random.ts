/**
 * Seeded pseudo-random numbers in [0, 1) (mulberry32, Tommy Ettinger, public domain): a repeated evaluation prints the
 * same intervals. `seed` is a whole number, of which 32 bits are used.
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

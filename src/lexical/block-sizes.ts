/** Arrays grow by a quarter: a fifth of them at most is empty, and an element is copied about four times on its way. */
export const GROWTH = 1.25;

/**
 * The sizes of blocks, in pairs: 1, 2, 3, 4, 5, 7, 9, ... each a quarter larger; the last holds every card there can
 * be.
 */
export const BLOCK_SIZES: readonly number[] = (() => {
  const sizes = [1];
  for (let size = 1; size < 2 ** 26; sizes.push(size)) size = Math.max(size + 1, Math.ceil(size * GROWTH));
  return sizes;
})();

/** The smallest class of {@link BLOCK_SIZES} that holds `length` pairs, counted from 1. */
export function sizeClassOf(length: number): number {
  let index = 0;
  while ((BLOCK_SIZES[index] ?? Number.POSITIVE_INFINITY) < length) index += 1;
  if (index === BLOCK_SIZES.length) throw new RangeError(`a list of ${length} pairs is too long`);
  return index + 1;
}

/** The size of a class that {@link sizeClassOf} returned; 0 for 0. */
export function sizeOf(sizeClass: number): number {
  return BLOCK_SIZES[sizeClass - 1] ?? 0;
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyOf, isSame } from '../../../src/tutoring/numbers.js';

/** Some differ by less than a millionth, and by a little more. */
const number = fc
  .tuple(fc.constantFrom(-100, -1, 0, 0.5, 1, 3, 1e9), fc.constantFrom(0, 5e-7, 9e-7, 1.1e-6, 2e-6))
  .map(([value, more]) => value * (1 + more));

test('a number is found among others exactly if it is the same as one', () => {
  fc.assert(
    fc.property(fc.array(number), number, (all, one) => {
      expect(anyOf(all)(one)).toBe(all.some((other) => isSame(other, one)));
    }),
  );
});

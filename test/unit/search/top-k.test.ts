import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TopK } from '../../../src/search/top-k.js';

const valueArb = fc.constantFrom(Number.NaN, -1, 0, 0.1, 0.2, 0.3, 0.5, 1);

describe('the greatest values', () => {
  test('are those that sorting all of them puts first, equal ones by id, then zeros, however often the room is used', () => {
    const greatest = new TopK();
    fc.assert(
      fc.property(fc.array(valueArb, { maxLength: 120 }), fc.nat(12), fc.integer(), (given, limit, seed) => {
        const values = Float64Array.from(given);
        // Ids in another order than the places.
        const ids = given.map((_, place) => `${((place + Math.abs(seed % 7)) * 37) % 127}`);
        const expected = given
          .map((_, place) => place)
          .filter((place) => (values[place] as number) > 0)
          .sort(
            (a, b) =>
              (values[b] as number) - (values[a] as number) || ((ids[a] as string) < (ids[b] as string) ? -1 : 1),
          )
          .concat(given.flatMap((value, place) => (value === 0 ? [place] : [])))
          .slice(0, limit);
        expect(greatest.of(values, limit, ids)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

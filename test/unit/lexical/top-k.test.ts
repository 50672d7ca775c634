import fc from 'fast-check';
import { expect, test } from 'vitest';
import { topK } from '../../../src/lexical/top-k.js';
import { runs } from '../../support/runs.js';

const scoreArb = fc.constantFrom(Number.NaN, -1, 0, 0.1, 0.2, 0.3, 0.5, 1);
const scoresArb = fc.array(scoreArb, { maxLength: 120 });

test('the best k equal the first k after sorting, ties by name, of all indexes or a subset', () => {
  fc.assert(
    fc.property(scoresArb, fc.nat(12), fc.nat(6), fc.option(fc.nat(3)), (given, k, shift, every) => {
      const scores = Float64Array.from(given);
      // Names in another order than the places.
      const names = given.map((_, place) => `${((place + shift) * 37) % 127}`);
      const places = given.map((_, place) => place);
      const among = every === null ? undefined : places.filter((place) => place % (every + 1) === 0).reverse();
      const score = (place: number): number => scores[place] as number;
      const expected = (among ?? places)
        .filter((place) => score(place) > 0)
        .sort((a, b) => score(b) - score(a) || ((names[a] as string) < (names[b] as string) ? -1 : 1))
        .slice(0, k);
      expect(topK(scores, k, names, among)).toEqual(expected);
    }),
    { numRuns: runs(500) },
  );
});

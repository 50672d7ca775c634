import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cosine, dot } from '../../src/search/cosine.js';
import { unit, unitVectorArb } from '../support/generators.js';

/** Lengths that are no multiple of anything, too. */
const pairArb = fc.integer({ min: 1, max: 20 }).chain((dims) => fc.tuple(unitVectorArb(dims), unitVectorArb(dims)));

describe('dot', () => {
  test('is the sum of the products, from any place on', () => {
    fc.assert(
      fc.property(pairArb, fc.integer({ min: 0, max: 5 }), ([a, b], before) => {
        const others = Float32Array.of(...Array.from({ length: before }, () => 9), ...b, 9);
        const expected = [...a].reduce((sum, value, place) => sum + value * (b[place] ?? Number.NaN), 0);
        expect(dot(a, others, before)).toBeCloseTo(expected, 12);
      }),
    );
  });
});

describe('cosine', () => {
  test('is 1 for equal texts and 0 for opposite ones: never outside of 0 .. 1', () => {
    fc.assert(
      fc.property(pairArb, ([vector]) => {
        expect(cosine(vector, vector)).toBeCloseTo(1, 6);
        expect(cosine(vector, vector)).toBeLessThanOrEqual(1);
        expect(
          cosine(
            vector,
            vector.map((value) => -value),
          ),
        ).toBe(0);
      }),
    );
  });

  test('refuses to compare vectors of different models', () => {
    expect(() => cosine(unit([1, 2]), unit([1, 2, 3]))).toThrow('vectors of 2 and 3 dimensions meet');
  });
});

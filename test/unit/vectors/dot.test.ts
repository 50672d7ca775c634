import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dot } from '../../../src/vectors/dot.js';
import { unitVectorArb } from '../../support/generators.js';

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

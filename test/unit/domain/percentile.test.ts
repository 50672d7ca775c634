import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { percentile } from '../../../src/domain/percentile.js';

describe('a percentile', () => {
  test('is the smallest value with at least that share of values at or below it', () => {
    const valuesArb = fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.double({ noNaN: true })), { minLength: 1 });
    fc.assert(
      fc.property(valuesArb, fc.constantFrom(0.01, 0.25, 0.5, 0.95, 0.99, 1), (values, share) => {
        const atOrBelow = (value: number): number => values.filter((one) => one <= value).length;
        const enough = values.filter((value) => atOrBelow(value) >= share * values.length);
        expect(percentile(values, share) === Math.min(...enough)).toBe(true);
      }),
    );
  });

  test('does not modify the values', () => {
    const values = [3, 1, 2];
    expect(percentile(values, 0.5)).toBe(2);
    expect(values).toEqual([3, 1, 2]);
  });

  test('of nothing is not a number', () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});

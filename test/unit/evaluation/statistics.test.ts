import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shuffled } from '../../../src/domain/shuffled.js';
import { seededRandom } from '../../../src/evaluation/random.js';
import { compare, estimate, mean, RESAMPLING } from '../../../src/evaluation/statistics.js';

describe('the interval of a mean', () => {
  test('depends only on the seed', () => {
    const values = [0.1, 0.9, 0.4, 0.4, 0.7, 0];
    expect(estimate(values, RESAMPLING)).toEqual(estimate(values, RESAMPLING));
    expect(estimate(values, RESAMPLING)).not.toEqual(estimate(values, { ...RESAMPLING, seed: 1 }));
  });

  test('of 100 values of which 30 are 1 is about that of the binomial distribution: .30 +- 1.96 x .0458', () => {
    const values = Array.from({ length: 100 }, (_, place) => (place < 30 ? 1 : 0));
    const { value, low, high } = estimate(values, { resamples: 20_000, seed: 3 });
    expect(value).toBeCloseTo(0.3, 12);
    expect(Math.abs(low - 0.21)).toBeLessThanOrEqual(0.011);
    expect(Math.abs(high - 0.39)).toBeLessThanOrEqual(0.011);
  });

  test('contains the mean, and lies within the values', () => {
    const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(values, fc.integer(), (given, seed) => {
        const { value, low, high } = estimate(given, { resamples: 200, seed });
        expect(value).toBeCloseTo(mean(given), 12);
        expect(low).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(Math.min(...given) - 1e-9);
        expect(high).toBeLessThanOrEqual(Math.max(...given) + 1e-9);
      }),
    );
  });

  test('of equal values is that value', () => {
    expect(estimate([0.5, 0.5, 0.5], RESAMPLING)).toEqual({ value: 0.5, low: 0.5, high: 0.5 });
  });
});

describe('the comparison of two lists of values', () => {
  test('counts higher values, and detects a difference in every case', () => {
    const before = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.2, 0.3];
    const after = before.map((value) => value + 0.1);
    const found = compare(before, after, RESAMPLING);
    expect(found.value).toBeCloseTo(0.1, 12);
    expect([found.low, found.high]).toEqual([expect.closeTo(0.1, 9), expect.closeTo(0.1, 9)]);
    expect(found).toMatchObject({ higher: 10, lower: 0, same: 0, supported: true });
    // Of the 1,024 ways to choose signs two are as far from 0: p is about 2/1024.
    expect(found.p).toBeLessThan(0.01);
  });

  test.each([
    [1, false],
    [5, false],
    [6, true],
  ])('of %d higher values is significant: %s', (cases, supported) => {
    const found = compare(Array(cases).fill(0.5), Array(cases).fill(0.75), RESAMPLING);
    expect(found).toMatchObject({ low: 0.25, supported });
    expect(found.p < 0.05).toBe(supported);
  });

  test('finds no difference between lists of which either is higher in turn', () => {
    const before = Array.from({ length: 40 }, (_, place) => (place % 2) / 2);
    const after = Array.from({ length: 40 }, (_, place) => ((place + 1) % 2) / 2);
    expect(compare(before, after, RESAMPLING)).toMatchObject({
      value: 0,
      higher: 20,
      lower: 20,
      supported: false,
      p: 1,
    });
  });

  test('has the p-value of the exact test, which tries every choice of signs', () => {
    const change = fc.integer({ min: -5, max: 5 });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const found = compare(
          changes.map(() => 0),
          changes,
          { resamples: 4_000, seed: 11 },
        );
        const all = 2 ** changes.length;
        const total = (signs: number): number =>
          changes.reduce((sum, value, place) => sum + ((signs >> place) & 1 ? value : -value), 0);
        const seen = Math.abs(total(all - 1));
        const asFar = Array.from({ length: all }, (_, signs) => Math.abs(total(signs))).filter((sum) => sum >= seen);
        expect(Math.abs(found.p - asFar.length / all)).toBeLessThan(0.04);
      }),
      { numRuns: 20 },
    );
  });

  test('is antisymmetric', () => {
    const pair = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.array(pair, { minLength: 2, maxLength: 20 }), (pairs) => {
        const [one, other] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
        const there = compare(one, other, RESAMPLING);
        const back = compare(other, one, RESAMPLING);
        expect(back.value).toBeCloseTo(-there.value, 12);
        expect([back.higher, back.lower, back.same]).toEqual([there.lower, there.higher, there.same]);
        expect(back.p).toBeCloseTo(there.p, 12);
      }),
    );
  });

  test('refuses values of different cases', () => {
    expect(() => compare([1], [1, 2], RESAMPLING)).toThrow('1 values are compared with 2');
  });
});

describe('seeded random numbers', () => {
  test('are spread over [0, 1) and repeat with their seed', () => {
    const random = seededRandom(5);
    const drawn = Array.from({ length: 10_000 }, random);
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(1);
    expect(mean(drawn)).toBeCloseTo(0.5, 1);
    const again = seededRandom(5);
    expect(drawn.slice(0, 5)).toEqual(Array.from({ length: 5 }, again));
  });

  test('shuffle without losing anything', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50 }), fc.integer(), (count, seed) => {
        const order = shuffled(count, seededRandom(seed));
        expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, place) => place));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSpread } from '../../../chroma/collections.js';
import { gathered, spread } from '../../../chroma/spread.js';
import { unitVectorArb } from '../../support/generators.js';

const DIMS = 64;

const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);

describe('the stored vectors', () => {
  test('are unit vectors, next to the originals, which can be read from them in any length', () => {
    fc.assert(
      fc.property(
        fc.string(),
        unitVectorArb(DIMS),
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        (id, vector, factor) => {
          const stored = spread(id, vector);
          expect(cosine(stored, stored)).toBeCloseTo(1, 5);
          expect(cosine(stored, vector)).toBeGreaterThan(1 - 1e-6);
          const read = gathered(
            id,
            stored.map((value) => factor * value),
          );
          for (const [at, value] of read.entries()) expect(value).toBeCloseTo(vector[at] as number, 6);
        },
      ),
    );
  });

  test('of sparse originals are read with all of their zeros', () => {
    const places = fc.uniqueArray(fc.nat(511), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.string(), places, (id, at) => {
        const vector = new Float32Array(512);
        for (const [rank, place] of at.entries()) vector[place] = (rank % 2 === 0 ? 1 : -1) / (1 + rank);
        const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
        const read = gathered(
          id,
          spread(
            id,
            vector.map((value) => value / length),
          ),
        );
        expect(read.every((value, place) => (value === 0) === (vector[place] === 0))).toBe(true);
      }),
    );
  });

  test('are the originals in collections of earlier versions', () => {
    expect(isSpread({ metadata: { schema_version: 1 } })).toBe(false);
    expect(isSpread({ metadata: {} })).toBe(false);
    expect(isSpread({ metadata: { schema_version: 2 } })).toBe(true);
  });

  test('of equal originals differ by record', () => {
    const vector = new Float32Array(DIMS).fill(1 / Math.sqrt(DIMS));
    const stored = Array.from({ length: 200 }, (_, place) => spread(`card-${place}#0`, vector).join());
    expect(new Set(stored).size).toBe(200);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isShifted } from '../../../chroma/collections.js';
import { shifted, unshifted } from '../../../chroma/shift.js';
import { rounded } from '../../../src/domain/vector-rounding.js';
import { unitVectorArb } from '../../support/generators.js';

const DIMS = 64;

const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);

describe('the stored vectors', () => {
  test('are next to the originals, which are read from them to the last bit, though Chroma rounds', () => {
    fc.assert(
      fc.property(fc.string(), unitVectorArb(DIMS), (id, vector) => {
        const original = rounded(vector);
        const stored = shifted(id, original);
        const length = Math.fround(Math.sqrt(cosine(stored, stored)));
        expect(cosine(stored, original) / length / Math.sqrt(cosine(original, original))).toBeGreaterThan(1 - 1e-6);
        const returned = stored.map((value) => Math.fround(value / length)).map((value) => value * length);
        expect(unshifted(id, returned)).toEqual(original);
      }),
    );
  });

  test('of sparse originals are read with all of their zeros', () => {
    const places = fc.uniqueArray(fc.nat(511), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.string(), places, (id, at) => {
        const vector = new Float32Array(512);
        for (const [rank, place] of at.entries()) vector[place] = (rank % 2 === 0 ? 1 : -1) / (1 + rank);
        const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
        const read = unshifted(id, shifted(id, rounded(vector.map((value) => value / length))));
        expect(read.every((value, place) => (value === 0) === (vector[place] === 0))).toBe(true);
      }),
    );
  });

  test('are the originals in collections of earlier versions', () => {
    expect(isShifted({ metadata: { schema_version: 1 } })).toBe(false);
    expect(isShifted({ metadata: {} })).toBe(false);
    expect(isShifted({ metadata: { schema_version: 2 } })).toBe(true);
  });

  test('of equal originals differ by record', () => {
    const vector = new Float32Array(DIMS).fill(1 / Math.sqrt(DIMS));
    const stored = Array.from({ length: 200 }, (_, place) => shifted(`card-${place}#0`, vector).join());
    expect(new Set(stored).size).toBe(200);
  });
});

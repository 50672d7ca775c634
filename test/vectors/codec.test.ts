import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CardVectors, StoredPassage } from '../../src/ports.js';
import { decodeVectors, encodeVectors } from '../../src/vectors/codec.js';
import { byPerspectiveArb } from '../support/generators.js';

const DIMS = 3;

const passageArb: fc.Arbitrary<StoredPassage> = fc.record({
  contentHash: fc.string({ unit: 'binary' }),
  vector: fc.float32Array({ minLength: DIMS, maxLength: DIMS, noNaN: true }),
});

const vectorsArb: fc.Arbitrary<CardVectors> = fc.record({
  revision: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  passages: byPerspectiveArb(fc.array(passageArb, { maxLength: 4 })),
});

describe('the stored form of a card’s vectors', () => {
  test('gives back what was put in, to the last bit', () => {
    fc.assert(
      fc.property(vectorsArb, (vectors) => {
        expect(decodeVectors(encodeVectors(vectors))).toEqual(vectors);
      }),
    );
  });

  test('gives vectors that stay as they are when the buffer that they were read from is used again', () => {
    fc.assert(
      fc.property(vectorsArb, (vectors) => {
        const buffer = encodeVectors(vectors);
        const decoded = decodeVectors(buffer);
        buffer.fill(0xff);
        expect(decoded).toEqual(vectors);
      }),
    );
  });

  test('reads a value from the middle of a larger buffer, wherever that begins', () => {
    fc.assert(
      fc.property(vectorsArb, fc.integer({ min: 0, max: 9 }), (vectors, before) => {
        const value = encodeVectors(vectors);
        const page = Buffer.concat([Buffer.alloc(before, 0xee), value, Buffer.alloc(5, 0xee)]);
        expect(decodeVectors(page.subarray(before, before + value.length))).toEqual(vectors);
      }),
    );
  });

  test('writes a vector that is a view on a larger one, and only its own numbers', () => {
    const vector = Float32Array.of(9, 1, 2, 9).subarray(1, 3);
    const passages = { question: [{ contentHash: 'h', vector }], solution: [], concept: [], error: [] };
    const decoded = decodeVectors(encodeVectors({ revision: 1, passages }));
    expect([...(decoded.passages.question[0]?.vector ?? [])]).toEqual([1, 2]);
  });

  test('refuses a card with vectors of different lengths', () => {
    const passages = {
      question: [{ contentHash: 'h', vector: Float32Array.of(1, 2) }],
      solution: [{ contentHash: 'i', vector: Float32Array.of(1, 2, 3) }],
      concept: [],
      error: [],
    };
    expect(() => encodeVectors({ revision: 1, passages })).toThrow('vectors of 2 and 3 dimensions meet');
  });
});

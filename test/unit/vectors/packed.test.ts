import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import { type CardVectors } from '../../../src/domain/ports/vectors.js';
import { dot, PackedVectors } from '../../../src/vectors/packed.js';
import { byPerspectiveArb, unit, unitVectorArb } from '../../support/generators.js';

const DIMS = 6;

/** Vectors of any values, some of few values that are not 0 and some of many. */
const anyVectorArb = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.float({ noNaN: true })), {
    minLength: DIMS,
    maxLength: DIMS,
  })
  // What is left out comes back as 0, also if it was -0.
  .map((values) => Float32Array.from(values, (value) => value + 0));

const ofVectors = (vector: fc.Arbitrary<Float32Array>): fc.Arbitrary<CardVectors> =>
  fc.record({
    revision: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    passages: byPerspectiveArb(fc.array(vector, { maxLength: 4 })),
  });

const vectorsArb = ofVectors(anyVectorArb);

/** Unit vectors in which most places are 0, or none is. */
const unitArb = fc.oneof(
  unitVectorArb(DIMS),
  fc.nat(DIMS - 1).map((place) => unit(Array.from({ length: DIMS }, (_, at) => (at === place ? 1 : 0)))),
);

/** What a card holds, unpacked. */
function contentOf({ revision, passages }: CardVectors): CardVectors {
  return { revision, passages };
}

function ofQuestion(...vectors: readonly Float32Array[]): CardVectors {
  return {
    revision: 1,
    passages: { question: vectors, solution: [], concept: [], error: [] },
  };
}

describe('packed vectors', () => {
  test('are lossless, whatever values are 0', () => {
    fc.assert(
      fc.property(vectorsArb, (vectors) => {
        const packed = PackedVectors.of(vectors);
        expect(contentOf(packed)).toEqual(vectors);
        expect(contentOf(PackedVectors.read(packed.bytes) as PackedVectors)).toEqual(vectors);
      }),
    );
  });

  test('compare like unpacked ones: the best pair of a query vector and a passage, null if there is none', () => {
    fc.assert(
      fc.property(ofVectors(unitArb), fc.array(unitArb, { maxLength: 3 }), (vectors, queries) => {
        const packed = PackedVectors.of(vectors);
        for (const perspective of PERSPECTIVES) {
          const pairs = queries.flatMap((query) =>
            vectors.passages[perspective].map((vector) =>
              Math.min(
                1,
                Math.max(
                  0,
                  [...query].reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0),
                ),
              ),
            ),
          );
          const given = packed.similarity(perspective, queries);
          if (pairs.length === 0) expect(given).toBeNull();
          else expect(given).toBeCloseTo(Math.max(...pairs), 6);
        }
      }),
    );
  });

  test('have similarities in 0 .. 1: 1 for equal texts, 0 for opposite ones', () => {
    fc.assert(
      fc.property(unitArb, (vector) => {
        const packed = PackedVectors.of(ofQuestion(vector));
        const same = packed.similarity('question', [vector]);
        expect(same).toBeCloseTo(1, 6);
        expect(same).toBeLessThanOrEqual(1);
        expect(packed.similarity('question', [vector.map((value) => -value)])).toBe(0);
      }),
    );
  });

  test('take only the memory of non-zero values, and never more than dense ones', () => {
    const size = (...vectors: readonly Float32Array[]): number => PackedVectors.of(ofQuestion(...vectors)).bytes.length;
    const [one, full] = [new Float32Array(512).fill(1, 7, 8), new Float32Array(512).fill(1)];
    expect(size(one, one) - size(one)).toBe(4 + 6);
    expect(size(full, full) - size(full)).toBe(4 + 4 * 512);
    expect(size(full, one)).toBeLessThanOrEqual(size(full, full));
  });

  test('store a vector that is too long for 16-bit dimensions', () => {
    const long = new Float32Array(70_000).fill(1, 69_999);
    const packed = PackedVectors.of(ofQuestion(long));
    expect(packed.passages.question[0]).toEqual(long);
    expect(packed.similarity('question', [long])).toBe(1);
  });

  test('are independent of the buffer that they were read from', () => {
    fc.assert(
      fc.property(vectorsArb, fc.integer({ min: 0, max: 9 }), (vectors, before) => {
        const { bytes } = PackedVectors.of(vectors);
        const page = Buffer.concat([Buffer.alloc(before, 0xee), bytes, Buffer.alloc(5, 0xee)]);
        const read = PackedVectors.read(page.subarray(before, before + bytes.length));
        page.fill(0xff);
        expect(contentOf(read as PackedVectors)).toEqual(vectors);
      }),
    );
  });

  test('are none in bytes that were cut off or overwritten as a whole', () => {
    fc.assert(
      fc.property(vectorsArb, fc.nat(), fc.integer({ min: 0, max: 255 }), (vectors, length, byte) => {
        const { bytes } = PackedVectors.of(vectors);
        const damaged = [bytes.subarray(0, length % bytes.length), new Uint8Array(bytes.length + 4).fill(byte)];
        for (const one of damaged) {
          expect(PackedVectors.read(one)).toBeUndefined();
          expect(PackedVectors.revisionIn(one)).toBeUndefined();
        }
      }),
    );
  });

  test('can be read, if they are any, whatever was overwritten', () => {
    fc.assert(
      fc.property(vectorsArb, fc.nat(), fc.uint8Array({ maxLength: 12 }), (vectors, at, others) => {
        const bytes = PackedVectors.of(vectors).bytes.slice();
        bytes.set(others.subarray(0, bytes.length - (at % bytes.length)), at % bytes.length);
        const read = PackedVectors.read(bytes);
        expect(PackedVectors.revisionIn(bytes)).toBe(read?.revision);
        for (const perspective of PERSPECTIVES) {
          expect(read?.passages[perspective].length).toBe(read?.count(perspective));
        }
      }),
    );
  });

  test('copy only the values of a view on a larger array', () => {
    const vector = Float32Array.of(9, 1, 2, 9).subarray(1, 3);
    expect([...(PackedVectors.of(ofQuestion(vector)).passages.question[0] ?? [])]).toEqual([1, 2]);
  });

  test('refuse vectors of different lengths, in one card and in a comparison', () => {
    const [two, three] = [Float32Array.of(0, 1), Float32Array.of(0, 0, 1)];
    expect(() => PackedVectors.of(ofQuestion(two, three))).toThrow('vectors of 2 and 3 dimensions cannot be compared');
    expect(() => PackedVectors.of(ofQuestion(three)).similarity('question', [two])).toThrow(
      'vectors of 2 and 3 dimensions cannot be compared',
    );
  });
});

/** Lengths that are no multiple of anything, too. */
const pairArb = fc.integer({ min: 1, max: 20 }).chain((dims) => fc.tuple(unitVectorArb(dims), unitVectorArb(dims)));

describe('dot', () => {
  test('is the sum of the products, from any offset', () => {
    fc.assert(
      fc.property(pairArb, fc.integer({ min: 0, max: 5 }), ([a, b], before) => {
        const others = Float32Array.of(...Array.from({ length: before }, () => 9), ...b, 9);
        const expected = [...a].reduce((sum, value, place) => sum + value * (b[place] ?? Number.NaN), 0);
        expect(dot(a, others, before)).toBeCloseTo(expected, 12);
      }),
    );
  });
});

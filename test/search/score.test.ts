import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { byPerspective, PERSPECTIVES } from '../../src/domain/perspective.js';
import { cosine, score } from '../../src/search/score.js';
import { byPerspectiveArb, unit, unitVectorArb } from '../support/generators.js';

const DIMS = 4;
const vectorsArb = byPerspectiveArb(fc.array(unitVectorArb(DIMS), { maxLength: 3 }));

function naiveCosine(a: Float32Array, b: Float32Array): number {
  return [...a].reduce((sum, value, place) => sum + value * (b[place] ?? Number.NaN), 0);
}

describe('score', () => {
  test('is the best pair of a query vector and a passage, null where either side has no text', () => {
    fc.assert(
      fc.property(vectorsArb, vectorsArb, (queries, vectors) => {
        const passages = byPerspective((perspective) =>
          vectors[perspective].map((vector) => ({ contentHash: 'h', vector })),
        );
        const [scored] = score(new Map([['a', { revision: 1, passages }]]), queries);
        for (const perspective of PERSPECTIVES) {
          const pairs = queries[perspective].flatMap((query) =>
            vectors[perspective].map((vector) => naiveCosine(query, vector)),
          );
          const given = scored?.scores[perspective];
          if (pairs.length === 0) expect(given).toBeNull();
          else expect(given).toBeCloseTo(Math.min(1, Math.max(0, ...pairs)), 12);
        }
      }),
    );
  });

  test('is 1 for equal texts and 0 for opposite ones: never outside of 0 .. 1', () => {
    fc.assert(
      fc.property(unitVectorArb(DIMS), (vector) => {
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

  test('scores every card that it is given', () => {
    const passages = byPerspective(() => []);
    const cards = new Map(['a', 'b', 'c'].map((id) => [id, { revision: 1, passages }]));
    const scored = score(
      cards,
      byPerspective(() => []),
    );
    expect(scored.map(({ cardId }) => cardId)).toEqual(['a', 'b', 'c']);
  });
});

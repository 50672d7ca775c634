import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSearch } from '../../../src/domain/parse/search.js';
import { LANES } from '../../../src/domain/search.js';
import { applyLaneQuota, stepDown, stepOf, thresholdsOf } from '../../../src/search/cut.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { scoreArb } from '../../support/generators.js';
import { runs } from '../../support/runs.js';
import { contrastArb, laneWeights, matrixArb, matrixOf } from '../../support/score-matrices.js';

describe('the thresholds', () => {
  test.each(['builtin', 'BAAI/bge-m3'])('of %s descend within 0 .. 1', (model) => {
    const { steps } = thresholdsOf(model);
    expect([...steps].sort((a, b) => b - a)).toEqual(steps);
    expect(new Set(steps).size).toBe(3);
    for (const step of steps) expect(step > 0 && step < 1).toBe(true);
  });

  test.each(['builtin', 'BAAI/bge-m3'])('of %s and of its layers are valid values of the API', (model) => {
    const { steps, layers } = thresholdsOf(model);
    for (const thresholdSteps of [steps, ...Object.values(layers)]) {
      const args = { text: 'x', topK: 5, options: { thresholdSteps } };
      expect(parseSearch('hybridSearch', args, BUILTIN_SETTINGS).thresholdSteps).toEqual(thresholdSteps);
      expect(thresholdSteps.at(-1)).toBeGreaterThan(0);
    }
  });

  test("of a model with high cosines are scaled to the range above the model's lowest cosine", () => {
    const plain = thresholdsOf('BAAI/bge-m3');
    const high = thresholdsOf('Xenova/multilingual-e5-small', 0.7);
    expect(plain.layers.SEMANTIC).toEqual([0.7, 0.6, 0.5]);
    expect(high.layers.SEMANTIC).toEqual([0.85, 0.8, 0.75]);
    expect([high.floor, high.noAnswer.unrelated, high.noAnswer.byMeaning]).toEqual([0.7, 0.7, 0.8]);
    expect([plain.noAnswer.unrelated, plain.noAnswer.byMeaning]).toEqual([0, 0.6]);
    expect(high.steps).toEqual(plain.steps);
  });

  test('of the built-in embedder differ from those of a semantic model', () => {
    expect(thresholdsOf('builtin').steps[2]).toBeLessThan(thresholdsOf('BAAI/bge-m3').steps[2]);
  });
});

const stepsArb = fc
  .uniqueArray(fc.constantFrom(0, 0.25, 0.5, 0.6, 0.7, 1), { minLength: 1, maxLength: 4 })
  .map((steps) => steps.sort((a, b) => b - a));

/** Similarities by row, and some of the rows in an order of their own. */
const worldArb = fc.array(scoreArb, { maxLength: 15 }).chain((similarities) =>
  fc.record({
    similarities: fc.constant(Float64Array.from(similarities)),
    rows: fc.shuffledSubarray([...similarities.keys()]),
    steps: stepsArb,
    minResults: fc.integer({ min: 0, max: 16 }),
  }),
);

describe('stepDown', () => {
  test('stops at the first step that enough rows reach, and returns these rows in order', () => {
    fc.assert(
      fc.property(worldArb, ({ similarities, rows, steps, minResults }) => {
        const reaching = (step: number): number[] => rows.filter((row) => (similarities[row] as number) >= step);
        const last = steps.find((step) => reaching(step).length >= minResults) ?? (steps.at(-1) as number);
        expect(stepDown(rows, similarities, { steps, minResults })).toEqual({
          rows: reaching(last),
          tried: steps.filter((step) => step >= last),
        });
      }),
    );
  });

  test('returns nothing if no row reaches the last step', () => {
    const similarities = Float64Array.from([0.49, 0.1, 0]);
    expect(stepDown([0, 1, 2], similarities, { steps: [0.7, 0.6, 0.5], minResults: 5 })).toEqual({
      rows: [],
      tried: [0.7, 0.6, 0.5],
    });
  });

  test('tries one step without a minimum number of rows', () => {
    const similarities = Float64Array.from([0.65]);
    expect(stepDown([0], similarities, { steps: [0.7, 0.6], minResults: 0 })).toEqual({ rows: [], tried: [0.7] });
  });

  test('returns every row without steps', () => {
    fc.assert(
      fc.property(worldArb, ({ similarities, rows, minResults }) => {
        expect(stepDown(rows, similarities, { steps: [], minResults })).toEqual({ rows, tried: [] });
      }),
    );
  });
});

describe('the step that admits a similarity', () => {
  test('is the highest step that it reaches, or none', () => {
    fc.assert(
      fc.property(scoreArb, stepsArb, (similarity, steps) => {
        const reached = steps.filter((step) => similarity >= step);
        expect(stepOf(similarity, steps)).toBe(reached.length === 0 ? null : Math.max(...reached));
      }),
    );
  });
});

/** A matrix and some of its rows in an order of their own. */
const rowsArb = matrixArb.chain((matrix) =>
  fc.record({ matrix: fc.constant(matrix), rows: fc.shuffledSubarray([...matrix.cardIds.keys()]) }),
);

describe('applyLaneQuota', () => {
  test('keeps the rows, in order, that are among the best perLane of some positive lane', () => {
    fc.assert(
      fc.property(rowsArb, contrastArb, fc.integer({ min: 1, max: 8 }), ({ matrix, rows }, weights, perLane) => {
        const scoreOf = (lane: number, row: number): number => matrix.lanes[lane]?.[row] || 0;
        const expected = rows.filter((row) =>
          LANES.some((_, lane) => {
            const own = scoreOf(lane, row);
            const better = rows.filter((other) => scoreOf(lane, other) > own);
            return (weights[lane] as number) > 0 && own > 0 && better.length < perLane;
          }),
        );
        expect(applyLaneQuota(rows, matrix, weights, perLane)).toEqual(expected);
      }),
      { numRuns: runs(500) },
    );
  });

  const matrix = matrixOf({
    a: { 'DENSE question': 0.9, 'LEXICAL concept': 0.1 },
    b: { 'DENSE question': 0.8, 'LEXICAL concept': 0 },
    c: { 'DENSE question': 0.7, 'LEXICAL concept': 0.2 },
    d: { 'DENSE error': 1 },
  });
  const weights = laneWeights({ 'DENSE question': 0.8, 'LEXICAL concept': 0.2 });

  test('considers every requested lane, whatever its weight, and no other', () => {
    expect(applyLaneQuota([0, 1, 2, 3], matrix, weights, 1)).toEqual([0, 2]);
  });

  test('ignores lanes in which a card scores 0', () => {
    expect(applyLaneQuota([1, 3], matrix, laneWeights({ 'LEXICAL concept': 1 }), 5)).toEqual([]);
  });

  test('gives equal scores the same rank', () => {
    const twins = matrixOf({
      a: { 'DENSE question': 0.5 },
      b: { 'DENSE question': 0.5 },
      c: { 'DENSE question': 0.4 },
    });
    expect(applyLaneQuota([2, 1, 0], twins, laneWeights({ 'DENSE question': 1 }), 1)).toEqual([1, 0]);
  });
});

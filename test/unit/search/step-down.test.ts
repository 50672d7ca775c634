import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stepDown, stepOf } from '../../../src/search/step-down.js';
import { scoreArb } from '../../support/generators.js';

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
  test('stops at the first step that enough rows reach, and admits the rows that reach it, in their order', () => {
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

  test('has no answer where nothing reaches the last step, and fills no list with what is too far', () => {
    const similarities = Float64Array.from([0.49, 0.1, 0]);
    expect(stepDown([0, 1, 2], similarities, { steps: [0.7, 0.6, 0.5], minResults: 5 })).toEqual({
      rows: [],
      tried: [0.7, 0.6, 0.5],
    });
  });

  test('tries one step where no number of rows is asked for', () => {
    const similarities = Float64Array.from([0.65]);
    expect(stepDown([0], similarities, { steps: [0.7, 0.6], minResults: 0 })).toEqual({ rows: [], tried: [0.7] });
  });

  test('admits every row where there is no step', () => {
    fc.assert(
      fc.property(worldArb, ({ similarities, rows, minResults }) => {
        expect(stepDown(rows, similarities, { steps: [], minResults })).toEqual({ rows, tried: [] });
      }),
    );
  });
});

describe('the step that admits a similarity', () => {
  test('is the highest that it reaches, and none where it reaches none', () => {
    fc.assert(
      fc.property(scoreArb, stepsArb, (similarity, steps) => {
        const reached = steps.filter((step) => similarity >= step);
        expect(stepOf(similarity, steps)).toBe(reached.length === 0 ? null : Math.max(...reached));
      }),
    );
  });
});

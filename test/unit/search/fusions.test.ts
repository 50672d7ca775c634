import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FUSION_NAMES } from '../../../src/domain/search.js';
import { FUSIONS } from '../../../src/search/fuse.js';
import { NAIVE_VALUES } from '../../support/naive-fusion.js';
import { laneScoresArb } from '../../support/score-matrices.js';

/** The values of the scores .75, .5, .5, .25, 0 and none. */
const WORKED = {
  WEIGHTED: [0.75, 0.5, 0.5, 0.25, 0, Number.NaN],
  RRF: [1, 61 / 62, 61 / 62, 61 / 64, 0, Number.NaN],
  RELATIVE: [1, 2 / 3, 2 / 3, 1 / 3, 0, Number.NaN],
} as const;

describe.each(FUSION_NAMES)('the fusion %s', (name) => {
  const values = FUSIONS[name];

  test('has the values of a worked example', () => {
    expect([...values(Float64Array.of(0.75, 0.5, 0.5, 0.25, 0, Number.NaN))]).toEqual(WORKED[name]);
  });

  test('equals its formula for single cards', () => {
    fc.assert(
      fc.property(laneScoresArb, (scores) => {
        const all = [...scores].filter((score) => !Number.isNaN(score));
        const expected = Float64Array.from(scores, (score) =>
          Number.isNaN(score) ? Number.NaN : NAIVE_VALUES[name](score, all),
        );
        expect(values(scores)).toEqual(expected);
      }),
    );
  });

  test('does not modify the scores', () => {
    fc.assert(
      fc.property(laneScoresArb, (scores) => {
        const before = Float64Array.from(scores);
        values(scores);
        expect(scores).toEqual(before);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FUSION_NAMES } from '../../../src/domain/search.js';
import { FUSIONS } from '../../../src/search/fusions.js';
import { scoreArb } from '../../support/generators.js';
import { NAIVE_VALUES } from '../../support/naive-fusion.js';
import { laneScoresArb } from '../../support/score-tables.js';

/** Scores and the same cards in another order. */
const shuffledArb = laneScoresArb.chain((scores) =>
  fc.record({
    scores: fc.constant(scores),
    order: fc.shuffledSubarray([...scores.keys()], { minLength: scores.length }),
  }),
);

describe.each(FUSION_NAMES)('the fusion %s', (name) => {
  const values = FUSIONS[name];

  test('agrees with its formula, written out for one card at a time', () => {
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

  test('gives values from 0 to 1, and none just where a card has no score', () => {
    fc.assert(
      fc.property(laneScoresArb, (scores) => {
        const given = values(scores);
        expect([...given].map(Number.isNaN)).toEqual([...scores].map(Number.isNaN));
        for (const value of given) expect(Number.isNaN(value) || (value >= 0 && value <= 1)).toBe(true);
      }),
    );
  });

  test('gives each card the same value wherever it stands', () => {
    fc.assert(
      fc.property(shuffledArb, ({ scores, order }) => {
        const inOrder = (all: Float64Array): Float64Array => Float64Array.from(order, (card) => all[card] as number);
        expect(values(inOrder(scores))).toEqual(inOrder(values(scores)));
      }),
    );
  });

  test('gives equal scores the same value, and a higher score no lower one', () => {
    fc.assert(
      fc.property(laneScoresArb, (scores) => {
        const given = values(scores);
        scores.forEach((one, a) => {
          scores.forEach((other, b) => {
            if (one === other) expect(given[a]).toBe(given[b]);
            if (one > other) expect(given[a]).toBeGreaterThanOrEqual(given[b] as number);
          });
        });
      }),
    );
  });

  test('takes no notice of cards that have no text in the lane', () => {
    fc.assert(
      fc.property(laneScoresArb, (scores) => {
        const present = scores.filter((score) => !Number.isNaN(score));
        expect(values(present)).toEqual(values(scores).filter((value) => !Number.isNaN(value)));
      }),
    );
  });

  test('values a score of 0 at 0, whatever the others have', () => {
    fc.assert(
      fc.property(laneScoresArb, (scores) => {
        const given = values(scores);
        scores.forEach((score, card) => {
          if (score === 0) expect(given[card]).toBe(0);
        });
      }),
    );
  });

  test('leaves the scores as they were', () => {
    fc.assert(
      fc.property(laneScoresArb, (scores) => {
        const before = Float64Array.from(scores);
        values(scores);
        expect(scores).toEqual(before);
      }),
    );
  });
});

describe('by hand:', () => {
  const scores = Float64Array.from([0.2, 0.8, Number.NaN, 0.5, 0.5, 0]);

  test('WEIGHTED is the scores themselves', () => {
    expect([...FUSIONS.WEIGHTED(scores)]).toEqual([...scores]);
  });

  test('RRF is 61 / (60 + place), where equal scores share the better place, and 0 has none', () => {
    expect([...FUSIONS.RRF(scores)]).toEqual([61 / 64, 1, Number.NaN, 61 / 62, 61 / 62, 0]);
  });

  test('RELATIVE is where a score lies between the worst and the best', () => {
    const [low, best, none, middle, same, worst] = FUSIONS.RELATIVE(
      Float64Array.from([0.2, 0.8, Number.NaN, 0.5, 0.5, 0.2]),
    );
    expect([low, best, none, worst]).toEqual([0, 1, Number.NaN, 0]);
    expect(middle).toBeCloseTo(0.5, 12);
    expect(same).toBe(middle);
  });

  test('the only candidate of a lane has its own score, and by RRF and RELATIVE a full one, unless it has none', () => {
    fc.assert(
      fc.property(scoreArb, (score) => {
        const full = score > 0 ? 1 : 0;
        const alone = Float64Array.of(score);
        const given = FUSION_NAMES.map((name) => FUSIONS[name](alone)[0]);
        expect(given).toEqual([score, full, full]);
      }),
    );
  });

  test('a lane without any score stays one, and a lane without cards has no value', () => {
    for (const name of FUSION_NAMES) {
      expect([...FUSIONS[name](Float64Array.of(Number.NaN, Number.NaN))]).toEqual([Number.NaN, Number.NaN]);
      expect([...FUSIONS[name](Float64Array.of())]).toEqual([]);
    }
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FilterMatch } from '../../src/ports.js';
import { lanesOf } from '../../src/search/lanes.js';
import { EXACT_LIMIT, plan, restricts } from '../../src/search/plan.js';
import { requestOf, weightsArb } from '../support/generators.js';

/** What the filter store answers where `matched` of `total` cards match. */
function match(matched: number, total: number): FilterMatch {
  const ids = Array.from({ length: matched }, (_, place): [string, number] => [`c${place}`, 1]);
  return matched <= EXACT_LIMIT ? { matched, all: new Map(ids) } : { matched, total, all: null };
}

describe('plan', () => {
  test('plans the lanes that the request asks, whatever the filter lets through', () => {
    fc.assert(
      fc.property(
        weightsArb,
        fc.constantFrom(0, 0.25, 0.5, 1),
        fc.nat({ max: 5_000 }),
        (weights, lexicalShare, matched) => {
          const request = requestOf({ weights, lexicalShare });
          expect(plan(request, match(matched, 5_000)).lanes).toEqual(lanesOf(request));
          expect(plan(request, null).lanes).toEqual(lanesOf(request));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('scores every match, and asks no lane, up to the limit of exact plans', () => {
    for (const matched of [0, 1, EXACT_LIMIT]) {
      const given = match(matched, 100_000);
      const planned = plan(requestOf(), given);
      expect(planned).toMatchObject({ filterPlan: 'exact', depth: 0, matchedByFilter: matched });
      expect(planned.admitted).toBe(given.all);
    }
    expect(plan(requestOf(), match(EXACT_LIMIT + 1, 100_000)).filterPlan).toBe('overfetch');
  });

  test('asks for more neighbours the fewer cards match, and never for more than 1,000', () => {
    const total = 20_000;
    const selective = fc.integer({ min: EXACT_LIMIT + 1, max: total });
    fc.assert(
      fc.property(selective, selective, fc.integer({ min: 1, max: 50 }), (a, b, topK) => {
        const [few, many] = [Math.min(a, b), Math.max(a, b)].map((matched) =>
          plan(requestOf({ topK }), match(matched, total)),
        );
        expect(few?.depth).toBeGreaterThanOrEqual(many?.depth ?? Number.NaN);
        expect(few?.depth).toBeLessThanOrEqual(1_000);
        expect(many?.depth).toBeGreaterThanOrEqual(Math.min(1_000, plan(requestOf({ topK }), null).depth));
      }),
      { numRuns: 30 },
    );
  });

  test('asks for as many neighbours as bring an unfiltered depth of matches, where those are spread evenly', () => {
    const unfiltered = plan(requestOf({ topK: 10 }), null).depth;
    expect(plan(requestOf({ topK: 10 }), match(5_000, 20_000)).depth).toBe(4 * unfiltered);
  });

  test('without a filter asks for at least four times the hits that are wanted', () => {
    for (const topK of [1, 10, 50]) {
      const planned = plan(requestOf({ topK }), null);
      expect(planned).toMatchObject({ filterPlan: 'none', admitted: null, matchedByFilter: null });
      expect(planned.depth).toBeGreaterThanOrEqual(4 * topK);
    }
  });

  test('takes a filter without any value for no filter', () => {
    expect(restricts({})).toBe(false);
    expect(restricts({ grade: undefined } as object)).toBe(false);
    expect(restricts({ difficultyMin: 1 })).toBe(true);
  });
});

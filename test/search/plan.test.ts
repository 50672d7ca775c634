import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PERSPECTIVES, type Perspective } from '../../src/domain/perspective.js';
import type { LaneKind } from '../../src/domain/search.js';
import type { FilterMatch } from '../../src/ports.js';
import { EXACT_LIMIT, plan, restricts } from '../../src/search/plan.js';
import { requestOf, weightsArb } from '../support/generators.js';

/** What the filter store answers where `matched` of `total` cards match. */
function match(matched: number, total: number): FilterMatch {
  const ids = Array.from({ length: matched }, (_, place): [string, number] => [`c${place}`, 1]);
  return matched <= EXACT_LIMIT ? { matched, all: new Map(ids) } : { matched, total, all: null };
}

describe('plan', () => {
  test('gives the lanes that were asked for weights that sum to 1, in the ratios that were asked for', () => {
    fc.assert(
      fc.property(weightsArb, fc.constantFrom(0, 0.25, 0.5, 1), (weights, lexicalShare) => {
        const { lanes } = plan(requestOf({ weights, lexicalShare }), null);
        expect(lanes.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12);
        const weightOf = (kind: LaneKind, perspective: Perspective): number =>
          lanes.find((lane) => lane.kind === kind && lane.perspective === perspective)?.weight ?? 0;
        const total = PERSPECTIVES.reduce((sum, perspective) => sum + weights[perspective], 0);
        const own = lexicalShare === 0 ? 1 : 0.6;
        for (const perspective of PERSPECTIVES) {
          const share = (own * weights[perspective]) / total;
          expect(weightOf('DENSE', perspective)).toBeCloseTo(share * (1 - lexicalShare), 12);
          expect(weightOf('LEXICAL', perspective)).toBeCloseTo(share * lexicalShare, 12);
        }
        expect(weightOf('INFERRED', 'error')).toBeCloseTo(((1 - own) * weights.error) / total, 12);
        expect(weightOf('INFERRED', 'concept')).toBeCloseTo((1 - own) * (1 - weights.error / total), 12);
        for (const { weight } of lanes) expect(weight).toBeGreaterThan(0);
      }),
    );
  });

  test('asks vectors alone, and infers nothing, without a share for the words', () => {
    const weights = { question: 1, solution: 1, concept: 1, error: 1 };
    expect(new Set(plan(requestOf({ weights, lexicalShare: 0 }), null).lanes.map(({ kind }) => kind))).toEqual(
      new Set(['DENSE']),
    );
    expect(new Set(plan(requestOf({ weights, lexicalShare: 1 }), null).lanes.map(({ kind }) => kind))).toEqual(
      new Set(['LEXICAL', 'INFERRED']),
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

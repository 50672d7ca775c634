import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FilterMatch } from '../../../src/domain/ports/cards.js';
import { lanesOf } from '../../../src/search/lanes.js';
import { DEEPEST, exactLimit, plan, reachesAll, restricts } from '../../../src/search/plan.js';
import { requestOf, weightsArb } from '../../support/generators.js';

const TOTAL = 50_000;
const filter = { difficultyMin: 2 };

/** What the filter store answers where `matched` cards match, and up to `limit` of them are wanted by name. */
function match(matched: number, limit: number): FilterMatch {
  const ids = Array.from({ length: matched }, (_, place): [string, number] => [`c${place}`, 1]);
  return matched <= limit ? { matched, all: new Map(ids) } : { matched, all: null };
}

describe('plan', () => {
  test('plans the lanes that the request asks, whatever the filter lets through', () => {
    fc.assert(
      fc.property(
        weightsArb,
        fc.constantFrom(0, 0.25, 0.5, 1),
        fc.nat({ max: 5_000 }),
        (weights, lexicalShare, matched) => {
          const request = requestOf({ weights, lexicalShare, filter });
          expect(plan(request, match(matched, 2_000), TOTAL).lanes).toEqual(lanesOf(request));
          expect(plan(request, null, TOTAL).lanes).toEqual(lanesOf(request));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('scores every match, and asks no lane, where the matches are given by name', () => {
    for (const matched of [0, 1, 2_000]) {
      const given = match(matched, 2_000);
      const planned = plan(requestOf({ filter }), given, TOTAL);
      expect(planned).toMatchObject({ filterPlan: 'exact', depth: 0, matchedByFilter: matched });
      expect(planned.admitted).toBe(given.all);
    }
    expect(plan(requestOf({ filter }), match(2_001, 2_000), TOTAL).filterPlan).toBe('overfetch');
  });

  test('tells nothing of a filter where the request has none, whatever the viewer may see', () => {
    for (const given of [match(10, 2_000), match(5_000, 2_000)]) {
      expect(plan(requestOf(), given, TOTAL)).toMatchObject({ filterPlan: 'none', matchedByFilter: null });
    }
  });

  test('asks for more neighbours the fewer cards match, within bounds', () => {
    const some = fc.integer({ min: 1, max: TOTAL });
    fc.assert(
      fc.property(some, some, fc.integer({ min: 1, max: 50 }), (a, b, topK) => {
        const [few, many] = [Math.min(a, b), Math.max(a, b)].map((matched) =>
          plan(requestOf({ topK, filter }), match(matched, 0), TOTAL),
        );
        expect(few?.depth).toBeGreaterThanOrEqual(many?.depth ?? Number.NaN);
        expect(few?.depth).toBeLessThanOrEqual(DEEPEST);
        expect(many?.depth).toBeGreaterThanOrEqual(Math.min(DEEPEST, plan(requestOf({ topK }), null, TOTAL).depth));
        expect(few?.enough).toBeGreaterThanOrEqual(topK);
      }),
      { numRuns: 30 },
    );
  });

  test('asks for as many neighbours as bring an unfiltered depth of matches, where those are spread evenly', () => {
    const unfiltered = plan(requestOf({ topK: 10 }), null, TOTAL).depth;
    expect(plan(requestOf({ topK: 10, filter }), match(5_000, 0), 20_000).depth).toBe(4 * unfiltered);
  });

  test('without a filter asks for at least four times the hits that are wanted', () => {
    for (const topK of [1, 10, 50]) {
      const planned = plan(requestOf({ topK }), null, TOTAL);
      expect(planned).toMatchObject({ filterPlan: 'none', admitted: null, matchedByFilter: null });
      expect(planned.depth).toBeGreaterThanOrEqual(4 * topK);
    }
  });

  test('takes a filter without any value for no filter', () => {
    expect(restricts({})).toBe(false);
    expect(restricts({ grade: undefined } as object)).toBe(false);
    expect(restricts({ difficultyMin: 1 })).toBe(true);
  });

  test('knows where each lane is asked for every card', () => {
    const { depth } = plan(requestOf(), null, TOTAL);
    expect(reachesAll(requestOf(), depth)).toBe(true);
    expect(reachesAll(requestOf(), depth + 1)).toBe(false);
  });
});

describe('the limit of exact scores', () => {
  const requestArb = fc.record({ weights: weightsArb, lexicalShare: fc.constantFrom(0, 0.5), topK: fc.nat(49) });

  test('is all cards of a small notebook, and never more than there are', () => {
    fc.assert(
      fc.property(
        requestArb,
        fc.nat(200_000),
        fc.boolean(),
        fc.boolean(),
        ({ topK, ...given }, cards, scanned, whole) => {
          const request = requestOf({ ...given, topK: topK + 1 });
          const limit = exactLimit(request, { cards, scanned, whole });
          expect(limit).toBeLessThanOrEqual(cards);
          if (cards <= 100) expect(limit).toBe(cards);
        },
      ),
    );
  });

  test('is a small part of a large notebook: there the lanes are asked where most cards match', () => {
    for (const cards of [20_000, 50_000, 200_000]) {
      const limit = exactLimit(requestOf(), { cards, scanned: false, whole: false });
      expect(limit).toBeGreaterThan(exactLimit(requestOf(), { cards: 1_000, scanned: false, whole: false }));
      expect(limit).toBeLessThan(cards / 10);
    }
  });

  test('is higher where more lanes would have to be asked', () => {
    const one = { question: 1, solution: 0, concept: 0, error: 0 };
    const all = { question: 1, solution: 1, concept: 1, error: 1 };
    const notebook = { cards: TOTAL, scanned: false, whole: false };
    expect(exactLimit(requestOf({ weights: all }), notebook)).toBeGreaterThan(
      exactLimit(requestOf({ weights: one }), notebook),
    );
  });
});

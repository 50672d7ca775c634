import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SearchRequest } from '../../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { lanesOf } from '../../../src/search/lanes.js';
import { type Collection, DEEPEST, exactLimit, plan, planSearch, restricts } from '../../../src/search/plan.js';
import { scopeOf } from '../../../src/search/scope.js';
import { partsOf } from '../../support/engine-world.js';
import { cardOf, requestOf, weightsArb } from '../../support/generators.js';

const TOTAL = 50_000;
const filter = { difficultyMin: 2 };

function collectionOf(cards: number, covered = false, coveredAll = false, limit = 2_000): Collection {
  return { cards, covered, coveredAll, limit, scoresAll: false };
}

const ALL = collectionOf(TOTAL);

describe('plan', () => {
  test('plans the lanes that the request asks, whatever the filter matches', () => {
    fc.assert(
      fc.property(
        weightsArb,
        fc.constantFrom(0, 0.25, 0.5, 1),
        fc.nat({ max: 5_000 }),
        (weights, lexicalShare, matched) => {
          const request = requestOf({ weights, lexicalShare, filter });
          expect(plan(request, matched, ALL).lanes).toEqual(lanesOf(request));
          expect(plan(request, null, ALL).lanes).toEqual(lanesOf(request));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('scores every match, and asks no lane, where few enough match and no label is inferred', () => {
    for (const matched of [0, 1, 2_000]) {
      expect(plan(requestOf({ filter }), matched, ALL)).toMatchObject({
        filterPlan: 'exact',
        candidates: 'matches',
        retrievers: [],
        matchedByFilter: matched,
      });
    }
    expect(plan(requestOf({ filter }), 2_001, ALL)).toMatchObject({ filterPlan: 'overfetch', candidates: 'retrieved' });
  });

  test('lets the same cards vote for labels with any filter and without one', () => {
    const votes = {
      weights: { question: 1, solution: 0, concept: 1, error: 0 },
      inferredWeight: 0.4,
      lexicalShare: 0.5,
    };
    for (const collection of [ALL, collectionOf(TOTAL, true), collectionOf(TOTAL, true, true)]) {
      const without = plan(requestOf(votes), null, collection);
      expect(without.voting).toBe('retrieved');
      for (const matched of [0, 10, 2_000, 2_001, TOTAL]) {
        const { voting, retrievers, voteDepth } = plan(requestOf({ ...votes, filter }), matched, collection);
        expect({ voting, retrievers, voteDepth }).toEqual({
          voting: 'retrieved',
          retrievers: without.retrievers,
          voteDepth: without.depth,
        });
      }
    }
    const small = { ...collectionOf(150), scoresAll: true };
    expect(plan(requestOf(votes), null, small)).toMatchObject({ candidates: 'matches', voting: 'candidates' });
    expect(plan(requestOf({ ...votes, filter }), 10, small)).toMatchObject({ candidates: 'matches', voting: 'every' });
  });

  test('tells nothing of a filter where the request has none', () => {
    for (const scoresAll of [true, false]) {
      expect(plan(requestOf(), null, { ...ALL, scoresAll })).toMatchObject({
        filterPlan: 'none',
        matchedByFilter: null,
      });
    }
  });

  test('asks for more neighbours the fewer cards match, within bounds', () => {
    const some = fc.integer({ min: 1, max: TOTAL });
    fc.assert(
      fc.property(some, some, fc.integer({ min: 1, max: 50 }), (a, b, topK) => {
        const [few, many] = [Math.min(a, b), Math.max(a, b)].map((matched) =>
          plan(requestOf({ topK, filter }), matched, { ...ALL, limit: 0 }),
        );
        expect(few?.depth).toBeGreaterThanOrEqual(many?.depth ?? Number.NaN);
        expect(few?.depth).toBeLessThanOrEqual(DEEPEST);
        expect(many?.depth).toBeGreaterThanOrEqual(Math.min(DEEPEST, plan(requestOf({ topK }), null, ALL).depth));
        expect(few?.enough).toBeGreaterThanOrEqual(topK);
      }),
      { numRuns: 30 },
    );
  });

  test('asks for as many neighbours as bring an unfiltered depth of matches, where those are spread evenly', () => {
    const unfiltered = plan(requestOf({ topK: 10 }), null, ALL).depth;
    const collection = collectionOf(20_000, false, false, 0);
    expect(plan(requestOf({ topK: 10, filter }), 5_000, collection).depth).toBe(4 * unfiltered);
  });

  test('without a filter asks for at least four times the hits that are wanted', () => {
    for (const topK of [1, 10, 50]) {
      const planned = plan(requestOf({ topK }), null, ALL);
      expect(planned).toMatchObject({ filterPlan: 'none', candidates: 'retrieved', matchedByFilter: null });
      expect(planned.depth).toBeGreaterThanOrEqual(4 * topK);
    }
  });

  test('takes a filter without any value for no filter', () => {
    expect(restricts({})).toBe(false);
    expect(restricts({ grade: undefined } as object)).toBe(false);
    expect(restricts({ difficultyMin: 1 })).toBe(true);
  });

  test('chooses exact retrieval for the best scores of covered collections, and Chroma beside it unless all are covered', () => {
    const lanes = ['chroma', 'lexical', 'label'];
    const retrievers = (request: SearchRequest, collection: Collection) => plan(request, null, collection).retrievers;
    expect(retrievers(requestOf(), collectionOf(TOTAL, true, true))).toEqual(['exact']);
    expect(retrievers(requestOf(), collectionOf(TOTAL, true, false))).toEqual(['chroma', 'exact']);
    expect(retrievers(requestOf(), ALL)).toEqual(lanes);
    for (const other of [{ fusion: 'RRF' }, { perLane: 5 }, { avoid: { ...requestOf().avoid, error: 1 } }] as const) {
      expect(retrievers(requestOf(other), collectionOf(TOTAL, true, true))).toEqual(lanes);
    }
    for (const matched of [2_001, TOTAL]) {
      const planned = plan(requestOf({ filter }), matched, collectionOf(TOTAL, true, true));
      expect(planned).toMatchObject({ retrievers: ['exact'], filterPlan: 'exact', depth: 100, enough: 0 });
    }
  });

  test('scores every card of a small notebook, unless each lane is asked for every card anyway', async () => {
    const { depth } = plan(requestOf(), null, ALL);
    for (const cards of [depth, depth + 1]) {
      const parts = await partsOf({ cards: Array.from({ length: cards }, (_, place) => cardOf({ id: `c${place}` })) });
      const scope = await scopeOf(parts, DEFAULT_VIEWER, requestOf(), new AbortController().signal);
      expect(planSearch(parts, scope).candidates).toBe(cards > depth ? 'matches' : 'retrieved');
    }
  });

  test("retrieves a viewer's own cards from the columns only if they are many and all there, and never from Chroma", async () => {
    const parts = await partsOf({ cards: [cardOf({ id: 'a' })] });
    const student = { ...DEFAULT_VIEWER, role: 'student' } as const;
    const planOf = async (own: number, coversAll: boolean, changes: Partial<SearchRequest> = {}) => {
      const scope = await scopeOf(parts, student, requestOf(changes), new AbortController().signal);
      const index = Object.create(scope.index, { size: { value: own } });
      const exact = { limit: 50_000, covers: () => true, coversAll: () => coversAll };
      return planSearch({ retrievers: { exact } }, { ...scope, index });
    };
    expect(await planOf(5_000, true)).toMatchObject({ retrievers: ['exact'], candidates: 'retrieved' });
    const everyCard = { retrievers: [], candidates: 'matches' };
    expect(await planOf(5_000, false)).toMatchObject(everyCard);
    expect(await planOf(300, true)).toMatchObject(everyCard);
    for (const other of [{ fusion: 'RRF' }, { perLane: 5 }, { strategy: 'LAYERED' }] as const)
      expect(await planOf(5_000, true, other)).toMatchObject(everyCard);
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
        ({ topK, ...given }, cards, covered, coveredAll) => {
          const request = requestOf({ ...given, topK: topK + 1 });
          const limit = exactLimit(request, collectionOf(cards, covered, covered && coveredAll));
          expect(limit).toBeLessThanOrEqual(cards);
          if (cards <= 100) expect(limit).toBe(cards);
        },
      ),
    );
  });

  test('is a small part of a large notebook: there the lanes are asked where most cards match', () => {
    for (const cards of [20_000, 50_000, 200_000]) {
      const limit = exactLimit(requestOf(), collectionOf(cards));
      expect(limit).toBeGreaterThan(exactLimit(requestOf(), collectionOf(1_000)));
      expect(limit).toBeLessThan(cards / 10);
    }
  });

  test('is higher where more lanes would have to be asked', () => {
    const one = { question: 1, solution: 0, concept: 0, error: 0 };
    const all = { question: 1, solution: 1, concept: 1, error: 1 };
    const notebook = ALL;
    expect(exactLimit(requestOf({ weights: all }), notebook)).toBeGreaterThan(
      exactLimit(requestOf({ weights: one }), notebook),
    );
  });
});

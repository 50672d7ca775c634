import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SearchPages } from '../../../resolvers/search/search-page.js';
import type { Card } from '../../../src/domain/card.js';
import { byPerspective } from '../../../src/domain/perspective.js';
import { type CardFilter, FUSION_NAMES, type RecallLayer, type SearchRequest } from '../../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { Engine } from '../../../src/search/engine.js';
import { bruteForce } from '../../support/brute-force.js';
import { idsIn, partsOf, searchIn } from '../../support/engine-world.js';
import { cardsArb, requestOf, textArb, weightsArb } from '../../support/generators.js';
import { runs } from '../../support/runs.js';

interface Case {
  readonly cards: readonly Card[];
  readonly neverExact: boolean;
  readonly columns: boolean;
  readonly request: SearchRequest;
}

/**
 * Searches of any kind that choose by scores alone. The question always counts, so that every card is a candidate by
 * either plan; no bound is one that a score can meet exactly.
 */
const caseArb: fc.Arbitrary<Case> = cardsArb(12).chain((cards) =>
  fc
    .record({
      subject: fc.oneof(
        fc.record({ kind: fc.constant('text' as const), text: textArb }),
        fc.record({ kind: fc.constant('text' as const), text: fc.constantFrom('Sign errors', '计算错误') }),
        fc.record({ kind: fc.constant('card' as const), cardId: fc.constantFrom(...cards.map(({ id }) => id)) }),
      ),
      weights: weightsArb.map((weights) => ({ ...weights, question: weights.question + 0.1 })),
      defaultWeights: fc.boolean(),
      avoided: fc.constantFrom(0, 0, 0.3701, 1.9003),
      lexicalShare: fc.constantFrom(0, 0.3, 0.5, 0.9),
      topK: fc.integer({ min: 1, max: 50 }),
      filter: fc.constantFrom<CardFilter>({}, { subject: ['math'] }, { difficultyMin: 3 }),
      fusion: fc.constantFrom(...FUSION_NAMES),
      minScore: fc.constantFrom(null, null, 0.2003),
      thresholdSteps: fc.constantFrom([0], [0.7001], [0.6001, 0.3001, 0.1003]),
      minResults: fc.integer({ min: 0, max: 6 }),
      keywords: fc.constantFrom([], ['circle'], ['勾股定理', 'sign error']),
      expand: fc.boolean(),
      perLane: fc.constantFrom(null, null, 1, 3),
    })
    .map((given) => (given.defaultWeights ? { ...given, weights: { ...given.weights, error: 0 } } : given))
    .chain(({ avoided, ...given }) => {
      const avoid = byPerspective((perspective) => (given.weights[perspective] > 0 ? 0 : avoided));
      return fc.record({
        cards: fc.constant(cards),
        neverExact: fc.boolean(),
        columns: fc.boolean(),
        request: fc.constant(requestOf({ ...given, avoid })),
      });
    }),
);

interface AdmissionControl {
  readonly layer: RecallLayer;
  readonly threshold: number;
}

/** The layers of a search of prose that is not expanded, each by looking at every card with it alone. */
function naiveLayers(cards: readonly Card[], request: SearchRequest): ReadonlyMap<string, AdmissionControl> {
  const { topK, minResults, thresholdSteps } = request;
  const steps = thresholdSteps ?? [];
  const none = byPerspective(() => 0);
  // Errors to avoid get no weight by their name either.
  const defaultWeights = request.defaultWeights && request.avoid.error === 0;
  const bare = {
    ...request,
    defaultWeights,
    avoid: none,
    perLane: null,
    thresholdSteps: [0],
    fusion: 'WEIGHTED' as const,
  };
  const admitted = new Map<string, AdmissionControl>();
  for (const [layer, lexicalShare, enough] of [
    ['SEMANTIC', 0, 0.8],
    ['KEYWORD', 1, 0.7],
  ] as const) {
    const similar = [...bruteForce(cards, { ...bare, lexicalShare })].filter(
      ([id, score]) => score > 0 && !admitted.has(id),
    );
    const wanted = Math.max(1, Math.min(minResults, topK) - admitted.size);
    const reaching = (step: number) => similar.filter(([, score]) => score >= step);
    const last = steps.find((step) => reaching(step).length >= wanted) ?? (steps.at(-1) as number);
    for (const [id, score] of reaching(last)) {
      admitted.set(id, { layer, threshold: Math.max(...steps.filter((step) => step <= score)) });
    }
    if (admitted.size >= enough * topK) break;
  }
  return admitted;
}

describe('Engine', () => {
  test('equals an exhaustive search for any subject, weights, fusion, filter, contrast, threshold and quota', async () => {
    await fc.assert(
      fc.asyncProperty(caseArb, async ({ cards, neverExact, columns, request }) => {
        const { hits } = await searchIn({ cards, neverExact, columns, alone: columns }, request);
        const expected = bruteForce(cards, request);
        const best = [...expected.values()].sort((a, b) => b - a).slice(0, request.topK);
        expect(hits).toHaveLength(best.length);
        hits.forEach(({ card, score, rank, lanes }, place) => {
          expect(rank).toBe(place + 1);
          expect(score).toBeCloseTo(best[place] ?? Number.NaN, 9);
          expect(score).toBeCloseTo(expected.get(card.id) ?? Number.NaN, 9);
          expect(lanes.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(score, 9);
        });
      }),
      { numRuns: runs(200) },
    );
  });

  test('has on its pages the hits of one long list, each once, and in its order where scores alone decide', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        caseArb,
        sizes,
        fc.constantFrom(0, 0, 0.5),
        async ({ cards, neverExact, columns, request }, topKs, diversity) => {
          const engine = new Engine(await partsOf({ cards, neverExact, columns, alone: columns }));
          const { signal } = new AbortController();
          const asked = { ...request, diversity };
          const whole = idsIn(await engine.search(DEFAULT_VIEWER, { ...asked, topK: 200 }, signal));
          const seen: string[] = [];
          for (let after: string | null = null, place = 0, isMore = true; isMore; place += 1) {
            const size = topKs[place % topKs.length] as number;
            const pages: SearchPages = new SearchPages({
              viewer: DEFAULT_VIEWER,
              asked: {},
              request: { ...asked, topK: size },
              after,
            });
            const page = pages.pageOf(await engine.search(DEFAULT_VIEWER, pages.request, signal));
            expect(page.hits.length).toBeLessThanOrEqual(size);
            expect(page.hits.map(({ rank }) => rank)).toEqual(page.hits.map((_, nth) => seen.length + nth + 1));
            seen.push(...idsIn(page));
            ({ hasNextPage: isMore, endCursor: after } = page.pageInfo);
            expect(isMore).toBe(seen.length < whole.length);
          }
          expect([...seen].sort()).toEqual([...whole].sort());
          const isByScore = request.fusion === 'WEIGHTED' && diversity === 0;
          if (isByScore && Object.values(request.avoid).every((weight) => weight === 0)) expect(seen).toEqual(whole);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  test('gives a card the same score with and without a filter', async () => {
    await fc.assert(
      fc.asyncProperty(
        caseArb,
        fc.constantFrom('hybridSearch' as const, 'byConcept' as const, 'byError' as const),
        fc.constantFrom<CardFilter>({ subject: ['math'] }, { difficultyMin: 3 }),
        async ({ cards, neverExact, columns, request }, operation, filter) => {
          const every = { operation, fusion: 'WEIGHTED', minScore: null, thresholdSteps: [0], perLane: null, topK: 50 };
          const asked = requestOf({
            ...request,
            ...every,
            inferredWeight: 0.4,
            expand: true,
            filter: {},
          } as SearchRequest);
          const world = { cards, neverExact, columns, alone: columns };
          const unfiltered = await searchIn(world, asked);
          const scores = new Map(unfiltered.hits.map(({ card, score }) => [card.id, score]));
          const { hits } = await searchIn(world, { ...asked, filter });
          for (const { card, score } of hits) expect(score).toBeCloseTo(scores.get(card.id) ?? Number.NaN, 9);
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test('finds a subset by layers, with the same scores and reasons except ranks', async () => {
    await fc.assert(
      fc.asyncProperty(
        caseArb,
        fc.constantFrom('hybridSearch' as const, 'byConcept' as const, 'byError' as const),
        async ({ cards, neverExact, columns, request }, operation) => {
          // Who votes on labels depends on who is a candidate; so would the places that RRF and RELATIVE compare.
          const fused = requestOf({ ...request, operation, expand: false, fusion: 'WEIGHTED', perLane: null });
          const atOnce = await searchIn(
            { cards, neverExact, columns, alone: columns },
            { ...fused, thresholdSteps: [0], topK: 50 },
          );
          const byLayers = await searchIn(
            { cards, neverExact, columns, alone: columns },
            { ...fused, strategy: 'LAYERED' },
          );
          const reasons = new Map(
            atOnce.hits.map(({ card, lanes }) => [card.id, lanes.map((lane) => ({ ...lane, rank: 0 }))]),
          );
          const scores = new Map(atOnce.hits.map(({ card, score }) => [card.id, score]));
          for (const { card, score, lanes } of byLayers.hits) {
            expect(score).toBe(scores.get(card.id));
            expect(lanes.map((lane) => ({ ...lane, rank: 0 }))).toEqual(reasons.get(card.id));
          }
          const sorted = [...byLayers.hits].sort((a, b) => b.score - a.score);
          expect(byLayers.hits.map(({ score }) => score)).toEqual(sorted.map(({ score }) => score));
        },
      ),
      { numRuns: runs(200) },
    );
  });

  test('returns by layers what an exhaustive search with each layer returns', async () => {
    await fc.assert(
      fc.asyncProperty(caseArb, async ({ cards, neverExact, columns, request: given }) => {
        const plain = { expand: false, fusion: 'WEIGHTED', minScore: null, perLane: null } as const;
        const request = { ...given, ...plain, strategy: 'LAYERED' as const };
        const { hits } = await searchIn({ cards, neverExact, columns, alone: columns }, { ...request, topK: 50 });
        const admitted = naiveLayers(cards, { ...request, topK: 50 });
        const scores = bruteForce(cards, { ...request, thresholdSteps: [0] });
        const expected = new Map([...admitted].filter(([id]) => scores.has(id)));
        expect(new Map(hits.map(({ card, layer, threshold }) => [card.id, { layer, threshold }]))).toEqual(expected);
      }),
      { numRuns: runs(200) },
    );
  });

  test('gives every hit of a layered search its layer, and the highest step that it reached there', async () => {
    await fc.assert(
      fc.asyncProperty(caseArb, async ({ cards, neverExact, columns, request }) => {
        const layered = requestOf({ ...request, strategy: 'LAYERED' });
        const { hits, receipt } = await searchIn({ cards, neverExact, columns, alone: columns }, layered);
        const layers = receipt.layers.map(({ layer }) => layer);
        for (const { layer, threshold } of hits) {
          expect(layers).toContain(layer);
          if (request.minScore !== null) expect(threshold).toBeNull();
          else expect(receipt.thresholdsTried).toContain(threshold);
        }
        if (request.minScore !== null) expect(receipt.thresholdsTried).toEqual([]);
        const admitted = receipt.layers.reduce((sum, trial) => sum + trial.admitted, 0);
        expect(receipt.candidates).toBe(admitted);
      }),
      { numRuns: runs(100) },
    );
  });

  test('is deterministic, whatever the order in which the cards were stored', async () => {
    const shuffledArb = caseArb.chain((given) =>
      fc.record({
        given: fc.constant(given),
        cards: fc.shuffledSubarray([...given.cards], { minLength: given.cards.length }),
        strategy: fc.constantFrom('FUSED' as const, 'LAYERED' as const),
        diversity: fc.constantFrom(0, 0.4),
        preferQuality: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(shuffledArb, async ({ given, cards, ...options }) => {
        const request = { ...given.request, ...options };
        const one = await searchIn({ cards: given.cards, neverExact: given.neverExact }, request);
        const other = await searchIn({ cards, neverExact: given.neverExact }, request);
        expect(idsIn(other)).toEqual(idsIn(one));
      }),
      { numRuns: runs(200) },
    );
  });
});

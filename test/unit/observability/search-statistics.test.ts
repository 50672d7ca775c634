import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadInputError, NotFoundError, UnavailableError } from '../../../src/domain/errors.js';
import type { SearchOperation } from '../../../src/domain/search.js';
import type { FilterPlan, SearchResult } from '../../../src/domain/search-result.js';
import { DEFAULT_VIEWER, type Viewer } from '../../../src/domain/viewer.js';
import { ObservedEngine, type SearchEvent } from '../../../src/observability/observed-engine.js';
import { SearchStatistics } from '../../../src/observability/search-statistics.js';
import { cardOf, requestOf } from '../../support/generators.js';

const WINDOW = 5;
const { signal } = new AbortController();

const other: Viewer = { tenantId: 'other', ownerId: 'someone', role: 'student' };

/** What of a search matters here. */
interface Search {
  readonly viewer: Viewer;
  readonly operation: SearchOperation;
  readonly hits: number;
  readonly degraded: boolean;
  readonly tookMs: number;
  readonly filterPlan: FilterPlan;
  /** By stage, in milliseconds. */
  readonly stages: Readonly<Record<string, number>>;
}

function search(given: Partial<Search> = {}): Search {
  return {
    viewer: DEFAULT_VIEWER,
    operation: 'hybridSearch',
    hits: 1,
    degraded: false,
    tookMs: 10,
    filterPlan: 'none',
    stages: {},
    ...given,
  };
}

function resultOf({ hits, degraded, tookMs, filterPlan, stages }: Search): SearchResult {
  const hit = { card: cardOf({ id: 'a' }), rank: 1, score: 0.5, lanes: [] } as unknown as SearchResult['hits'][number];
  const receipt = {
    tookMs,
    filterPlan,
    degraded: degraded ? [{ part: 'chroma', reason: 'no answer' }] : [],
    stages: Object.entries(stages).map(([stage, ms]) => ({ stage, tookMs: ms })),
  } as unknown as SearchResult['receipt'];
  return { hits: Array(hits).fill(hit), hasMore: false, receipt };
}

function eventOf(one: Search): SearchEvent {
  const { viewer, operation, tookMs } = one;
  return { viewer, request: requestOf({ operation }), tookMs, result: resultOf(one), failure: null };
}

function newLog(embeddingCacheHitRate: () => number | null = () => null): SearchStatistics {
  return new SearchStatistics({ embeddingCacheHitRate, window: WINDOW });
}

async function runAll(log: SearchStatistics, searches: readonly Search[]): Promise<void> {
  for (const one of searches) log.record(eventOf(one));
}

const searchArb: fc.Arbitrary<Search> = fc.record({
  viewer: fc.constantFrom(DEFAULT_VIEWER, other),
  operation: fc.constantFrom<SearchOperation>('hybridSearch', 'byError', 'byConcept'),
  hits: fc.integer({ min: 0, max: 2 }),
  degraded: fc.boolean(),
  tookMs: fc.integer({ min: 0, max: 100 }),
  filterPlan: fc.constantFrom<FilterPlan>('none', 'exact', 'overfetch'),
  stages: fc.record({ embed: fc.integer({ min: 0, max: 9 }), recall: fc.integer({ min: 0, max: 9 }) }),
});

/** The value at a share of a list, by sorting and counting. */
function naivePercentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = sorted.findIndex((_, below) => below + 1 >= share * sorted.length);
  return Number(sorted[place]);
}

describe('search statistics', () => {
  test('equal a naive computation over the latest searches of each kind of a tenant', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(searchArb, { maxLength: 40 }), async (searches) => {
        const log = newLog();
        await runAll(log, searches);
        const own = searches.filter(({ viewer }) => viewer === DEFAULT_VIEWER);
        const kinds = [...new Set(own.map(({ operation }) => operation))].sort();
        const latestOf = (kind: SearchOperation): readonly Search[] =>
          own.filter(({ operation }) => operation === kind).slice(-WINDOW);
        const recent = kinds.flatMap(latestOf);
        const rate = (is: (one: Search) => boolean): number | null =>
          recent.length === 0 ? null : recent.filter(is).length / recent.length;

        const metrics = log.metrics(DEFAULT_VIEWER);
        expect(metrics).toMatchObject({
          searches: own.length,
          failed: 0,
          recent: recent.length,
          zeroResultRate: rate(({ hits }) => hits === 0),
          degradedRate: rate(({ degraded }) => degraded),
          embeddingCacheHitRate: null,
          operations: kinds.map((operation) => {
            const times = latestOf(operation).map(({ tookMs }) => tookMs);
            return {
              operation,
              searches: own.filter((one) => one.operation === operation).length,
              p50Ms: naivePercentile(times, 0.5),
              p95Ms: naivePercentile(times, 0.95),
              p99Ms: naivePercentile(times, 0.99),
            };
          }),
        });
        const stages = recent.length === 0 ? [] : ['embed', 'recall'];
        expect(metrics.stages).toEqual(
          stages.map((stage) => {
            const times = recent.map((one) => Number(one.stages[stage]));
            return { stage, p50Ms: naivePercentile(times, 0.5), p95Ms: naivePercentile(times, 0.95) };
          }),
        );
        const plans = new Map(metrics.filterPlans.map(({ plan, searches: count }) => [plan, count]));
        for (const plan of ['none', 'exact', 'overfetch'] as const) {
          expect(plans.get(plan) ?? 0).toBe(recent.filter(({ filterPlan }) => filterPlan === plan).length);
        }
      }),
    );
  });

  test('an observed engine returns the result, and throws the error, of its engine', async () => {
    const result = resultOf(search());
    const answering = new ObservedEngine({ search: async () => result }, [newLog().record]);
    expect(await answering.search(DEFAULT_VIEWER, requestOf(), signal)).toBe(result);
    const failure = new UnavailableError('chroma', 'no answer');
    const failing = new ObservedEngine({ search: () => Promise.reject(failure) }, [newLog().record]);
    await expect(failing.search(DEFAULT_VIEWER, requestOf(), signal)).rejects.toBe(failure);
  });

  test('count failed searches, but no invalid ones', async () => {
    const log = newLog();
    const fail = (error: Error): Promise<unknown> =>
      new ObservedEngine({ search: () => Promise.reject(error) }, [log.record])
        .search(DEFAULT_VIEWER, requestOf(), signal)
        .catch(() => undefined);
    await fail(new BadInputError('text', 'has no word'));
    await fail(new NotFoundError('card', 'a'));
    expect(log.metrics(DEFAULT_VIEWER)).toMatchObject({ searches: 0, failed: 0 });
    await fail(new UnavailableError('chroma', 'no answer'));
    await fail(new Error('a bug'));
    expect(log.metrics(DEFAULT_VIEWER)).toMatchObject({ searches: 0, failed: 2, operations: [] });
    expect(log.metrics(other).failed).toBe(0);
  });

  test('have no rates before the first search', () => {
    expect(newLog().metrics(DEFAULT_VIEWER)).toEqual({
      searches: 0,
      failed: 0,
      recent: 0,
      zeroResultRate: null,
      degradedRate: null,
      embeddingCacheHitRate: null,
      operations: [],
      stages: [],
      filterPlans: [],
    });
  });

  test('have the hit rate of the embedding cache', () => {
    expect(newLog(() => 0.75).metrics(DEFAULT_VIEWER).embeddingCacheHitRate).toBe(0.75);
  });
});

test('are kept for the hundred most recent tenants only', async () => {
  const log = new SearchStatistics({ embeddingCacheHitRate: () => null });
  const viewer = (n: number): Viewer => ({ ...other, tenantId: `school-${n}` });
  const asked = (n: number): number => log.metrics(viewer(n)).searches;
  for (let n = 0; n < 101; n += 1) {
    log.record(eventOf(search({ viewer: viewer(n) })));
  }
  expect([asked(100), asked(1)]).toEqual([1, 1]);
  expect(asked(0)).toBe(0);
});

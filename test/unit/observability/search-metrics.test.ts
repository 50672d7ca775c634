import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadInputError, NotFoundError, UnavailableError } from '../../../src/domain/errors.js';
import type { FilterPlan, SearchOperation, SearchResult } from '../../../src/domain/search.js';
import { DEFAULT_VIEWER, type Viewer } from '../../../src/domain/viewer.js';
import { SearchLog } from '../../../src/observability/search-metrics.js';
import { cardOf } from '../../support/generators.js';

const WINDOW = 5;

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
  return { hits: Array(hits).fill(hit), receipt };
}

function newLog(embeddingCacheHitRate: () => number | null = () => null): SearchLog {
  return new SearchLog({ embeddingCacheHitRate, window: WINDOW });
}

async function runAll(log: SearchLog, searches: readonly Search[]): Promise<void> {
  for (const one of searches) await log.measure(one.operation, one.viewer, async () => resultOf(one));
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

describe('the search log', () => {
  test('says of one tenant, of the latest searches of each kind, what a look at all of them says', async () => {
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

  test('answers as the search does, and fails as it does', async () => {
    const log = newLog();
    const result = resultOf(search());
    expect(await log.measure('byError', DEFAULT_VIEWER, async () => result)).toBe(result);
    const failure = new UnavailableError('chroma', 'no answer');
    await expect(log.measure('byError', DEFAULT_VIEWER, () => Promise.reject(failure))).rejects.toBe(failure);
  });

  test('counts a search without an answer as failed, unless it asked for what cannot be', async () => {
    const log = newLog();
    const fail = (error: Error): Promise<unknown> =>
      log.measure('byError', DEFAULT_VIEWER, () => Promise.reject(error)).catch(() => undefined);
    await fail(new BadInputError('text', 'has no word'));
    await fail(new NotFoundError('card', 'a'));
    expect(log.metrics(DEFAULT_VIEWER)).toMatchObject({ searches: 0, failed: 0 });
    await fail(new UnavailableError('chroma', 'no answer'));
    await fail(new Error('a bug'));
    expect(log.metrics(DEFAULT_VIEWER)).toMatchObject({ searches: 0, failed: 2, operations: [] });
    expect(log.metrics(other).failed).toBe(0);
  });

  test('knows no rate before the first search', () => {
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

  test('passes on how often the cache in front of the model had the vector', () => {
    expect(newLog(() => 0.75).metrics(DEFAULT_VIEWER).embeddingCacheHitRate).toBe(0.75);
  });
});

test('forgets the tenant that searched longest ago, so that many schools take no more memory than a hundred', async () => {
  const log = new SearchLog({ embeddingCacheHitRate: () => null });
  const viewer = (n: number): Viewer => ({ ...other, tenantId: `school-${n}` });
  const asked = (n: number): number => log.metrics(viewer(n)).searches;
  for (let n = 0; n < 101; n += 1) {
    await log.measure('hybridSearch', viewer(n), async () => resultOf(search()));
  }
  expect([asked(100), asked(1)]).toEqual([1, 1]);
  expect(asked(0)).toBe(0);
});

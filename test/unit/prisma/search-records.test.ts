import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresSearchRecords } from '../../../prisma/evaluation/search-records.js';
import type { SearchRecord } from '../../../src/domain/ports/search-log.js';
import { type Fixture, openFixture } from './fixture.js';

let fixture: Fixture;
let records: PostgresSearchRecords;
beforeAll(async () => {
  fixture = await openFixture();
  records = new PostgresSearchRecords(fixture.database);
  await records.append('school', logged);
  await records.append('other', [record({ queryText: 'of another school', hitIds: [] })]);
});
afterAll(() => fixture?.close());

const viewer = { tenantId: 'school', ownerId: 'anna', role: 'teacher' } as const;
const day = (date: number): Date => new Date(Date.UTC(2026, 8, date));

function record(given: Partial<SearchRecord> = {}): SearchRecord {
  return {
    at: day(1),
    operation: 'hybridSearch',
    queryHash: new Uint8Array(16),
    queryText: null,
    filterPlan: 'none',
    lanes: ['dense question'],
    hitIds: ['a'],
    degraded: [],
    error: null,
    tookMs: 1,
    stages: [
      { stage: 'plan', tookMs: 0.5 },
      { stage: 'embed', tookMs: 0.25 },
    ],
    ...given,
  };
}

const logged = [
  ...Array.from({ length: 20 }, (_, place) => record({ at: day(2), tookMs: place + 1 })),
  record({ at: day(3), operation: 'byError', hitIds: [], queryText: 'lost', degraded: ['chroma'] }),
  record({ at: day(4), operation: 'byError', hitIds: [], queryText: 'lost' }),
  record({ at: day(4), operation: 'byConcept', hitIds: [], queryText: 'rare', tookMs: 7 }),
  record({ at: day(4), hitIds: [], queryText: 'behind a filter', filterPlan: 'exact' }),
  record({ at: day(5), hitIds: [], queryText: 'broken', filterPlan: null, error: 'UNAVAILABLE', stages: [] }),
];

describe('the search log in PostgreSQL', () => {
  test('gives the metrics of a time window, percentiles by nearest rank', async () => {
    const all = await records.metrics(viewer, { after: null, before: null });
    expect(all).toMatchObject({ searches: 24, failed: 1, zeroResultRate: 4 / 24, degradedRate: 1 / 24 });
    expect(all.operations.map(({ operation, searches }) => [operation, searches])).toEqual([
      ['byConcept', 1],
      ['byError', 2],
      ['hybridSearch', 21],
    ]);
    expect(all.stages.map(({ stage }) => stage)).toEqual(['plan', 'embed']);
    expect(all.filterPlans).toEqual([
      { plan: 'none', searches: 23 },
      { plan: 'exact', searches: 1 },
    ]);
    const second = await records.metrics(viewer, { after: day(2), before: day(3) });
    expect(second).toMatchObject({ searches: 20, failed: 0, zeroResultRate: 0 });
    expect(second.operations).toEqual([{ operation: 'hybridSearch', searches: 20, p50Ms: 10, p95Ms: 19, p99Ms: 20 }]);
  });

  test('has no rates for a window without searches', async () => {
    const none = await records.metrics(viewer, { after: day(20), before: null });
    expect(none).toMatchObject({ searches: 0, failed: 0, zeroResultRate: null, degradedRate: null, operations: [] });
  });

  test('deletes rows older than a number of days, of all tenants, the oldest first, up to a limit', async () => {
    // Older than anything else in this log.
    const days = 20_000;
    const aged = (past: number): SearchRecord => record({ at: new Date(Date.now() - (days + past) * 86_400_000) });
    await records.append('forgetful', [aged(10), aged(1), aged(0.1), aged(-0.1), aged(-1)]);
    await records.append('as-forgetful', [aged(20)]);
    const left = async (tenantId: string): Promise<number> =>
      (await records.metrics({ ...viewer, tenantId }, { after: null, before: null })).searches;
    expect(await records.forget(days, 2)).toBe(2);
    expect([await left('forgetful'), await left('as-forgetful')]).toEqual([4, 0]);
    expect(await records.forget(days, 100)).toBe(2);
    expect(await left('forgetful')).toBe(2);
    expect(await records.forget(days, 100)).toBe(0);
    expect(await left('school')).toBeGreaterThan(0);
  });

  test('lists texts with zero results: not those of another tenant, with a filter, or of a failed search', async () => {
    const found = await records.zeroResults(viewer, { after: null, before: null }, 10);
    expect(found).toEqual([
      { operation: 'byError', text: 'lost', searches: 2, lastAt: day(4) },
      { operation: 'byConcept', text: 'rare', searches: 1, lastAt: day(4) },
    ]);
    expect(await records.zeroResults(viewer, { after: day(4), before: null }, 1)).toEqual([
      { operation: 'byError', text: 'lost', searches: 1, lastAt: day(4) },
    ]);
  });
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../prisma/client.js';
import { PostgresSearchRecords } from '../../../prisma/evaluation/search-records.js';
import { Closers } from '../../../src/domain/async.js';
import { createEvaluation, type EvaluationParts } from '../../../src/evaluation/create-evaluation.js';
import { until } from '../../support/until.js';
import { type Fixture, openFixture } from '../prisma/fixture.js';

const DAY_MS = 86_400_000;

const statements: string[] = [];
let fixture: Fixture;
let closers: Closers;
beforeEach(async () => {
  fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
  closers = new Closers();
});
afterEach(async () => {
  await closers.close();
  await fixture.close();
});

/** Starts evaluation with a search log that keeps 30 days, while searches are not logged. */
async function started(database: Database, warnings: string[]): Promise<void> {
  await createEvaluation({
    database,
    closers,
    backgroundEngine: {} as EvaluationParts['backgroundEngine'],
    background: {} as EvaluationParts['background'],
    ledger: {} as EvaluationParts['ledger'],
    tenants: {} as EvaluationParts['tenants'],
    cards: { byIds: async () => new Map(), mergedInto: async () => new Map() },
    tokenizer: { tokens: () => [] },
    config: {
      embedding: { model: 'builtin' },
      searchProfile: 'default',
      learnWeights: false,
      searchLog: 'off',
      searchLogDays: 30,
    },
    installation: 'installation',
    log: { info: () => undefined, warn: (_facts, message) => warnings.push(message), error: () => undefined },
  });
}

test('expired entries of the search log are deleted in batches, also if searches are not logged any more', async () => {
  const records = new PostgresSearchRecords(fixture.database);
  const searched = (daysAgo: number) => ({
    at: new Date(Date.now() - daysAgo * DAY_MS),
    operation: 'hybridSearch' as const,
    queryHash: new Uint8Array(16),
    queryText: null,
    filterPlan: 'none' as const,
    lanes: [],
    hitIds: [],
    degraded: [],
    error: null,
    tookMs: 1,
    stages: [],
  });
  await records.append('school', [...Array.from({ length: 1_100 }, () => searched(31)), searched(29)]);
  const kept = () => fixture.database.run(({ searchLog }) => searchLog.count());
  const warnings: string[] = [];
  await started(fixture.database, warnings);
  await until(async () => (await kept()) === 1, { deadlineMs: 30_000, what: 'expired searches to be deleted' });
  await closers.close();
  expect(await kept()).toBe(1);
  const deletions = statements.filter((sql) => sql.includes('DELETE FROM search_log'));
  // At most 500 each.
  expect(deletions.length).toBeGreaterThanOrEqual(3);
  expect(warnings).toEqual([]);
});

test('a failure to delete them is logged, and ends nothing', async () => {
  const warnings: string[] = [];
  await fixture.database.close();
  await started(fixture.database, warnings);
  await until(() => warnings.length > 0, { deadlineMs: 30_000, what: 'a warning' });
  expect(warnings).toEqual(['expired entries of the search log could not be deleted']);
});

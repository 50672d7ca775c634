import { afterEach, expect, test } from 'vitest';
import type { BackgroundLoop } from '../../../src/domain/background-loop.js';
import { searchLogRetention } from '../../../src/observability/search-log-retention.js';
import { deferred } from '../../support/deferred.js';
import { until } from '../../support/until.js';

/** A log with so many old searches. */
function oldSearches(count: number) {
  const log = { left: count, asked: [] as { readonly days: number; readonly limit: number }[] };
  const forget = async (days: number, limit: number): Promise<number> => {
    log.asked.push({ days, limit });
    const gone = Math.min(limit, log.left);
    log.left -= gone;
    return gone;
  };
  return { log, forget };
}

const quiet = { warn: () => undefined };

let retention: BackgroundLoop | undefined;
afterEach(() => retention?.close());

test('all expired searches are deleted from the log soon after the start, in batches', async () => {
  const { log, forget } = oldSearches(1_100);
  retention = searchLogRetention({ records: { forget }, days: 30, log: quiet });
  retention.start();
  await until(() => log.left === 0, { deadlineMs: 30_000, what: 'the old searches to be gone' });
  await retention.close();
  expect(log.asked.map(({ days }) => days)).toEqual([30, 30, 30]);
  expect(Math.max(...log.asked.map(({ limit }) => limit))).toBeLessThanOrEqual(500);
});

test('closing waits for the running batch, and starts no other', async () => {
  const batch = deferred();
  let asked = 0;
  const forget = async (_days: number, limit: number): Promise<number> => {
    asked += 1;
    await batch.promise;
    return limit;
  };
  retention = searchLogRetention({ records: { forget }, days: 1, log: quiet });
  retention.start();
  let closed = false;
  const closing = retention.close().then(() => {
    closed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(false);
  batch.resolve();
  await closing;
  expect(asked).toBe(1);
});

test('an unavailable database is logged, and ends nothing', async () => {
  const warnings: string[] = [];
  const records = { forget: () => Promise.reject(new Error('away')) };
  const log = { warn: (_facts: object, message: string) => warnings.push(message) };
  retention = searchLogRetention({ records, days: 90, log });
  retention.start();
  await until(() => warnings.length > 0, { deadlineMs: 30_000, what: 'a warning' });
  await retention.close();
  expect(warnings).toEqual(['expired entries of the search log could not be deleted']);
});

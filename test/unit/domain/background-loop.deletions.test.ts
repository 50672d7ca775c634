import { afterEach, expect, test } from 'vitest';
import { type BackgroundLoop, deletionLoop } from '../../../src/domain/background-loop.js';
import { deferred } from '../../support/deferred.js';
import { until } from '../../support/until.js';

const unexpected = (error: Error): never => {
  throw error;
};

let loop: BackgroundLoop | undefined;
afterEach(() => loop?.close());

test('everything is deleted soon after the start, in batches', async () => {
  let left = 1_100;
  const limits: number[] = [];
  const forget = async (limit: number): Promise<number> => {
    limits.push(limit);
    const gone = Math.min(limit, left);
    left -= gone;
    return gone;
  };
  loop = deletionLoop({ forget, batch: 500, onFailure: unexpected });
  loop.start();
  await until(() => left === 0, { deadlineMs: 30_000, what: 'everything to be gone' });
  await loop.close();
  expect(limits).toEqual([500, 500, 500]);
});

test('closing waits for the running batch, and starts no other', async () => {
  const batch = deferred();
  let asked = 0;
  const forget = async (limit: number): Promise<number> => {
    asked += 1;
    await batch.promise;
    return limit;
  };
  loop = deletionLoop({ forget, batch: 500, onFailure: unexpected });
  loop.start();
  let closed = false;
  const closing = loop.close().then(() => {
    closed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(false);
  batch.resolve();
  await closing;
  expect(asked).toBe(1);
});

test('a failure is reported, and ends nothing', async () => {
  const failures: string[] = [];
  loop = deletionLoop({
    forget: () => Promise.reject(new Error('away')),
    batch: 500,
    onFailure: ({ message }) => failures.push(message),
  });
  loop.start();
  await until(() => failures.length > 0, { deadlineMs: 30_000, what: 'the failure' });
  await loop.close();
  expect(failures).toEqual(['away']);
});

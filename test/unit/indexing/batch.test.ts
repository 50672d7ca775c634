import { expect, onTestFinished, test, vi } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { type DirtyCard, PRIORITY } from '../../../src/domain/ports/outbox.js';
import { beginBatch } from '../../../src/indexing/batch.js';
import { deferred } from '../../support/deferred.js';

const CLAIM: DirtyCard = {
  tenantId: 'default',
  cardId: 'a',
  seq: 1n,
  token: 't',
  priority: PRIORITY.change,
  attempts: 1,
  ledgerIsRight: true,
};

test('a failure to prolong claims is logged, except that of an unavailable database, which the batch itself reports', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const failures = [new UnavailableError('postgres', 'it does not answer'), new Error('no such column')];
  const prolong = vi.fn(async () => {
    throw failures[prolong.mock.calls.length - 1] as Error;
  });
  const error = vi.fn();
  const gate = deferred();
  const batch = beginBatch({ outbox: { prolong }, log: { error } }, [CLAIM], () => gate.promise);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([prolong.mock.calls.length, error.mock.calls.length]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(error.mock.calls).toEqual([[{ err: failures[1] }, 'the claims of a batch could not be prolonged']]);
  gate.resolve();
  await batch.ended;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(prolong).toHaveBeenCalledTimes(2);
});

test('a batch that fails before Chroma has its records delays no other', async () => {
  const outbox = { prolong: async () => undefined };
  const failure = new UnavailableError('chroma', 'it is stopped');
  const batch = beginBatch({ outbox, log: { error: () => undefined } }, [CLAIM], () => Promise.reject(failure));
  await batch.written;
  await expect(batch.ended).rejects.toBe(failure);
});

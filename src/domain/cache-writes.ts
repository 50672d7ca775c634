import { delay } from './async.js';
import { UnavailableError } from './errors.js';

/**
 * How the lmdb files are opened. Without `eventTurnBatching`, which is lmdb's default, a write that fails, as on a full
 * disk, also rejects a promise that nobody can handle, and the process would end.
 */
export const CACHE_OPTIONS = { encoding: 'binary', eventTurnBatching: false } as const;

/**
 * After a failed write lmdb 3.5 waits for a flush that never comes. The files need none: a crash cannot damage them.
 */
const CLOSE_MS = 1_000;

/** Waits for all writes to a cache. UnavailableError, which is retried, for a full or failed disk. */
export async function written(part: string, writes: readonly Promise<boolean>[]): Promise<void> {
  const failures = (await Promise.allSettled(writes)).filter((outcome) => outcome.status === 'rejected');
  // Rejected a moment later, with the reason.
  for (const { reason } of failures) (reason as { commitError?: Promise<never> }).commitError?.catch(() => undefined);
  const [first] = failures;
  if (first !== undefined) throw new UnavailableError(part, 'it cannot be written', { cause: first.reason });
}

/** Closes an lmdb file; leaves it to the end of the process if that hangs. */
export async function closed(lmdb: { close(): Promise<void> } | undefined): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([lmdb?.close(), delay(CLOSE_MS, over.signal)]);
  } finally {
    over.abort();
  }
}

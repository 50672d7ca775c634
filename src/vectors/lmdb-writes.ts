import { statfsSync } from 'node:fs';
import { atMost } from '../domain/async.js';
import { UnavailableError } from '../domain/errors.js';

/**
 * How the lmdb files are opened. With `eventTurnBatching`, lmdb's default, a write that fails, as on a full disk, also
 * rejects a promise that nobody can handle, and the process would end.
 */
export const CACHE_OPTIONS = { encoding: 'binary', eventTurnBatching: false } as const;

/**
 * After a failed write lmdb 3.5 waits for a flush that never comes. The files need none: a crash cannot damage them.
 */
const CLOSE_MS = 1_000;

/** More than all writes at one time need: a batch of the indexer takes up to 3 MB. */
const RESERVE_MB = 16;

/**
 * UnavailableError, which is retried, if little room is left on the disk. A write that fails can end the process: lmdb
 * 3.5.6 prints a message of up to 120 characters into 100 bytes (`last_error` in mdb.c). Synchronous, so that nothing
 * happens between the checks of the caller and the write.
 */
export function requireRoom(part: string, folder: string): void {
  if (freeBytes(folder) < RESERVE_MB * 2 ** 20) {
    throw new UnavailableError(part, `less than ${RESERVE_MB} MB are free on the disk of DATA_DIR`);
  }
}

/** Infinity if it is not known. */
function freeBytes(folder: string): number {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    // Some network file systems report no size.
    return blocks > 0 ? bavail * bsize : Number.POSITIVE_INFINITY;
  } catch {
    // The folder was deleted, which the open file outlives, or the disk fails, as the write itself reports.
    return Number.POSITIVE_INFINITY;
  }
}

/** Waits for all writes to a cache. UnavailableError, which is retried, for a full or failed disk. */
export async function written(part: string, writes: readonly Promise<boolean>[]): Promise<void> {
  const handled = writes.map((write) => write.catch(withReason));
  const failed = (await Promise.allSettled(handled)).find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw new UnavailableError(part, 'it cannot be written', { cause: failed.reason });
}

/**
 * In the turn in which lmdb rejects a write, it also rejects a promise with the reason. That must be handled at once:
 * the other writes may be parts of later transactions.
 */
function withReason(error: { readonly commitError?: Promise<never> }): never {
  error.commitError?.catch(() => undefined);
  throw error;
}

/** Closes an lmdb file; leaves it to the end of the process if that hangs. */
export async function closed(lmdb: { close(): Promise<void> } | undefined): Promise<void> {
  await atMost(CLOSE_MS, lmdb?.close());
}

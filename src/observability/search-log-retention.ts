import type { BackgroundLoop } from '../domain/background-loop.js';
import { deletionLoop } from '../domain/deletion-loop.js';
import type { SearchRecords } from '../domain/ports/search-log.js';

/** Searches deleted in one statement: some tens of ms, without locks that block inserts. */
const BATCH = 500;

export interface SearchLogRetentionParts {
  readonly records: Pick<SearchRecords, 'forget'>;
  readonly days: number;
  readonly log: { warn(facts: object, message: string): void };
}

/** Deletes expired entries of the search log: at the start and every hour, also if logging is disabled by now. */
export function searchLogRetention({ records, days, log }: SearchLogRetentionParts): BackgroundLoop {
  return deletionLoop({
    forget: (limit) => records.forget(days, limit),
    batch: BATCH,
    onFailure: (err) => log.warn({ err }, 'expired entries of the search log could not be deleted'),
  });
}

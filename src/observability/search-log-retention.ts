import { delay } from '../domain/async.js';
import { BackgroundLoop } from '../domain/background-loop.js';
import type { SearchRecords } from '../domain/ports/search-log.js';

/** Interval of deletions: the longest that an expired search is kept. */
const CHECK_MS = 3_600_000;

/** Searches deleted in one statement: some tens of ms, without locks that block inserts. */
const BATCH = 500;

/** Pause between two batches, so that a backlog of months does not overload the database. */
const REST_MS = 100;

export interface SearchLogRetentionParts {
  readonly records: Pick<SearchRecords, 'forget'>;
  /** Null: nothing is deleted. */
  readonly days: number | null;
  readonly log: { warn(facts: object, message: string): void };
}

/**
 * Deletes expired entries of the search log: at the start and every hour, in small batches, also if logging is disabled
 * by now. Failures are retried an hour later.
 */
export class SearchLogRetention {
  readonly #loop: BackgroundLoop;

  constructor(private readonly parts: SearchLogRetentionParts) {
    this.#loop = new BackgroundLoop({
      pass: (_, signal) => this.#forget(parts.days ?? Number.POSITIVE_INFINITY, signal),
      onFailure: (err) => {
        parts.log.warn({ err }, 'expired entries of the search log could not be deleted');
        return CHECK_MS;
      },
    });
  }

  start(): void {
    if (this.parts.days !== null) this.#loop.start();
  }

  /** Waits for the current batch. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  async #forget(days: number, signal: AbortSignal): Promise<number> {
    while (!signal.aborted && (await this.parts.records.forget(days, BATCH)) === BATCH) await delay(REST_MS, signal);
    return CHECK_MS;
  }
}

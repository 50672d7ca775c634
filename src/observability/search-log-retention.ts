import { delay, once } from '../domain/async.js';
import { asError } from '../domain/errors.js';
import type { SearchRecords } from '../domain/ports/evaluation.js';

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
 * Deletes expired entries of the search log: at the start and every hour, in small batches, also if logging is disabled by now.
 * Failures are retried an hour later.
 */
export class SearchLogRetention {
  readonly #parts: SearchLogRetentionParts;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(parts: SearchLogRetentionParts) {
    this.#parts = parts;
  }

  start(): void {
    const { days } = this.#parts;
    if (days !== null) this.#loop ??= this.#run(days);
  }

  /** Waits for the current batch. */
  readonly close = once(async () => {
    this.#stopping.abort();
    await this.#loop;
  });

  async #run(days: number): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#forget(days);
      } catch (thrown) {
        this.#parts.log.warn({ err: asError(thrown) }, 'expired entries of the search log could not be deleted');
      }
      await delay(CHECK_MS, signal);
    }
  }

  async #forget(days: number): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && (await this.#parts.records.forget(days, BATCH)) === BATCH) await delay(REST_MS, signal);
  }
}

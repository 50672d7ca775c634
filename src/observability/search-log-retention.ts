import { delay, once } from '../domain/async.js';
import { asError } from '../domain/errors.js';
import type { SearchRecords } from '../domain/ports/evaluation.js';

/** How often old searches are looked for: a search is kept for at most so much longer than was said. */
const CHECK_MS = 3_600_000;

/** Searches deleted at once: some tens of ms, and no lock that a search which is written now would notice. */
const BATCH = 500;

/** Between two batches, so that a backlog of months does not keep the database busy. */
const REST_MS = 100;

/** What keeping the log of searches short stands on. */
export interface SearchLogRetentionParts {
  readonly records: Pick<SearchRecords, 'forget'>;
  /** Null: nothing is deleted. */
  readonly days: number | null;
  readonly log: { warn(facts: object, message: string): void };
}

/**
 * Deletes what is older than the operator keeps from the log of searches: at the start and every hour, in small batches, also
 * where no searches are logged any more. Whatever cannot be deleted now is tried again an hour later.
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

  /** Waits for the batch that is under way. */
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
        this.#parts.log.warn({ err: asError(thrown) }, 'old searches could not be deleted from the log of searches');
      }
      await delay(CHECK_MS, signal);
    }
  }

  async #forget(days: number): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && (await this.#parts.records.forget(days, BATCH)) === BATCH) await delay(REST_MS, signal);
  }
}

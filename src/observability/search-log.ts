import { createHmac } from 'node:crypto';
import { once } from '../domain/async.js';
import { asError, BadInputError } from '../domain/errors.js';
import { groupedBy } from '../domain/grouped.js';
import type { Log } from '../domain/ports/log.js';
import type {
  LoggedSearches,
  SearchRecord,
  SearchRecords,
  TimeWindow,
  ZeroResultRecord,
} from '../domain/ports/search-log.js';
import { laneName, type SearchRequest } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import { lanesOf } from '../search/lanes.js';
import type { OnSearchEvent } from './observed-engine.js';

export interface SearchLogParts {
  readonly records: SearchRecords;
  /** `hashes`: no texts are stored; `texts`: texts too. */
  readonly keep: 'off' | 'hashes' | 'texts';
  /** HMAC key, so that hashes of two installations cannot be compared. */
  readonly key: string;
  readonly log: Pick<Log, 'error'>;
}

/** Longest wait of an entry, in ms. */
const FLUSH_MS = 1_000;

/** Limit of waiting entries; more are dropped, because searching matters more than its log. */
const MAX_WAITING = 1_000;

const HASH_BYTES = 16;

/** The log of clients' searches in the database. Logging never delays or fails a search. */
export class SearchLog implements LoggedSearches {
  readonly #waiting: { readonly tenantId: string; readonly record: SearchRecord }[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly parts: SearchLogParts) {}

  readonly record: OnSearchEvent = ({ viewer, request, tookMs, result, failure }) => {
    if (this.parts.keep === 'off') return;
    if (result !== null) {
      const { filterPlan, tookMs, stages, degraded } = result.receipt;
      const hitIds = result.hits.map(({ card }) => card.id);
      const parts = degraded.map(({ part }) => part);
      this.#enqueue(viewer, request, { filterPlan, tookMs, stages, hitIds, degraded: parts, error: null });
    } else if (failure !== null) {
      const nothing = { filterPlan: null, stages: [], hitIds: [], degraded: [] };
      this.#enqueue(viewer, request, { ...nothing, tookMs, error: failure });
    }
  };

  async metrics(viewer: Viewer, window: TimeWindow) {
    if (this.parts.keep === 'off') {
      const field = window.after === null ? 'before' : 'after';
      throw new BadInputError(field, 'cannot be used: SEARCH_LOG is off, so no searches are logged');
    }
    return this.parts.records.metrics(viewer, window);
  }

  async zeroResults(viewer: Viewer, window: TimeWindow, limit: number): Promise<readonly ZeroResultRecord[]> {
    if (this.parts.keep === 'off') {
      throw new BadInputError('SEARCH_LOG', 'is off, so the texts of searches are not logged; set it to texts');
    }
    return this.parts.records.zeroResults(viewer, window, limit);
  }

  readonly close = once(async () => {
    clearTimeout(this.#timer);
    await this.#flush();
  });

  #enqueue(
    viewer: Viewer,
    request: SearchRequest,
    outcome: Pick<SearchRecord, 'filterPlan' | 'tookMs' | 'stages' | 'hitIds' | 'degraded' | 'error'>,
  ): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    const { key, keep } = this.parts;
    const { operation, subject } = request;
    const asked = subject.kind === 'text' ? subject.text : subject.cardId;
    const hash = createHmac('sha256', key).update(`${viewer.tenantId}\n${subject.kind}\n${asked}`).digest();
    const record = {
      at: new Date(),
      operation,
      queryHash: new Uint8Array(hash.subarray(0, HASH_BYTES)),
      queryText: keep === 'texts' && subject.kind === 'text' ? subject.text : null,
      lanes: lanesOf(request).map(laneName),
      ...outcome,
    };
    this.#waiting.push({ tenantId: viewer.tenantId, record });
    this.#timer ??= setTimeout(() => {
      this.#writing = this.#flush();
    }, FLUSH_MS);
  }

  /** Never rejects: failures are logged. */
  async #flush(): Promise<void> {
    await this.#writing;
    this.#timer = undefined;
    const { records, log } = this.parts;
    for (const [tenantId, theirs] of groupedBy(this.#waiting.splice(0), (waiting) => waiting.tenantId)) {
      try {
        await records.append(
          tenantId,
          theirs.map(({ record }) => record),
        );
      } catch (thrown) {
        log.error({ err: asError(thrown), searches: theirs.length }, 'entries of the search log could not be stored');
      }
    }
    if (this.#dropped > 0) log.error({ searches: this.#dropped }, 'search log queue full; entries dropped');
    this.#dropped = 0;
  }
}

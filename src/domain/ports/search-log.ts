/** Ports of the log of searches. */
import type { SearchOperation } from '../search.js';
import type { SearchMetrics } from '../search-metrics.js';
import type { FilterPlan, StageTiming } from '../search-result.js';
import type { Viewer } from '../viewer.js';

export interface SearchRecord {
  readonly at: Date;
  readonly operation: SearchOperation;
  /** 16 bytes, the same for the same subject: identifies repeated searches without storing what was searched. */
  readonly queryHash: Uint8Array;
  /** Null if texts are not logged, and for a search from a card. */
  readonly queryText: string | null;
  /** Null if it failed. */
  readonly filterPlan: FilterPlan | null;
  /** Names of the lanes used: `dense question`. */
  readonly lanes: readonly string[];
  readonly hitIds: readonly string[];
  readonly degraded: readonly string[];
  /** The code of its error; null if it was answered. */
  readonly error: string | null;
  readonly tookMs: number;
  readonly stages: readonly StageTiming[];
}

/** `after` inclusive, `before` exclusive; null: unlimited. */
export interface TimeWindow {
  readonly after: Date | null;
  readonly before: Date | null;
}

/** A text of zero-result searches, and their number. */
export interface ZeroResultRecord {
  readonly operation: SearchOperation;
  readonly text: string;
  readonly searches: number;
  readonly lastAt: Date;
}

export interface SearchRecords {
  append(tenantId: string, records: readonly SearchRecord[]): Promise<void>;
  /** Deletes at most `limit` searches of any tenant older than `days` by the store's clock; returns how many. */
  forget(days: number, limit: number): Promise<number>;
  metrics(viewer: Viewer, window: TimeWindow): Promise<SearchMetrics>;
  /** Texts of unfiltered zero-result searches, most frequent first. */
  zeroResults(viewer: Viewer, window: TimeWindow, limit: number): Promise<readonly ZeroResultRecord[]>;
}

export interface LoggedSearches {
  /** BadInputError (`after` or `before`) if searches are not logged. */
  metrics(viewer: Viewer, window: TimeWindow): Promise<SearchMetrics>;
  /** ForbiddenError for a student: these are texts of others. BadInputError (`SEARCH_LOG`) if none are logged. */
  zeroResults(viewer: Viewer, window: TimeWindow, limit: number): Promise<readonly ZeroResultRecord[]>;
}

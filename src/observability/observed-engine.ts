import { asError, ClientGoneError, ErrataError } from '../domain/errors.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { SearchRequest } from '../domain/search.js';
import type { SearchResult } from '../domain/search-result.js';
import type { Viewer } from '../domain/viewer.js';

export interface SearchEvent {
  readonly viewer: Viewer;
  readonly request: SearchRequest;
  readonly tookMs: number;
  /** Null if the search failed. */
  readonly result: SearchResult | null;
  /** Code of the error; null if there is none, if only the request was invalid, or if its client has gone. */
  readonly failure: string | null;
}

export type OnSearchEvent = (event: SearchEvent) => void;

const NO_FAILURE: ReadonlySet<string> = new Set(['BAD_USER_INPUT', 'NOT_FOUND', 'CLIENT_GONE']);

/** Searches as `engine`, and reports each search to the listeners, which must not throw. */
export class ObservedEngine implements SearchEngine {
  constructor(
    private readonly engine: SearchEngine,
    private readonly listeners: readonly OnSearchEvent[],
  ) {}

  async search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const started = performance.now();
    const report = (outcome: Pick<SearchEvent, 'result' | 'failure'>): void => {
      const event = { viewer, request, tookMs: performance.now() - started, ...outcome };
      for (const listener of this.listeners) listener(event);
    };
    try {
      const result = await this.engine.search(viewer, request, signal);
      report({ result, failure: null });
      return result;
    } catch (thrown) {
      const error = asError(thrown);
      const code = error instanceof ErrataError || error instanceof ClientGoneError ? error.code : 'INTERNAL';
      report({ result: null, failure: NO_FAILURE.has(code) ? null : code });
      throw error;
    }
  }
}

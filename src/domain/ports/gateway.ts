/** Ports of the use cases that the resolvers call. */
import type { Perspective } from '../perspective.js';
import type { SearchRequest } from '../search.js';
import type { SearchResult } from '../search-result.js';
import type { Viewer } from '../viewer.js';
import type { IndexCounts } from './ledger.js';

export interface SearchEngine {
  /**
   * The viewer's cards most similar to the query, with lane scores and a receipt. NotFoundError for a card that the
   * viewer does not have; BadInputError (`cardId`) for a card without a text in any of the weighted perspectives;
   * UnavailableError if all lanes failed.
   */
  search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult>;
}

/** Result of the last reconciliation pass over the live index. Cards are counted, each once a kind. */
export interface Reconciliation {
  readonly finishedAt: Date;
  /** Number of cards compared with the index: all, or one page of an index that has not changed. */
  readonly cards: number;
  /** Cards with a missing record. */
  readonly missing: number;
  /** Cards with a record of an earlier version, or with another vector than was written. */
  readonly stale: number;
  /** Cards with records in Chroma that they should not have; most of them are deleted. */
  readonly orphans: number;
  /** Cards in the self-recall probe. */
  readonly probed: number;
  /** Probed cards that their own vector did not find. */
  readonly unreachable: number;
  /** Cards marked to be indexed again; remaining ones are found in the next pass. */
  readonly repaired: number;
}

export interface IndexStatus extends IndexCounts {
  /** The model of the live generation, as {@link modelKey} writes it; before the first card the configured one. */
  readonly model: string;
  /** True while a new generation is being built beside the live one. */
  readonly building: boolean;
  /**
   * Result of this gateway's last reconciliation; null before the first, and for a viewer who may not see all cards.
   */
  readonly reconciliation: Reconciliation | null;
  /**
   * The generation that is being built: its model and progress; null if there is none, and for a viewer who may not see
   * all cards.
   */
  readonly next: { readonly model: string; readonly held: number; readonly cards: number } | null;
  /**
   * Counts the records in Chroma, which the rest of the status does not wait for. Empty for a viewer who may not see
   * all cards. `records` is null while Chroma does not answer.
   */
  readonly collections: () => Promise<
    readonly { readonly perspective: Perspective; readonly records: number | null }[]
  >;
}

export interface IndexControl {
  /** Resolves when this revision of the card is indexed, or the card removed (null), or after `deadlineMs`. */
  waitFor(viewer: Viewer, cardId: string, revision: number | null, deadlineMs: number): Promise<void>;
  status(viewer: Viewer): Promise<IndexStatus>;
  /** Starts a new generation beside the live one, which is used until the new one is complete. */
  rebuild(viewer: Viewer): Promise<void>;
}

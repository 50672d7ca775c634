/** What the API calls. */
import type { Perspective } from '../perspective.js';
import type { SearchRequest, SearchResult, TagSuggestion } from '../search.js';
import type { Viewer } from '../viewer.js';
import type { IndexCounts } from './ledger.js';

/** The read path, as the API calls it. */
export interface SearchEngine {
  /**
   * The cards of the viewer that are most like the subject, with the reasons and a receipt. NotFoundError for a card
   * that the viewer does not have; BadInputError (`cardId`) for a card without any text in the perspectives asked for;
   * UnavailableError where no lane could answer.
   */
  search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult>;
}

/** What the notebook knows of labels, as the API asks. */
export interface TagSuggester {
  /** The topic tags and error types that a text may deserve, at most `first`, best first. BadInputError (`text`). */
  suggest(viewer: Viewer, text: string, first: number, signal: AbortSignal): Promise<readonly TagSuggestion[]>;
}

/** What the last look through the live index came to. Cards are counted, each once a kind. */
export interface Reconciliation {
  readonly finishedAt: Date;
  /** How many cards were compared with what the index holds of them: all, or one page of an index that has not changed. */
  readonly cards: number;
  /** Cards of which the index lacked a record. */
  readonly missing: number;
  /** Cards of which a record was not of the card as it is, or had another vector than was written. */
  readonly stale: number;
  /** Cards of which the index held a record that they no longer have, most of them deleted. */
  readonly ghosts: number;
  /** Cards whose own vectors were asked for their neighbours. */
  readonly probed: number;
  /** Those of them that their own vector did not find. */
  readonly unreachable: number;
  /** Cards that were marked to be indexed anew; what is left is found again next time. */
  readonly repaired: number;
}

/** How far the index is, as an operator asks. */
export interface IndexStatus extends IndexCounts {
  /** The model of the live generation, as {@link modelKey} writes it; null before the first card. */
  readonly model: string | null;
  /** True while a new generation is being built beside the live one. */
  readonly building: boolean;
  /** What this gateway last found when it compared the index with the cards; null before, and for a viewer who may not see all cards. */
  readonly reconciliation: Reconciliation | null;
  /** That generation: its model, and how many of the tenant's cards it holds already; null where none is being built, and for a viewer who may not see all cards. */
  readonly next: { readonly model: string; readonly held: number; readonly cards: number } | null;
  /** None for a viewer who may not see all cards. `records` is null while Chroma does not answer. */
  readonly collections: readonly { readonly perspective: Perspective; readonly records: number | null }[];
}

/** The write path, as the API calls it. */
export interface IndexControl {
  /** Resolves when the index has this revision of the card, or none of it where it was deleted (null), or after `deadlineMs`. */
  waitFor(tenantId: string, cardId: string, revision: number | null, deadlineMs: number): Promise<void>;
  status(viewer: Viewer): Promise<IndexStatus>;
  /** Begins to build the tenant's index anew beside the live one, which keeps answering until the new one is complete. */
  rebuild(viewer: Viewer): Promise<void>;
}

/** Cards in PostgreSQL: changing, listing, counting and filtering them. */
import type { Card, CardChange, NewCard } from '../card.js';
import type { CardFilter } from '../search.js';
import type { Viewer } from '../viewer.js';

export interface PageRequest {
  /** 1 .. 100 */
  readonly first: number;
  readonly after: string | null;
}

export interface CardPage {
  readonly edges: readonly { readonly cursor: string; readonly card: Card }[];
  readonly hasNextPage: boolean;
  readonly totalCount: number;
}

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

/** The number of the viewer's cards with each value; most frequent first, then by value. */
export interface CardFacets {
  readonly total: number;
  readonly subject: readonly FacetCount[];
  readonly grade: readonly FacetCount[];
  readonly difficulty: readonly FacetCount[];
  readonly topicTag: readonly FacetCount[];
  readonly errorType: readonly FacetCount[];
}

/** Identifies a repeated request for a change. */
export interface RequestKey {
  /** Unique for its owner. */
  readonly key: string;
  /** All that the change depends on. */
  readonly body: string;
}

/**
 * Every change and its outbox row commit together or not at all. A change with a request key is made at most once in 24 hours:
 * a repeated request returns the card as it is now (NotFoundError if it is deleted); ConflictError if the key came with another
 * body. Once its signal aborts, a read rejects with the signal's reason, and the server cancels it; a change that has not reached
 * its commit by then is not made.
 */
export interface CardStore {
  /** ConflictError if the id exists in the tenant. */
  create(viewer: Viewer, card: NewCard, request?: RequestKey | null, signal?: AbortSignal): Promise<Card>;
  /**
   * NotFoundError; ForbiddenError if the viewer may see the card and not change it; ConflictError if `expectedRevision` is
   * given and is not the card's.
   */
  update(
    viewer: Viewer,
    id: string,
    change: CardChange,
    expectedRevision: number | null,
    request?: RequestKey | null,
    signal?: AbortSignal,
  ): Promise<Card>;
  /** False if the viewer has no such card. ForbiddenError as for a change. */
  delete(viewer: Viewer, id: string, request?: RequestKey | null, signal?: AbortSignal): Promise<boolean>;
  /** The viewer's cards among `ids`, by id, in one fixed number of statements; absent and foreign ones are missing. */
  byIds(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>>;
  /** Newest first (createdAt, then id). BadInputError (`after`) for a cursor that this filter and viewer did not give. */
  page(viewer: Viewer, filter: CardFilter, page: PageRequest, signal?: AbortSignal): Promise<CardPage>;
  facets(viewer: Viewer, filter: CardFilter, signal?: AbortSignal): Promise<CardFacets>;
}

/** The cards of one viewer, for keeping a student's lexical index up to date. */
export interface OwnCards extends Pick<CardStore, 'byIds'> {
  /** What differs between any two states of all the cards that the viewer may see. */
  state(viewer: Viewer): Promise<string>;
  /** Every card that the viewer may see: by id, a string that differs between any two versions of the card. */
  versions(viewer: Viewer): Promise<ReadonlyMap<string, string>>;
}

/** Matching cards by id, with the revision of their index records. */
export type MatchingCards = ReadonlyMap<string, number>;

/** How selective a filter is, as far as a planner needs to know. */
export interface FilterMatch {
  /** How many of the viewer's cards match. */
  readonly matched: number;
  /** Every match that is indexed; null where more match than the limit. */
  readonly all: MatchingCards | null;
}

/** Which indexed cards a viewer's filter lets through; always what PostgreSQL says now. */
export interface CardFilterStore {
  /** `all` where at most `limit` cards match. */
  matching(
    viewer: Viewer,
    filter: CardFilter,
    generation: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<FilterMatch>;
  /** Those of `ids` that the filter lets through. */
  admit(
    viewer: Viewer,
    filter: CardFilter,
    generation: number,
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<MatchingCards>;
}

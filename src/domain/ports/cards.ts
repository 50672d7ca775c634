/** The cards as PostgreSQL keeps them: changed, listed, counted, and let through by filters. */
import type { Card, CardChange, NewCard } from '../card.js';
import type { CardFilter } from '../search.js';
import type { Viewer } from '../viewer.js';

/** Which page of a list is wanted. */
export interface PageRequest {
  /** 1 .. 100 */
  readonly first: number;
  readonly after: string | null;
}

/** A page of cards with what a client needs to go on. */
export interface CardPage {
  readonly edges: readonly { readonly cursor: string; readonly card: Card }[];
  readonly hasNextPage: boolean;
  readonly totalCount: number;
}

/** A value and how many cards carry it. */
export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

/** How many of the viewer's cards carry each value; most frequent first, then by value. */
export interface CardFacets {
  readonly total: number;
  readonly subject: readonly FacetCount[];
  readonly grade: readonly FacetCount[];
  readonly difficulty: readonly FacetCount[];
  readonly topicTag: readonly FacetCount[];
  readonly errorType: readonly FacetCount[];
}

/** What tells a change that is asked for again from another one. */
export interface RequestKey {
  /** The owner's own, whatever others call theirs. */
  readonly key: string;
  /** All that the change depends on. */
  readonly body: string;
}

/**
 * The cards as PostgreSQL keeps them. Every change and its outbox row commit together or not at all. A change with a request
 * key is made at most once in 24 hours: asked for again, it is answered with the card as it is now (NotFoundError where it
 * is gone), and ConflictError where the key came with another body. Once its signal aborts, a reading rejects with the signal's
 * reason, and the server gives it up; a change that has not come to its commit by then is not made.
 */
export interface CardStore {
  /** ConflictError where the id exists in the tenant. */
  create(viewer: Viewer, card: NewCard, request?: RequestKey | null, signal?: AbortSignal): Promise<Card>;
  /**
   * NotFoundError; ForbiddenError where the viewer may see the card and not change it; ConflictError where
   * `expectedRevision` is given and no longer true.
   */
  update(
    viewer: Viewer,
    id: string,
    change: CardChange,
    expectedRevision: number | null,
    request?: RequestKey | null,
    signal?: AbortSignal,
  ): Promise<Card>;
  /** False where there was no such card for this viewer. ForbiddenError as for a change. */
  delete(viewer: Viewer, id: string, request?: RequestKey | null, signal?: AbortSignal): Promise<boolean>;
  /** The viewer's cards among `ids`, by id, in one fixed number of statements; absent and foreign ones are missing. */
  byIds(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>>;
  /** Newest first (createdAt, then id). BadInputError (`after`) for a cursor that this filter and viewer did not give. */
  page(viewer: Viewer, filter: CardFilter, page: PageRequest, signal?: AbortSignal): Promise<CardPage>;
  facets(viewer: Viewer, filter: CardFilter, signal?: AbortSignal): Promise<CardFacets>;
}

/** The cards of one viewer, as the words of a notebook follow them. */
export interface OwnCards extends Pick<CardStore, 'byIds'> {
  /** What differs between any two states of all the cards that the viewer may see. */
  state(viewer: Viewer): Promise<string>;
  /** Every card that the viewer may see, by id, with what differs between any two versions of a card. */
  versions(viewer: Viewer): Promise<ReadonlyMap<string, string>>;
}

/** A card that may be answered, and the revision that its index records are of. */
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

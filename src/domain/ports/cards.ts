/** Cards in PostgreSQL: changing, listing, counting and filtering them. */
import type { Card, CardChange, NewCard } from '../card.js';
import type { CountedPage } from '../page.js';
import type { CardFilter } from '../search.js';
import type { Viewer } from '../viewer.js';

export interface PageRequest {
  /** 1 .. 100 */
  readonly first: number;
  readonly after: string | null;
}

/** By equal values in the order of ids, both in the same direction. */
export interface CardOrder {
  readonly field: 'CREATED' | 'UPDATED' | 'OCCURRED' | 'DIFFICULTY';
  readonly direction: 'ASC' | 'DESC';
}

export const NEWEST_FIRST: CardOrder = { field: 'CREATED', direction: 'DESC' };

export interface CardPageRequest extends PageRequest {
  /** {@link NEWEST_FIRST} by default. */
  readonly order?: CardOrder;
  /** Only cards that were changed then or later. */
  readonly updatedAfter?: Date;
}

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

/**
 * Values in each list of {@link CardFacets}: a list is answered in one turn of the event loop, 2 ms for 2,000 values,
 * 17 ms with every alias that an operation may have. 60,000 labels of one student took 140 ms.
 */
export const MAX_FACET_VALUES = 2_000;

/**
 * The number of the viewer's cards with each value; most frequent first, then by value, at most
 * {@link MAX_FACET_VALUES}. `distinct...`: how many values there are.
 */
export interface CardFacets {
  readonly total: number;
  readonly distinctSubjects: number;
  readonly distinctGrades: number;
  readonly distinctTopicTags: number;
  readonly distinctErrorTypes: number;
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
  /** Whose key it is, where another viewer's rights make the change: a teacher who creates a card for a student. */
  readonly sender?: Viewer;
}

/**
 * Every change and its outbox row commit together or not at all. A change with a request key is made at most once in 24
 * hours: a repeated request returns the card as it is now (NotFoundError if it is deleted); KeyReusedError if the key
 * came with another body. Once its signal aborts, a read rejects with the signal's reason, and the server cancels it; a
 * change that has not reached its commit by then is not made.
 */
export interface CardStore {
  /** ConflictError if the id exists in the tenant. */
  create(viewer: Viewer, card: NewCard, request?: RequestKey | null, signal?: AbortSignal): Promise<Card>;
  /**
   * NotFoundError; ForbiddenError if the viewer may see the card and not change it; ConflictError if `expectedRevision`
   * is given and is not the card's.
   */
  update(
    viewer: Viewer,
    id: string,
    change: CardChange,
    expectedRevision: number | null,
    request?: RequestKey | null,
    signal?: AbortSignal,
  ): Promise<Card>;
  /** False if the viewer has no such card. ForbiddenError and ConflictError as for a change. */
  delete(
    viewer: Viewer,
    id: string,
    expectedRevision?: number | null,
    request?: RequestKey | null,
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** The viewer's cards among `ids`, by id, in one fixed number of statements; absent and foreign ones are missing. */
  byIds(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>>;
  /** The viewer's cards into which the cards with these ids were merged, by the merged id. */
  mergedInto(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>>;
  /** BadInputError (`after`) for a cursor of another filter, order or viewer. */
  page(viewer: Viewer, filter: CardFilter, page: CardPageRequest, signal?: AbortSignal): Promise<CountedPage<Card>>;
  facets(viewer: Viewer, filter: CardFilter, signal?: AbortSignal): Promise<CardFacets>;
}

/** A card as PostgreSQL has it now. */
export interface MatchingCard {
  readonly card: Card;
  /** Of its index records. */
  readonly indexedRevision: number;
}

/** What PostgreSQL says of the cards that a search would answer with: the index may lag behind. */
export interface CardFilterStore {
  /** Those of `ids`, by id, that the viewer may see, that the filter lets through and that the generation holds. */
  matching(
    viewer: Viewer,
    filter: CardFilter,
    generation: number,
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, MatchingCard>>;
}

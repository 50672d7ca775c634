/** The sync feed: what a client needs to keep a copy of the cards. */
import type { Card } from '../card.js';
import type { Page } from '../page.js';
import type { CardFilter } from '../search.js';
import type { Viewer } from '../viewer.js';
import type { PageRequest } from './cards.js';

/** Created or changed; deleted or no longer visible; not matched by the filter, which it may have been before. */
export type SyncChangeKind = 'SAVED' | 'REMOVED' | 'UNMATCHED';

/** A card as it is now, or the deletion of one. */
export interface SyncChange {
  readonly cardId: string;
  readonly kind: SyncChangeKind;
  /** Null: deleted, or no longer visible. */
  readonly card: Card | null;
  /** Of the card now, or when it was deleted. */
  readonly revision: number;
  readonly changedAt: Date;
  /** Of a card that was merged: the card that it was merged into, if the viewer sees it. */
  readonly mergedInto: string | null;
}

export interface SyncPage extends Page<SyncChange> {
  /** Where to continue, also after an empty page. */
  readonly endCursor: string;
}

export interface SyncFeed {
  /**
   * What has changed since `after`, or every card. Each revision of a card is returned at most once, and none of a
   * committed change is passed over; revisions in between are left out. With a `first` of 0 it returns none, and as its
   * end the position after all of them. A filter leaves nothing out: it decides the kind. CursorExpiredError if the
   * client must start again.
   */
  changes(
    viewer: Viewer,
    page: PageRequest & { readonly filter?: CardFilter },
    signal?: AbortSignal,
  ): Promise<SyncPage>;
}

/** What other gateways on the same database have indexed. */
import type { CardVersion } from './ledger.js';

/** A card of which the index has changed, as it is now. */
export interface ChangedCard {
  readonly tenantId: string;
  readonly cardId: string;
  /** Tells this change from the card's next one. */
  readonly transaction: bigint;
  /** Null where the card is deleted. */
  readonly version: CardVersion | null;
  /** The tenant's live generation; null where there is none. */
  readonly generation: number | null;
  /** The revision that the live generation holds; null where it holds none. */
  readonly indexedRevision: number | null;
}

/** A place in the changes, and when it was taken. */
export interface ChangesPosition {
  readonly transaction: bigint;
  /** By the database's clock. */
  readonly atMs: number;
}

/** What has changed since a position, and from where to ask next. */
export interface ChangesSeen {
  readonly position: ChangesPosition;
  /** Some of them may have been named before: what has changed since the next position is named again. */
  readonly cards: readonly ChangedCard[];
}

/** What the gateways on one database have indexed, for those among them that follow. */
export interface IndexChanges {
  /** From where to ask for all that is not visible now. */
  position(): Promise<ChangesPosition>;
  /** Every card whose indexing was completed, or that was deleted, in a transaction that was not visible at the position. */
  since(position: ChangesPosition): Promise<ChangesSeen>;
  /** Gives up changes that are older: who has not asked for so long must compare everything. */
  forget(olderThanMs: number): Promise<void>;
  /** Tells every gateway that listens, this one too, that the outbox has changed. */
  notify(): Promise<void>;
  /**
   * Calls `onChange` soon after each change of the index or {@link notify}, and once when it has begun to listen. Resolves when the signal aborts or the
   * server ends the connection; UnavailableError (`database`) where it is lost or cannot be made.
   */
  listen(onChange: () => void, signal: AbortSignal): Promise<void>;
}

/** Port: index changes made by other gateways on the same database. */
import type { CardVersion } from './ledger.js';

/** The current state of a card whose index entry has changed. */
export interface ChangedCard {
  readonly tenantId: string;
  readonly cardId: string;
  /** Distinguishes this change from the card's next one. */
  readonly transaction: bigint;
  /** Null if the card is deleted. */
  readonly version: CardVersion | null;
  /** The tenant's live generation, or null. */
  readonly generation: number | null;
  /** The revision in the live generation, or null. */
  readonly indexedRevision: number | null;
}

export interface ChangesPosition {
  readonly transaction: bigint;
  /** By the database's clock. */
  readonly atMs: number;
}

/** Changes since a position, and the position to continue from. */
export interface ChangesSeen {
  readonly position: ChangesPosition;
  /** May repeat cards of the previous call: changes since the next position are returned again. */
  readonly cards: readonly ChangedCard[];
}

/** The change feed between the gateways on one database. */
export interface IndexChanges {
  /** The position after all changes that are visible now. */
  position(): Promise<ChangesPosition>;
  /**
   * Every card whose indexing was completed, or that was deleted, in a transaction that was not visible at the
   * position.
   */
  since(position: ChangesPosition): Promise<ChangesSeen>;
  /** Deletes older changes: a gateway that has not polled for so long must run a full comparison. */
  forget(olderThanMs: number): Promise<void>;
  /** Notifies all listening gateways, including this one, that the outbox has changed. */
  notify(): Promise<void>;
  /**
   * Calls `onChange` soon after each change of the index or {@link notify}, and once when it has started listening.
   * Resolves when the signal aborts or the server closes the connection; UnavailableError (`database`) if it is lost or
   * cannot be opened.
   */
  listen(onChange: () => void, signal: AbortSignal): Promise<void>;
}

export interface ChangeEvents {
  /** How long to wait for {@link onChange} before polling, in ms. */
  readonly pollMs: number;
  /** Calls `listener` after each change, and when {@link pollMs} has changed, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

/** Port: the outbox of changed cards. */
import type { IndexedCard } from './ledger.js';

/** The order in which cards are claimed: the lowest first. Stored in the outbox. */
export const PRIORITY = {
  /** A single change. */
  change: 0,
  /** Of an import or a renamed label. */
  bulk: 1,
  /** Of a rebuild or reconciliation. */
  rebuild: 2,
} as const;

export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

/** A claimed outbox row: the card has changed. */
export interface DirtyCard {
  readonly tenantId: string;
  readonly cardId: string;
  readonly seq: bigint;
  readonly token: string;
  readonly priority: Priority;
  /** Number of claims, including this one. */
  readonly attempts: number;
  /**
   * Whether the collections have what the ledger says of the card: this is the first claim since it was indexed, and
   * reconciliation has found no difference. After a claim that was not completed they may have more.
   */
  readonly ledgerIsRight: boolean;
}

/** Ledger entry of a claimed card in one generation; null if the card no longer exists. */
export interface IndexedOutcome {
  readonly generation: number;
  readonly indexed: IndexedCard | null;
}

export interface IndexedClaim {
  readonly claim: DirtyCard;
  readonly outcomes: readonly IndexedOutcome[];
}

export interface ClaimChoice {
  /** None of these tenants; none by default. */
  readonly except?: readonly string[];
  /** The highest {@link PRIORITY} first, and of those the last; false by default. */
  readonly lastFirst?: boolean;
}

/** Cards waiting to be indexed, of all tenants. */
export interface Backlog {
  readonly waiting: number;
  /** Given up until they change. */
  readonly failed: number;
  /** How long the oldest card has been due; 0 if there is none. */
  readonly lagMs: number;
}

/** The outbox (a dirty set, one row a card). Leases use the database's clock. */
export interface Outbox {
  /** Claims up to `limit` due rows for `leaseMs`, by {@link PRIORITY}, each with a fresh token. */
  claim(limit: number, leaseMs: number, choice?: ClaimChoice): Promise<readonly DirtyCard[]>;
  /**
   * Time until the next card is due or the lease of a claimed one ends, in ms; 0 or less if one is due now, Infinity if
   * there is none. By the database's clock; without the tenants in `except`.
   */
  nextDueMs(except?: readonly string[]): Promise<number>;
  /**
   * For each claim that is still valid: records the outcomes and removes the row, unless the card has changed since.
   * Otherwise the card stays or becomes dirty, and is indexed again. One transaction for all.
   */
  done(results: readonly IndexedClaim[]): Promise<void>;
  /** Has the leases of claims that are still valid end `leaseMs` from now. */
  prolong(claims: readonly DirtyCard[], leaseMs: number): Promise<void>;
  /** Releases claims (on shutdown, or if a part is unavailable); the attempt is not counted. */
  release(claims: readonly DirtyCard[]): Promise<void>;
  /**
   * Releases the claims of gateways that were killed, as the lock of their data directory names them; the attempt is
   * not counted.
   */
  releaseOf(holders: readonly string[] | 'everyone'): Promise<void>;
  /** Stores the error and makes the row due again after `retryAfterMs`; null: never. */
  fail(claim: DirtyCard, error: string, retryAfterMs: number | null): Promise<void>;
  /** Calls `listener` after each commit that made a card dirty, until the returned function is called. */
  onDirty(listener: () => void): () => void;
}

/** Which cards have changed and wait to be indexed. */
import type { IndexedCard } from './ledger.js';

/** One claimed outbox row: card X changed, somehow. */
export interface DirtyCard {
  readonly tenantId: string;
  readonly cardId: string;
  readonly seq: bigint;
  readonly token: string;
  /** How often it has been claimed, this claim included. */
  readonly attempts: number;
}

/** The outcome of indexing a claimed card in one generation; null where the card no longer exists. */
export interface IndexedOutcome {
  readonly generation: number;
  readonly indexed: IndexedCard | null;
}

/** A claim and what indexing it came to in each generation. */
export interface IndexedClaim {
  readonly claim: DirtyCard;
  readonly outcomes: readonly IndexedOutcome[];
}

/** What still waits to be indexed, of all tenants. */
export interface Backlog {
  readonly waiting: number;
  /** Given up until they change. */
  readonly failed: number;
  /** How long the one that waits longest has been due; 0 where none is. */
  readonly lagMs: number;
}

/** The outbox (a dirty set, one row a card). Leases use the database's clock. */
export interface Outbox {
  /** Claims up to `limit` due rows for `leaseMs`, single changes before bulk ones, each with a fresh token. */
  claim(limit: number, leaseMs: number): Promise<readonly DirtyCard[]>;
  /**
   * In how many ms the next card is due, or the lease of one that is claimed ends; 0 or less where one is due now, Infinity where
   * there is none. By the database's clock.
   */
  nextDueMs(): Promise<number>;
  /**
   * For each claim that still stands: records the outcomes and removes the row, unless something newer has come; otherwise
   * leaves or makes the card dirty, so that it is indexed again. One transaction for all.
   */
  done(results: readonly IndexedClaim[]): Promise<void>;
  /** Gives claims back untouched (shutdown, or a part that is away): attempts are not counted. */
  release(claims: readonly DirtyCard[]): Promise<void>;
  /** Gives back every claim there is; for the one gateway that can be at work, whose predecessor left them. */
  releaseAll(): Promise<void>;
  /** Keeps the error and makes the row due again after `retryAfterMs`, or dead where that is null. */
  fail(claim: DirtyCard, error: string, retryAfterMs: number | null): Promise<void>;
  /** Called after each commit that made a card dirty, until the returned function is called. */
  onDirty(listener: () => void): () => void;
}

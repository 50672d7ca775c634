/** The lexical indexes, and their snapshots on disk. */
import type { Card } from '../card.js';
import type { CardVersion } from './ledger.js';

/** Write access to the lexical indexes. All writes are idempotent. */
export interface LexicalWriter {
  /** Indexes a card in the last step; its texts are read before. */
  setSteps(tenantId: string, card: Card): Generator<void>;
  remove(tenantId: string, cardIds: Iterable<string>): void;
}

/**
 * A lexical index at one moment, which only an index of the same build can read: lists of strings and typed arrays, in
 * objects and lists.
 */
export type LexicalSnapshot = object;

export type IsCurrent = (cardId: string, version: CardVersion) => boolean;

export interface TenantIndex {
  readonly cards: {
    ids(): readonly string[];
    /** 0 if the card is not indexed. */
    revisionOf(cardId: string): number;
    /** Whether this very version of the card is indexed. */
    holds(cardId: string, version: CardVersion): boolean;
  };
  readonly size: number;
  /** About the memory that it takes. */
  readonly bytes: number;
  /** Number of sets and deletions since it was created or restored, and of cards of the snapshot that were left out. */
  readonly changes: number;
  /** Reads the texts of a card in steps, ahead of {@link set}, which does so at once without it. */
  analyse(card: Card): Generator<void>;
  /** Indexes a card, or indexes it anew; no-op for an older revision than the indexed one. */
  set(card: Card): void;
  /** {@link analyse} and {@link set}. */
  setSteps(card: Card): Generator<void>;
  /** No-op if the card is not indexed. */
  delete(cardId: string): void;
  snapshot(): LexicalSnapshot;
  /** Fills an empty index with the cards that are current, a step at a time; not to be used before the last step. */
  restore(snapshot: LexicalSnapshot, isCurrent: IsCurrent): Generator<void>;
}

/** Keeps snapshots, so that a start need not index all cards again. A lost snapshot costs time only. */
export interface SnapshotStore {
  /**
   * The last complete snapshot; null if there is none that can be used, with a log line if there is an unusable one.
   */
  read(tenantId: string): Promise<LexicalSnapshot | null>;
  /** Replaces the last one atomically. */
  write(tenantId: string, snapshot: LexicalSnapshot): Promise<void>;
}

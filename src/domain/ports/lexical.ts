/** The lexical indexes, and their snapshots on disk. */
import type { Card } from '../card.js';
import type { CardVersion } from './ledger.js';

/** Write access to the lexical indexes. All writes are idempotent. */
export interface LexicalWriter {
  set(tenantId: string, cards: Iterable<Card>): void;
  remove(tenantId: string, cardIds: Iterable<string>): void;
}

/**
 * A lexical index at one moment, which only an index of the same build can read: lists of strings and typed arrays, in
 * objects and lists.
 */
export type LexicalSnapshot = object;

/** Takes snapshots of lexical indexes and restores them. */
export interface LexicalSnapshots {
  /** About the memory that the tenant's index takes. */
  bytes(tenantId: string): number;
  /** Removes the tenant's index from memory. */
  drop(tenantId: string): void;
  /** Number of the tenant's indexed cards. */
  size(tenantId: string): number;
  /** Number of sets and removals since the tenant's index was created or restored. */
  changes(tenantId: string): number;
  snapshot(tenantId: string): LexicalSnapshot;
  /** Restores the cards that are of exactly the versions given, a step at a time. */
  restore(tenantId: string, snapshot: LexicalSnapshot, versions: ReadonlyMap<string, CardVersion>): Generator<void>;
  /** The cards of `versions` that are not indexed in exactly that version. */
  lacking(tenantId: string, versions: ReadonlyMap<string, CardVersion>): readonly string[];
  /** The indexed cards that are not in `versions`, or in a later revision, which a set would not replace. */
  surplus(tenantId: string, versions: ReadonlyMap<string, CardVersion>): readonly string[];
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

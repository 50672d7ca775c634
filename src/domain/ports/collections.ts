/** Port: the vector collections, in Chroma or, of small tenants, in PostgreSQL. */
import type { Card } from '../card.js';
import type { Perspective } from '../perspective.js';
import type { Generation } from './ledger.js';
import type { ModelIdentity } from './models.js';
import type { StoredRecord } from './vectors.js';

/** Names one collection: a tenant's perspective in one generation. */
export interface CollectionKey {
  readonly tenantId: string;
  readonly generation: number;
  readonly perspective: Perspective;
}

export interface PassageRecord {
  readonly card: Card;
  /** 0, 1, ... within the card's perspective. */
  readonly passage: number;
  readonly contentHash: string;
  /** Null: keeps the record's vector, only its metadata changes. */
  readonly vector: Float32Array | null;
}

/** A nearest neighbour of a query in one collection. */
export interface NearestCard {
  readonly cardId: string;
  /** Cosine similarity as Chroma computes it of the stored vector, for ordering only: up to .001 from the exact one. */
  readonly similarity: number;
}

/** Metadata of a record; '' and 0 if it has none. */
export interface RecordLabel {
  readonly contentHash: string;
  readonly revision: number;
  readonly tenantId: string;
}

/** The collections, four for each generation, and their records. All writes are idempotent. */
export interface VectorStore {
  /** Creates the generation's collections that do not exist yet, with room for more than `records` (0) in each. */
  create(generation: Generation, model: ModelIdentity, records?: number): Promise<void>;
  /** Deletes the generation's collections that exist. */
  drop(generation: Generation): Promise<void>;
  /** Resolves if all four of the generation can be queried; IndexLostError if one is missing or damaged. */
  probe(generation: Generation, model: ModelIdentity): Promise<void>;
  /** Whether the generation should be replaced, because one of its collections has hardly room for more records. */
  isNearlyFull(generation: Generation): Promise<boolean>;
  /** Number of records in one collection; IndexLostError if it does not exist. */
  count(key: CollectionKey): Promise<number>;
  /**
   * For each vector, the nearest passages' cards, each once with its best passage, best first; at most `limit` passages
   * are looked at. One call for all costs little more than a call for one.
   */
  nearest(
    key: CollectionKey,
    vectors: readonly Float32Array[],
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly NearestCard[])[]>;
  /** The stored records, by record id; missing ones are missing. `background`: no search waits for them. */
  read(
    key: CollectionKey,
    recordIds: readonly string[],
    signal: AbortSignal,
    mode?: 'read' | 'background',
  ): Promise<ReadonlyMap<string, StoredRecord>>;
  /** Record ids of the collection, `limit` from `offset` on; empty after the last. Ids of any form. */
  list(key: CollectionKey, offset: number, limit: number): Promise<readonly string[]>;
  /** Metadata by record id; records that do not exist are absent. */
  labels(key: CollectionKey, recordIds: readonly string[]): Promise<ReadonlyMap<string, RecordLabel>>;
  upsert(key: CollectionKey, records: readonly PassageRecord[]): Promise<void>;
  remove(key: CollectionKey, recordIds: readonly string[]): Promise<void>;
  /** Removes every record of the cards, whatever their number. */
  removeCards(key: CollectionKey, cardIds: readonly string[]): Promise<void>;
  /** Clears the content hash of the records that exist: their vectors are written again with their card. */
  invalidate(key: CollectionKey, recordIds: readonly string[]): Promise<void>;
}

/** Id of a record; card ids contain no `#`. */
export function recordId(cardId: string, passage: number): string {
  return `${cardId}#${passage}`;
}

/** Null for the id of a foreign client's record. */
export function partsOfRecordId(id: string): { readonly cardId: string; readonly passage: number } | null {
  const [, cardId, passage] = /^(.+)#(\d+)$/s.exec(id) ?? [];
  return cardId === undefined ? null : { cardId, passage: Number(passage) };
}

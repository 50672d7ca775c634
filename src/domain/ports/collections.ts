/** The collections of vectors as Chroma keeps them. */
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

/** One passage of a card, as it is written. */
export interface PassageRecord {
  readonly card: Card;
  /** 0, 1, ... within the card's perspective. */
  readonly passage: number;
  readonly contentHash: string;
  /** Null: the record's vector stays, only its metadata changes. */
  readonly vector: Float32Array | null;
}

/** A card that lies near a query in one collection. */
export interface Neighbour {
  readonly cardId: string;
  /** Cosine similarity as Chroma computes it, for ordering only. */
  readonly similarity: number;
}

/** The dense lanes' view of the index. */
export interface VectorReader {
  /** The nearest passages' cards, each once with its best passage, best first; at most `limit` passages are looked at. */
  nearest(key: CollectionKey, vector: Float32Array, limit: number, signal: AbortSignal): Promise<readonly Neighbour[]>;
  /** The stored records, by record id; missing ones are missing. */
  read(
    key: CollectionKey,
    recordIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, StoredRecord>>;
}

/** The index manager's view of the index. Every write may be repeated. */
export interface VectorWriter {
  upsert(key: CollectionKey, records: readonly PassageRecord[]): Promise<void>;
  remove(key: CollectionKey, recordIds: readonly string[]): Promise<void>;
  /** Removes every record of the cards, whatever their number. */
  removeCards(key: CollectionKey, cardIds: readonly string[]): Promise<void>;
}

/** The collections themselves, four a generation. */
export interface Collections {
  /** Makes those of the generation that do not exist yet. */
  create(generation: Generation, model: ModelIdentity): Promise<void>;
  /** Removes those of the generation that exist. */
  drop(generation: Generation): Promise<void>;
  /** Answers when all four of the generation can be queried; IndexLostError where one is missing or damaged. */
  probe(generation: Generation, model: ModelIdentity): Promise<void>;
  /** The records in one collection; IndexLostError where there is none. */
  count(key: CollectionKey): Promise<number>;
}

/** What a record says of itself; '' and 0 where it does not. */
export interface RecordLabel {
  readonly contentHash: string;
  readonly revision: number;
  readonly tenantId: string;
}

/** The index as reconciliation looks through it. */
export interface RecordInspector {
  /** Record ids of the collection, `limit` from the place `offset` on; none behind the last. Whatever their form. */
  list(key: CollectionKey, offset: number, limit: number): Promise<readonly string[]>;
  /** What the records say of themselves, by record id; missing ones are missing. */
  labels(key: CollectionKey, recordIds: readonly string[]): Promise<ReadonlyMap<string, RecordLabel>>;
  /** How many records the collection has. */
  count(key: CollectionKey): Promise<number>;
  /** For each of the vectors as {@link VectorReader.nearest}: one call for all of them costs little more than one for each. */
  nearestToEach(
    key: CollectionKey,
    vectors: readonly Float32Array[],
    limit: number,
  ): Promise<readonly (readonly Neighbour[])[]>;
  /** Clears the content hash of the records that exist: their vectors are written anew with their card. */
  invalidate(key: CollectionKey, recordIds: readonly string[]): Promise<void>;
}

/** The id of a record: no card id holds a `#`. */
export function recordId(cardId: string, passage: number): string {
  return `${cardId}#${passage}`;
}

import { batches } from '../src/domain/async.js';
import type { Perspective } from '../src/domain/perspective.js';
import {
  type CollectionKey,
  type PassageRecord,
  recordId,
  type VectorWriter,
} from '../src/domain/ports/collections.js';
import { type ChromaCollections, isShifted } from './collections.js';
import { shifted } from './shift.js';

/** Records a call: 100 to 250 is where Chroma writes fastest (650-1,200 vectors a second). */
const BATCH = 250;

/** Writes to the collections: upserts in place, never delete-then-add, which leaves records that no query reaches. */
export class ChromaWriter implements VectorWriter {
  constructor(private readonly collections: ChromaCollections) {}

  async upsert(key: CollectionKey, records: readonly PassageRecord[]): Promise<void> {
    const vectors = records.filter(hasVector);
    for (const batch of batches(vectors, BATCH)) {
      await this.collections.use('write', key, (collection) => {
        const sent = batch.map((record) =>
          isShifted(collection) ? shifted(idOf(record), record.vector) : record.vector,
        );
        return collection.upsert({
          ids: batch.map(idOf),
          embeddings: SentVectors.from(sent) as unknown as number[][],
          metadatas: batch.map((r) => metadataOf(r, key.perspective)),
        });
      });
    }
    const metadataOnly = records.filter((record) => record.vector === null);
    for (const batch of batches(metadataOnly, BATCH)) {
      await this.collections.use('write', key, (collection) =>
        collection.update({ ids: batch.map(idOf), metadatas: batch.map((r) => metadataOf(r, key.perspective)) }),
      );
    }
  }

  async remove(key: CollectionKey, recordIds: readonly string[]): Promise<void> {
    for (const batch of batches(recordIds, BATCH)) {
      await this.collections.use('write', key, (collection) => collection.delete({ ids: [...batch] }));
    }
  }

  /**
   * By metadata, the one place where that is worth its cost: after a crash the index may hold more than the ledger
   * knows.
   */
  async removeCards(key: CollectionKey, cardIds: readonly string[]): Promise<void> {
    for (const batch of batches(cardIds, BATCH)) {
      await this.collections.use('write', key, (collection) =>
        collection.delete({ where: { card_id: { $in: [...batch] } } }),
      );
    }
  }
}

function idOf({ card, passage }: PassageRecord): string {
  return recordId(card.id, passage);
}

function hasVector(record: PassageRecord): record is PassageRecord & { readonly vector: Float32Array } {
  return record.vector !== null;
}

/**
 * What a record says of itself to other tools. Every key is always present: an upsert merges metadata and never removes
 * a key, and the client drops nulls, so an absent grade is ''.
 */
export function metadataOf(
  { card, contentHash }: PassageRecord,
  perspective: Perspective,
): Record<string, string | number> {
  return {
    card_id: card.id,
    tenant: card.tenantId,
    owner: card.ownerId,
    revision: card.revision,
    content_hash: contentHash,
    perspective,
    grade: card.grade ?? '',
    subject: card.subject,
    difficulty: card.difficulty,
    updated_at: card.updatedAt.getTime(),
  };
}

/**
 * Vectors as the client sends them: as base64 where the server takes that, else as JSON numbers. The client would make
 * a string of each byte; this makes one of the whole vector, which is many times faster.
 */
export class SentVectors extends Array<Float32Array> {
  /** Not of this class, which is called with vectors alone. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** The client's packing, faster; any other function as usual. */
  override map<T>(pack: (vector: Float32Array, place: number, all: Float32Array[]) => T): T[] {
    const [first] = this;
    if (first === undefined || pack(first, 0, this) !== base64Of(first)) return super.map(pack);
    return super.map((vector) => base64Of(vector) as T);
  }

  toJSON(): readonly (readonly number[])[] {
    return Array.from(this, (vector) => Array.from(vector));
  }
}

function base64Of({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

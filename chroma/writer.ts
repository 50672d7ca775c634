import { batches } from '../src/domain/async.js';
import {
  type CollectionKey,
  type PassageRecord,
  recordId,
  type VectorWriter,
} from '../src/domain/ports/collections.js';
import { type ChromaCollections, isShifted } from './collections.js';
import { metadataOf } from './records.js';
import { SentVectors } from './sent-vectors.js';
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

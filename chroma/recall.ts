import type { CollectionKey, Neighbour, StoredRecord, VectorReader } from '../src/ports.js';
import type { ChromaCollections } from './collections.js';
import { batches, cardIdOf } from './records.js';

/** Records a call: 100 of 512 dimensions take 14 ms, so that a call stays far below its deadline however many are wanted. */
const READ_BATCH = 500;

/** Reads from the collections. A `where` is never sent: one costs 10 to 60 times the query itself. */
export class ChromaReader implements VectorReader {
  readonly #collections: ChromaCollections;

  constructor(collections: ChromaCollections) {
    this.#collections = collections;
  }

  async nearest(
    key: CollectionKey,
    vector: Float32Array,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly Neighbour[]> {
    signal.throwIfAborted();
    const answer = await this.#collections.use('read', key, (collection) =>
      collection.query({ queryEmbeddings: [Array.from(vector)], nResults: limit, include: ['distances'] }),
    );
    const ids = answer.ids[0];
    const distances = answer.distances[0];
    if (ids === undefined || distances === undefined || ids.length !== distances.length) {
      throw new Error(`chroma answered ${ids?.length} ids and ${distances?.length} distances`);
    }
    const best = new Map<string, number>();
    ids.forEach((id, place) => {
      const distance = distances[place];
      if (typeof distance !== 'number') throw new Error(`chroma answered no distance for ${id}`);
      const cardId = cardIdOf(id);
      best.set(cardId, Math.max(best.get(cardId) ?? 0, 1 - distance));
    });
    return [...best].map(([cardId, similarity]) => ({ cardId, similarity }));
  }

  async read(
    key: CollectionKey,
    recordIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, StoredRecord>> {
    const found = new Map<string, StoredRecord>();
    for (const ids of batches(recordIds, READ_BATCH)) {
      signal.throwIfAborted();
      const answer = await this.#collections.use('read', key, (collection) =>
        collection.get({ ids: [...ids], include: ['embeddings', 'metadatas'] }),
      );
      answer.ids.forEach((id, place) => {
        const vector = answer.embeddings[place];
        const { content_hash: contentHash, revision } = answer.metadatas[place] ?? {};
        if (!vector || typeof contentHash !== 'string' || typeof revision !== 'number')
          throw new Error(`chroma's record ${id} has no vector, no hash or no revision`);
        found.set(id, { contentHash, revision, vector: Float32Array.from(vector) });
      });
    }
    return found;
  }
}

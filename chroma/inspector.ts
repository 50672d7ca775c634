import type { CollectionKey, Neighbour, RecordInspector, RecordLabel } from '../src/domain/ports/collections.js';
import { nonsense } from './client.js';
import type { ChromaCollections } from './collections.js';
import { neighboursOf } from './recall.js';
import { batches } from './records.js';

/** Records a call: without their vectors, which are nearly all of what a record weighs. */
const BATCH = 500;

export class ChromaInspector implements RecordInspector {
  readonly #collections: ChromaCollections;

  constructor(collections: ChromaCollections) {
    this.#collections = collections;
  }

  async list(key: CollectionKey, offset: number, limit: number): Promise<readonly string[]> {
    const { ids } = await this.#collections.use('read', key, (collection) =>
      collection.get({ offset, limit, include: [] }),
    );
    if (!Array.isArray(ids)) throw nonsense('no ids');
    return ids;
  }

  async labels(key: CollectionKey, recordIds: readonly string[]): Promise<ReadonlyMap<string, RecordLabel>> {
    const found = new Map<string, RecordLabel>();
    for (const batch of batches(recordIds, BATCH)) {
      const { ids, metadatas } = await this.#collections.use('read', key, (collection) =>
        collection.get({ ids: [...batch], include: ['metadatas'] }),
      );
      if (!Array.isArray(ids)) throw nonsense('no ids');
      ids.forEach((id, place) => {
        const { content_hash: hash, revision, tenant } = metadatas[place] ?? {};
        found.set(id, {
          contentHash: typeof hash === 'string' ? hash : '',
          revision: typeof revision === 'number' ? revision : 0,
          tenantId: typeof tenant === 'string' ? tenant : '',
        });
      });
    }
    return found;
  }

  count(key: CollectionKey): Promise<number> {
    return this.#collections.count(key);
  }

  async nearestToEach(
    key: CollectionKey,
    vectors: readonly Float32Array[],
    limit: number,
  ): Promise<readonly (readonly Neighbour[])[]> {
    if (vectors.length === 0) return [];
    const queryEmbeddings = vectors.map((vector) => Array.from(vector));
    const { ids, distances } = await this.#collections.use('read', key, (collection) =>
      collection.query({ queryEmbeddings, nResults: limit, include: ['distances'] }),
    );
    return vectors.map((_, place) => neighboursOf(ids[place], distances[place]));
  }

  async invalidate(key: CollectionKey, recordIds: readonly string[]): Promise<void> {
    for (const batch of batches(recordIds, BATCH)) {
      await this.#collections.use('write', key, (collection) =>
        collection.update({ ids: [...batch], metadatas: batch.map(() => ({ content_hash: '' })) }),
      );
    }
  }
}

import { batches } from '../src/domain/async.js';
import type { CollectionKey, NearestCard, RecordInspector, RecordLabel } from '../src/domain/ports/collections.js';
import { unexpectedResponse } from './client.js';
import type { ChromaCollections } from './collections.js';
import { neighboursOf } from './reader.js';

export class ChromaInspector implements RecordInspector {
  constructor(private readonly collections: ChromaCollections) {}

  async list(key: CollectionKey, offset: number, limit: number): Promise<readonly string[]> {
    const { results } = this.collections.limits;
    const listed: string[] = [];
    while (listed.length < limit) {
      const page = { offset: offset + listed.length, limit: Math.min(results, limit - listed.length) };
      const { ids } = await this.collections.use('read', key, (collection) => collection.get({ ...page, include: [] }));
      if (!Array.isArray(ids)) throw unexpectedResponse('no ids');
      listed.push(...ids);
      if (ids.length < page.limit) break;
    }
    return listed;
  }

  async labels(key: CollectionKey, recordIds: readonly string[]): Promise<ReadonlyMap<string, RecordLabel>> {
    const found = new Map<string, RecordLabel>();
    for (const batch of batches(recordIds, this.collections.limits.records)) {
      const { ids, metadatas } = await this.collections.use('read', key, (collection) =>
        collection.get({ ids: [...batch], include: ['metadatas'] }),
      );
      if (!Array.isArray(ids)) throw unexpectedResponse('no ids');
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
    return this.collections.count(key);
  }

  async nearestToEach(
    key: CollectionKey,
    vectors: readonly Float32Array[],
    limit: number,
  ): Promise<readonly (readonly NearestCard[])[]> {
    if (vectors.length === 0) return [];
    const atOnce = Math.max(1, Math.floor(this.collections.limits.results / limit));
    const found: (readonly NearestCard[])[] = [];
    for (const batch of batches(vectors, atOnce)) {
      const queryEmbeddings = batch.map((vector) => Array.from(vector));
      const { ids, distances } = await this.collections.use('read', key, (collection) =>
        collection.query({ queryEmbeddings, nResults: limit, include: ['distances'] }),
      );
      found.push(...batch.map((_, place) => neighboursOf(ids[place], distances[place])));
    }
    return found;
  }

  async invalidate(key: CollectionKey, recordIds: readonly string[]): Promise<void> {
    for (const batch of batches(recordIds, this.collections.limits.records)) {
      await this.collections.use('write', key, (collection) =>
        collection.update({ ids: [...batch], metadatas: batch.map(() => ({ content_hash: '' })) }),
      );
    }
  }
}

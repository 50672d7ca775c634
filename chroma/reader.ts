import { batches } from '../src/domain/async.js';
import {
  type CollectionKey,
  type NearestCard,
  partsOfRecordId,
  type VectorReader,
} from '../src/domain/ports/collections.js';
import type { StoredRecord } from '../src/domain/ports/vectors.js';
import { UnsettledError, unexpectedResponse } from './client.js';
import { type ChromaCollections, isShifted } from './collections.js';
import { unshifted } from './shift.js';

/** Never sends a `where`: it costs 10 to 60 times the query itself. */
export class ChromaReader implements VectorReader {
  constructor(private readonly collections: ChromaCollections) {}

  async nearest(
    key: CollectionKey,
    vector: Float32Array,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly NearestCard[]> {
    signal.throwIfAborted();
    const answer = await this.collections.use('read', key, (collection) =>
      collection.query({
        queryEmbeddings: [Array.from(vector)],
        nResults: Math.min(limit, this.collections.limits.results),
        include: ['distances'],
      }),
    );
    return neighboursOf(answer.ids[0], answer.distances[0]);
  }

  async read(
    key: CollectionKey,
    recordIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, StoredRecord>> {
    const found = new Map<string, StoredRecord>();
    for (const ids of batches(recordIds, this.collections.limits.records)) {
      signal.throwIfAborted();
      const records = await this.collections.use('read', key, async (collection) => {
        const answer = await collection.get({ ids: [...ids], include: ['embeddings', 'metadatas'] });
        if (!Array.isArray(answer.ids)) throw unexpectedResponse('no ids');
        return answer.ids.map((id, place) => {
          const vector = answer.embeddings[place];
          // The collection's first write came between Chroma's reads of its dimensions and its records.
          if (!vector) throw new UnsettledError(`the record ${id} has no vector`);
          const own = isShifted(collection) ? unshifted(id, vector) : Float32Array.from(vector);
          return { id, vector: own, metadata: answer.metadatas[place] ?? {} };
        });
      });
      for (const { id, vector, metadata } of records) {
        const { content_hash: contentHash, revision } = metadata;
        // A foreign record has no known text.
        found.set(id, {
          contentHash: typeof contentHash === 'string' ? contentHash : '',
          revision: typeof revision === 'number' ? revision : 0,
          vector,
        });
      }
    }
    return found;
  }
}

/** The cards of a query's result, each once with its best passage, best first. */
export function neighboursOf(
  ids: readonly string[] | undefined,
  distances: readonly (number | null)[] | undefined,
): readonly NearestCard[] {
  if (ids === undefined || distances === undefined || ids.length !== distances.length) {
    throw unexpectedResponse(`${ids?.length} ids and ${distances?.length} distances`);
  }
  const best = new Map<string, number>();
  ids.forEach((id, place) => {
    const distance = distances[place];
    if (typeof distance !== 'number') throw unexpectedResponse(`no distance for ${id}`);
    const cardId = partsOfRecordId(id)?.cardId;
    // A foreign record; reconciliation removes it.
    if (cardId === undefined) return;
    best.set(cardId, Math.max(best.get(cardId) ?? 0, 1 - distance));
  });
  return [...best].map(([cardId, similarity]) => ({ cardId, similarity }));
}

import type { CollectionKey, Neighbour, VectorReader } from '../src/domain/ports/collections.js';
import type { StoredRecord } from '../src/domain/ports/vectors.js';
import { nonsense, UnsettledError } from './client.js';
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
    return neighboursOf(answer.ids[0], answer.distances[0]);
  }

  async read(
    key: CollectionKey,
    recordIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, StoredRecord>> {
    const found = new Map<string, StoredRecord>();
    for (const ids of batches(recordIds, READ_BATCH)) {
      signal.throwIfAborted();
      const records = await this.#collections.use('read', key, async (collection) => {
        const answer = await collection.get({ ids: [...ids], include: ['embeddings', 'metadatas'] });
        if (!Array.isArray(answer.ids)) throw nonsense('no ids');
        return answer.ids.map((id, place) => {
          const vector = answer.embeddings[place];
          // The collection's first write came between Chroma's reads of its dimensions and its records.
          if (!vector) throw new UnsettledError(`the record ${id} has no vector`);
          return { id, vector, metadata: answer.metadatas[place] ?? {} };
        });
      });
      for (const { id, vector, metadata } of records) {
        const { content_hash: contentHash, revision } = metadata;
        // One that was not written by this index is of no text that it knows.
        found.set(id, {
          contentHash: typeof contentHash === 'string' ? contentHash : '',
          revision: typeof revision === 'number' ? revision : 0,
          vector: Float32Array.from(vector),
        });
      }
    }
    return found;
  }
}

/** The cards of one list of a query's answer, each once with its best passage, best first. */
export function neighboursOf(
  ids: readonly string[] | undefined,
  distances: readonly (number | null)[] | undefined,
): readonly Neighbour[] {
  if (ids === undefined || distances === undefined || ids.length !== distances.length) {
    throw nonsense(`${ids?.length} ids and ${distances?.length} distances`);
  }
  const best = new Map<string, number>();
  ids.forEach((id, place) => {
    const distance = distances[place];
    if (typeof distance !== 'number') throw nonsense(`no distance for ${id}`);
    const cardId = cardIdOf(id);
    // A foreign record; reconciliation removes it.
    if (cardId === null) return;
    best.set(cardId, Math.max(best.get(cardId) ?? 0, 1 - distance));
  });
  return [...best].map(([cardId, similarity]) => ({ cardId, similarity }));
}

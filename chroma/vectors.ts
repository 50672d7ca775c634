import { batches } from '../src/domain/async.js';
import { IndexLostError } from '../src/domain/errors.js';
import { PERSPECTIVES } from '../src/domain/perspective.js';
import type {
  CollectionKey,
  NearestCard,
  PassageRecord,
  RecordLabel,
  VectorStore,
} from '../src/domain/ports/collections.js';
import type { Generation } from '../src/domain/ports/ledger.js';
import type { ModelIdentity } from '../src/domain/ports/models.js';
import type { StoredRecord } from '../src/domain/ports/vectors.js';
import { type ChromaCollections, isShifted } from './collections.js';
import { UnsettledError, unexpectedResponse } from './errors.js';
import { idOf, labelOf, metadataOf, neighboursOf } from './records.js';
import { SentVectors } from './sent-vectors.js';
import { shifted, unshifted } from './shift.js';

/** Records a write: 100 to 250 is where Chroma writes fastest (650-1,200 vectors a second). */
const BATCH = 250;

/** Records that a probe asks for: more than one, because a lost graph may have received a few since. */
const PROBED = 10;

/** Reads never send a `where`: it costs 10 to 60 times the query itself. */
export class ChromaVectors implements VectorStore {
  constructor(private readonly collections: ChromaCollections) {}

  async create(generation: Generation, model: ModelIdentity): Promise<void> {
    for (const key of keysOf(generation)) await this.collections.create(key, model);
  }

  async drop(generation: Generation): Promise<void> {
    for (const key of keysOf(generation)) await this.collections.drop(key);
  }

  /**
   * Has its own deadline: the first query of a collection after the server's start reads the whole graph from the disk
   * and adds pending records, which takes seconds with tens of thousands of records. A server that lost the graph's
   * files starts an empty graph without an error, and then finds fewer records than it counts. So does a healthy server
   * during a write, which is counted before it is in the graph; therefore the graph counts as lost only if records are
   * missing after the write.
   */
  async probe(generation: Generation, model: ModelIdentity): Promise<void> {
    const anywhere = Array.from({ length: model.dims }, () => 1 / Math.sqrt(model.dims));
    for (const key of keysOf(generation)) {
      const count = (): Promise<number> => this.collections.use('load', key, (collection) => collection.count());
      const found = async (): Promise<number> => {
        const query = { queryEmbeddings: [anywhere], nResults: PROBED, include: ['distances' as const] };
        return (await this.collections.use('load', key, (collection) => collection.query(query))).ids[0]?.length ?? 0;
      };
      const before = await count();
      if ((await found()) >= Math.min(PROBED, before)) continue;
      const counted = await count();
      await this.collections.settle(key);
      const reached = await found();
      // Records may have been removed since they were counted.
      const left = await count();
      if (reached < Math.min(PROBED, counted, left)) {
        throw new IndexLostError(`a query of ${key.perspective} finds ${reached} of ${left} records`);
      }
    }
  }

  count(key: CollectionKey): Promise<number> {
    return this.collections.use('read', key, (collection) => collection.count());
  }

  async nearest(
    key: CollectionKey,
    vectors: readonly Float32Array[],
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly NearestCard[])[]> {
    const { results } = this.collections.limits;
    const nResults = Math.min(limit, results);
    const found: (readonly NearestCard[])[] = [];
    for (const batch of batches(vectors, Math.max(1, Math.floor(results / nResults)))) {
      signal.throwIfAborted();
      const queryEmbeddings = batch.map((vector) => Array.from(vector));
      const { ids, distances } = await this.collections.use('read', key, (collection) =>
        collection.query({ queryEmbeddings, nResults, include: ['distances'] }),
      );
      found.push(...batch.map((_, place) => neighboursOf(ids[place], distances[place])));
    }
    return found;
  }

  async read(
    key: CollectionKey,
    recordIds: readonly string[],
    signal: AbortSignal,
    mode: 'read' | 'background' = 'read',
  ): Promise<ReadonlyMap<string, StoredRecord>> {
    const found = new Map<string, StoredRecord>();
    for (const asked of batches(recordIds, this.collections.limits.records)) {
      signal.throwIfAborted();
      const records = await this.collections.use(mode, key, async (collection) => {
        const { ids, embeddings, metadatas } = await collection.get({
          ids: [...asked],
          include: ['embeddings', 'metadatas'],
        });
        if (!Array.isArray(ids)) throw unexpectedResponse('no ids');
        return ids.map((id, place) => {
          const vector = embeddings[place];
          // The collection's first write came between Chroma's reads of its dimensions and its records.
          if (!vector) throw new UnsettledError(`the record ${id} has no vector`);
          const own = isShifted(collection) ? unshifted(id, vector) : Float32Array.from(vector);
          return { id, vector: own, ...labelOf(metadatas[place]) };
        });
      });
      for (const { id, contentHash, revision, vector } of records) found.set(id, { contentHash, revision, vector });
    }
    return found;
  }

  async list(key: CollectionKey, offset: number, limit: number): Promise<readonly string[]> {
    const { results } = this.collections.limits;
    const listed: string[] = [];
    while (listed.length < limit) {
      const page = { offset: offset + listed.length, limit: Math.min(results, limit - listed.length) };
      const { ids } = await this.collections.use('background', key, (collection) =>
        collection.get({ ...page, include: [] }),
      );
      if (!Array.isArray(ids)) throw unexpectedResponse('no ids');
      listed.push(...ids);
      if (ids.length < page.limit) break;
    }
    return listed;
  }

  async labels(key: CollectionKey, recordIds: readonly string[]): Promise<ReadonlyMap<string, RecordLabel>> {
    const found = new Map<string, RecordLabel>();
    for (const batch of batches(recordIds, this.collections.limits.records)) {
      const { ids, metadatas } = await this.collections.use('background', key, (collection) =>
        collection.get({ ids: [...batch], include: ['metadatas'] }),
      );
      if (!Array.isArray(ids)) throw unexpectedResponse('no ids');
      ids.forEach((id, place) => void found.set(id, labelOf(metadatas[place])));
    }
    return found;
  }

  /** Upserts in place, never delete-then-add, which leaves records that no query reaches. */
  async upsert(key: CollectionKey, records: readonly PassageRecord[]): Promise<void> {
    for (const batch of batches(records.filter(hasVector), BATCH)) {
      await this.collections.use('write', key, (collection) => {
        const sent = batch.map((record) =>
          isShifted(collection) ? shifted(idOf(record), record.vector) : record.vector,
        );
        return collection.upsert({
          ids: batch.map(idOf),
          embeddings: SentVectors.from(sent) as unknown as number[][],
          metadatas: batch.map(metadataOf),
        });
      });
    }
    const metadataOnly = records.filter(({ vector }) => vector === null);
    for (const batch of batches(metadataOnly, BATCH)) {
      const metadatas = batch.map(metadataOf);
      await this.collections.use('write', key, (collection) => collection.update({ ids: batch.map(idOf), metadatas }));
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

  async invalidate(key: CollectionKey, recordIds: readonly string[]): Promise<void> {
    for (const batch of batches(recordIds, this.collections.limits.records)) {
      await this.collections.use('write', key, (collection) =>
        collection.update({ ids: [...batch], metadatas: batch.map(() => ({ content_hash: '' })) }),
      );
    }
  }
}

function keysOf({ tenantId, number }: Generation): readonly CollectionKey[] {
  return PERSPECTIVES.map((perspective) => ({ tenantId, generation: number, perspective }));
}

function hasVector(record: PassageRecord): record is PassageRecord & { readonly vector: Float32Array } {
  return record.vector !== null;
}

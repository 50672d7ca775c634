import type { Collection } from 'chromadb';
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
import type { CallMode } from './client.js';
import { atOnce, type ChromaCollections, isShifted } from './collections.js';
import { UnsettledError, unexpectedResponse } from './errors.js';
import { idOf, labelOf, metadataOf, neighboursOf } from './records.js';
import { SentVectors } from './sent-vectors.js';
import { byShard, cardOfRecordId, isNearlyFull, type Routed, type ShardKey } from './shards.js';
import { shifted, unshifted } from './shift.js';

/** Records a write: 100 to 250 is where Chroma writes fastest (650-1,200 vectors a second). */
const BATCH = 250;

/** Records that a probe asks for: more than one, because a lost graph may have received a few since. */
const PROBED = 10;

/** Reads never send a `where`: it costs 10 to 60 times the query itself. */
export class ChromaVectors implements VectorStore {
  constructor(private readonly collections: ChromaCollections) {}

  async create(generation: Generation, model: ModelIdentity, records = 0): Promise<void> {
    for (const key of keysOf(generation)) await this.collections.create(key, model, records);
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
    for (const key of await this.#shardsOf('load', generation)) {
      const count = (): Promise<number> => this.collections.use('load', key, countOf);
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

  async isNearlyFull(generation: Generation): Promise<boolean> {
    const { perCollection } = this.collections.limits;
    if (perCollection === Number.POSITIVE_INFINITY) return false;
    for (const shard of await this.#shardsOf('background', generation)) {
      if (isNearlyFull(await this.collections.use('background', shard, countOf), perCollection)) return true;
    }
    return false;
  }

  async count(key: CollectionKey): Promise<number> {
    const counts = await this.#inAll(key, countOf);
    return counts.reduce((sum, count) => sum + count, 0);
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
      const answers = await this.#inAll(key, (collection) =>
        collection.query({ queryEmbeddings, nResults, include: ['distances'] }),
      );
      found.push(...batch.map((_, query) => neighboursOf(answers, query, nResults)));
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
    await this.#byId({ mode, key, signal }, recordIds, async (collection, asked) => {
      const { ids, embeddings, metadatas } = await collection.get({ ids: asked, include: ['embeddings', 'metadatas'] });
      if (!Array.isArray(ids)) throw unexpectedResponse('no ids');
      ids.forEach((id, place) => {
        const vector = embeddings[place];
        // The collection's first write came between Chroma's reads of its dimensions and its records.
        if (!vector) throw new UnsettledError(`the record ${id} has no vector`);
        const own = isShifted(collection) ? unshifted(id, vector) : Float32Array.from(vector);
        const { contentHash, revision } = labelOf(metadatas[place]);
        found.set(id, { contentHash, revision, vector: own });
      });
    });
    return found;
  }

  async list(key: CollectionKey, offset: number, limit: number): Promise<readonly string[]> {
    const { results } = this.collections.limits;
    const listed: string[] = [];
    const shards = await this.collections.shards('background', key);
    // Within the shard.
    let from = offset;
    for (const shard of shards) {
      const size = from === 0 || shards.length === 1 ? null : await this.collections.use('background', shard, countOf);
      if (size !== null && from >= size) {
        from -= size;
        continue;
      }
      while (listed.length < limit) {
        const page = { offset: from, limit: Math.min(results, limit - listed.length) };
        const { ids } = await this.collections.use('background', shard, (collection) =>
          collection.get({ ...page, include: [] }),
        );
        if (!Array.isArray(ids)) throw unexpectedResponse('no ids');
        listed.push(...ids);
        from += ids.length;
        if (ids.length < page.limit) break;
      }
      from = 0;
    }
    return listed;
  }

  async labels(key: CollectionKey, recordIds: readonly string[]): Promise<ReadonlyMap<string, RecordLabel>> {
    const found = new Map<string, RecordLabel>();
    await this.#byId({ mode: 'background', key }, recordIds, async (collection, asked) => {
      const { ids, metadatas } = await collection.get({ ids: asked, include: ['metadatas'] });
      if (!Array.isArray(ids)) throw unexpectedResponse('no ids');
      ids.forEach((id, place) => void found.set(id, labelOf(metadatas[place])));
    });
    return found;
  }

  /** Upserts in place, never delete-then-add, which leaves records that no query reaches. */
  async upsert(key: CollectionKey, records: readonly PassageRecord[]): Promise<void> {
    const cardOf = ({ card }: PassageRecord): string => card.id;
    await this.#batches({ mode: 'write', key, items: records.filter(hasVector), cardOf }, (collection, batch) => {
      const sent = batch.map((record) =>
        isShifted(collection) ? shifted(idOf(record), record.vector) : record.vector,
      );
      return collection.upsert({
        ids: batch.map(idOf),
        embeddings: SentVectors.from(sent) as unknown as number[][],
        metadatas: batch.map(metadataOf),
      });
    });
    const metadataOnly = records.filter(({ vector }) => vector === null);
    await this.#batches({ mode: 'write', key, items: metadataOnly, cardOf }, (collection, batch) =>
      collection.update({ ids: batch.map(idOf), metadatas: batch.map(metadataOf) }),
    );
  }

  async remove(key: CollectionKey, recordIds: readonly string[]): Promise<void> {
    await this.#byId({ mode: 'write', key }, recordIds, (collection, ids) => collection.delete({ ids }));
  }

  /**
   * By metadata, the one place where that is worth its cost: after a crash the index may hold more than the ledger
   * knows.
   */
  async removeCards(key: CollectionKey, cardIds: readonly string[]): Promise<void> {
    await this.#batches({ mode: 'write', key, items: cardIds, cardOf: (id) => id }, (collection, batch) =>
      collection.delete({ where: { card_id: { $in: batch } } }),
    );
  }

  async invalidate(key: CollectionKey, recordIds: readonly string[]): Promise<void> {
    await this.#byId({ mode: 'write', key }, recordIds, (collection, ids) =>
      collection.update({ ids, metadatas: ids.map(() => ({ content_hash: '' })) }),
    );
  }

  async #shardsOf(mode: CallMode, generation: Generation): Promise<readonly ShardKey[]> {
    const shards: ShardKey[] = [];
    for (const key of keysOf(generation)) shards.push(...(await this.collections.shards(mode, key)));
    return shards;
  }

  /** The answers of all shards to a read, in their order. */
  async #inAll<T>(key: CollectionKey, read: (collection: Collection) => Promise<T>): Promise<readonly T[]> {
    const shards = await this.collections.shards('read', key);
    return Promise.all(shards.map((shard) => this.collections.use('read', shard, read)));
  }

  #byId(calls: Calls, ids: readonly string[], call: Call<string>): Promise<void> {
    return this.#batches({ ...calls, items: [...new Set(ids)], cardOf: cardOfRecordId }, call);
  }

  /** Calls each shard with its items, as many at a time as the server takes; the shards at the same time. */
  async #batches<T>({ mode, key, signal, ...routed }: Calls & Routed<T>, call: Call<T>): Promise<void> {
    if (routed.items.length === 0) return;
    const size = mode === 'write' ? BATCH : this.collections.limits.records;
    const parts = byShard(await this.collections.shards(mode, key), routed);
    await atOnce(parts, async ({ shard, own }) => {
      for (const batch of batches(own, size)) {
        signal?.throwIfAborted();
        await this.collections.use(mode, shard, (collection) => call(collection, [...batch]));
      }
    });
  }
}

interface Calls {
  readonly mode: CallMode;
  readonly key: CollectionKey;
  readonly signal?: AbortSignal;
}

type Call<T> = (collection: Collection, batch: T[]) => Promise<unknown>;

function keysOf({ tenantId, number }: Generation): readonly CollectionKey[] {
  return PERSPECTIVES.map((perspective) => ({ tenantId, generation: number, perspective }));
}

function countOf(collection: Collection): Promise<number> {
  return collection.count();
}

function hasVector(record: PassageRecord): record is PassageRecord & { readonly vector: Float32Array } {
  return record.vector !== null;
}

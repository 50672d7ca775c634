import { LRUCache } from 'lru-cache';
import { IndexLostError } from '../domain/errors.js';
import type { CollectionKey, VectorStore } from '../domain/ports/collections.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';

/** Generations whose place is remembered: it hardly changes, and a search must not wait for the statement. */
const REMEMBERED = 10_000;

export interface VectorStoresParts {
  readonly inChroma: VectorStore;
  /** Of small tenants. */
  readonly inPostgres: VectorStore;
  readonly ledger: Pick<IndexLedger, 'isInChroma'>;
}

/**
 * The vectors of all generations, each in the store that the ledger names. A remembered place can be outdated where a
 * database was restored from a backup, which gives numbers out again: it is looked up once more before IndexLostError
 * is the answer.
 */
export function vectorStores({ inChroma, inPostgres, ledger }: VectorStoresParts): VectorStore {
  const places = new LRUCache<string, VectorStore>({ max: REMEMBERED });
  const nameOf = (tenantId: string, generation: number): string => JSON.stringify([tenantId, generation]);
  const lookUp = async (name: string, tenantId: string, generation: number): Promise<VectorStore> => {
    // Chroma reports the collections of a generation that the ledger does not know as lost.
    const store = (await ledger.isInChroma(tenantId, generation)) === false ? inPostgres : inChroma;
    places.set(name, store);
    return store;
  };
  const at = async <T>(tenantId: string, generation: number, run: (store: VectorStore) => Promise<T>): Promise<T> => {
    const name = nameOf(tenantId, generation);
    const known = places.get(name);
    if (known === undefined) return run(await lookUp(name, tenantId, generation));
    try {
      return await run(known);
    } catch (thrown) {
      if (!(thrown instanceof IndexLostError)) throw thrown;
      const now = await lookUp(name, tenantId, generation);
      if (now === known) throw thrown;
      return run(now);
    }
  };
  const by = <T>({ tenantId, generation }: CollectionKey, run: (store: VectorStore) => Promise<T>): Promise<T> =>
    at(tenantId, generation, run);
  const of = <T>({ tenantId, number, ...kept }: Generation, run: (store: VectorStore) => Promise<T>): Promise<T> => {
    // A number whose reservation was released is given out again, perhaps for the other store.
    if (kept.inChroma !== undefined) places.set(nameOf(tenantId, number), kept.inChroma ? inChroma : inPostgres);
    return at(tenantId, number, run);
  };
  return {
    create: (generation, model, records) => of(generation, (store) => store.create(generation, model, records)),
    drop: (generation) => of(generation, (store) => store.drop(generation)),
    probe: (generation, model) => of(generation, (store) => store.probe(generation, model)),
    isNearlyFull: (generation) => of(generation, (store) => store.isNearlyFull(generation)),
    count: (key) => by(key, (store) => store.count(key)),
    nearest: (key, vectors, limit, signal) => by(key, (store) => store.nearest(key, vectors, limit, signal)),
    read: (key, recordIds, signal, mode) => by(key, (store) => store.read(key, recordIds, signal, mode)),
    list: (key, offset, limit) => by(key, (store) => store.list(key, offset, limit)),
    labels: (key, recordIds) => by(key, (store) => store.labels(key, recordIds)),
    upsert: (key, records) => by(key, (store) => store.upsert(key, records)),
    remove: (key, recordIds) => by(key, (store) => store.remove(key, recordIds)),
    removeCards: (key, cardIds) => by(key, (store) => store.removeCards(key, cardIds)),
    invalidate: (key, recordIds) => by(key, (store) => store.invalidate(key, recordIds)),
  };
}

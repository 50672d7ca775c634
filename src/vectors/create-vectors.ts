import type { Closers } from '../domain/async.js';
import type { VectorStore } from '../domain/ports/collections.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import { LmdbVectorCache } from './cache.js';
import { StoredVectors } from './stored.js';
import { type VectorStoresParts, vectorStores } from './vector-stores.js';

export interface VectorsParts extends VectorStoresParts {
  readonly folders: { readonly vectors: string };
  readonly config: { readonly vectorCacheMb: number };
  readonly ledger: Pick<IndexLedger, 'indexed' | 'isInChroma'>;
  /** Counts the cards that a search found and did not find in the cache. */
  readonly metrics: { readonly caches: { vectors(found: number, missing: number): void } };
  readonly closers: Closers;
}

export interface Vectors {
  readonly vectorStore: VectorStore;
  readonly cache: LmdbVectorCache;
  /** For searches: reads are counted. */
  readonly searched: StoredVectors;
  /** For the gateway's own work: reads are not counted. */
  readonly stored: StoredVectors;
  /** As {@link stored}, with a longer deadline: for work that nobody waits for. */
  readonly backgroundStored: StoredVectors;
}

/** On a busy machine the ledger and Chroma, whose requests have deadlines of their own, need seconds for 100 cards. */
const BACKGROUND_DEADLINE_MS = 10_000;

export async function createVectors(parts: VectorsParts): Promise<Vectors> {
  const { folders, config, ledger, metrics, closers } = parts;
  const vectorStore = vectorStores(parts);
  const cache = new LmdbVectorCache(folders.vectors, config.vectorCacheMb * 2 ** 20);
  cache.open();
  closers.add('vector cache', () => cache.close());
  return {
    vectorStore,
    cache,
    searched: new StoredVectors(cache, vectorStore, ledger, { onRead: metrics.caches.vectors }),
    stored: new StoredVectors(cache, vectorStore, ledger),
    backgroundStored: new StoredVectors(cache, vectorStore, ledger, { deadlineMs: BACKGROUND_DEADLINE_MS }),
  };
}

import type { Closers } from '../domain/async.js';
import type { VectorReader } from '../domain/ports/collections.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import { LmdbVectorCache } from './cache.js';
import { StoredVectors } from './stored.js';

export interface VectorsParts {
  readonly folders: { readonly vectors: string };
  readonly config: { readonly vectorCacheMb: number };
  readonly reader: VectorReader;
  readonly ledger: Pick<IndexLedger, 'indexed'>;
  /** Counts, for each read of a search, the cards that the cache had and had not. */
  readonly metrics: { readonly caches: { vectors(found: number, missing: number): void } };
  readonly closers: Closers;
}

export interface Vectors {
  readonly cache: LmdbVectorCache;
  /** The stored vectors, as searches read them. */
  readonly searched: StoredVectors;
  /** The same without the count, for the gateway's own work. */
  readonly stored: StoredVectors;
}

/** Opens the vector cache. */
export async function createVectors(parts: VectorsParts): Promise<Vectors> {
  const { folders, config, reader, ledger, metrics, closers } = parts;
  const cache = new LmdbVectorCache(folders.vectors, config.vectorCacheMb * 2 ** 20);
  cache.open();
  closers.add('vector cache', () => cache.close());
  return {
    cache,
    searched: new StoredVectors(cache, reader, ledger, metrics.caches.vectors),
    stored: new StoredVectors(cache, reader, ledger),
  };
}

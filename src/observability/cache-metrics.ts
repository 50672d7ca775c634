import { Counter, type Registry } from 'prom-client';
import type { CacheHits } from '../domain/ports/models.js';

export interface CacheMetrics {
  /** Cards whose vectors a search has read. */
  vectors(found: number, missing: number): void;
  /** One check of an API key. */
  key(found: boolean): void;
  /** One use of an owner's lexical index, for viewers who may only see their own cards. */
  ownerIndex(found: boolean): void;
  /** Reads the embedding caches at each request of `/metrics`. */
  watchEmbeddings(read: () => CacheHits): void;
}

export function createCacheMetrics(registry: Registry): CacheMetrics {
  const reads = (name: string, help: string) => {
    const counter = new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
    return (found: number, missing: number): void => {
      counter.inc({ outcome: 'hit' }, found);
      counter.inc({ outcome: 'miss' }, missing);
    };
  };
  const keys = reads(
    'errata_key_cache_reads_total',
    'API keys that requests came with: those that were remembered (hit), and those that PostgreSQL was asked for (miss).',
  );
  const ownerIndexes = reads(
    'errata_own_notebook_cache_reads_total',
    "Students' searches by whether the words of their cards were kept (hit), or made anew from PostgreSQL (miss).",
  );
  return {
    vectors: reads(
      'errata_vector_cache_reads_total',
      'Cards whose vectors a search asked for: those that the local cache had (hit), and those read from Chroma (miss).',
    ),
    key: (found) => keys(Number(found), Number(!found)),
    ownerIndex: (found) => ownerIndexes(Number(found), Number(!found)),
    watchEmbeddings(read) {
      const show = (what: keyof CacheHits, help: string): void => {
        new Counter({
          name: `errata_embedding_cache_${what}_total`,
          help,
          registers: [registry],
          collect() {
            this.reset();
            this.inc(read()[what]);
          },
        });
      };
      show('hits', 'Texts whose vector was known in memory or on disk; the built-in model keeps none.');
      show('misses', 'Texts whose vector had to be computed.');
    },
  };
}

/** The ports as literal objects over Maps: what the core sees where nothing else may fail. */
import { createHash } from 'node:crypto';
import { distinctBy } from '../../src/domain/grouped.js';
import {
  type CollectionKey,
  type PassageRecord,
  recordId,
  type VectorStore,
} from '../../src/domain/ports/collections.js';
import { type Embedder, type EmbedderSource, modelKey } from '../../src/domain/ports/models.js';
import type { CardVectors, StoredRecord, VectorCache } from '../../src/domain/ports/vectors.js';
import { rounded } from '../../src/domain/vector-rounding.js';
import { KeyWatches } from '../../src/vectors/cache-keys.js';
import { PackedVectors } from '../../src/vectors/packed.js';
import { unit } from './generators.js';

const DIMS = 16;

/** The vector that every text gets here: the same for the same text, unlike for another. */
export function vectorOf(text: string): Float32Array {
  const bytes = createHash('sha512').update(text).digest().subarray(0, DIMS);
  return rounded(unit([...bytes].map((byte) => byte - 127.5)));
}

/**
 * An embedder over hashes; passages are short, so that texts have several. A text without letter or digit has no
 * vector.
 */
export const literalEmbedder: Embedder = {
  model: { name: 'literal', dims: DIMS, dtype: 'f32', version: 1 },
  maxChars: 12,
  lowestCosine: null,
  embeds: (text) => /[\p{L}\p{N}]/u.test(text),
  embed: async (texts, _kind, _perspective, signal) => {
    signal.throwIfAborted();
    return texts.map(vectorOf);
  },
};

/** A source of the given models, of which the first is the one of the settings. */
export function sourceOf(
  current: Embedder,
  ...others: readonly Embedder[]
): EmbedderSource & { readonly retired: string[] } {
  const all = new Map([current, ...others].map((embedder) => [modelKey(embedder.model), embedder]));
  const retired: string[] = [];
  return {
    current,
    retired,
    of: (key) => all.get(key) ?? null,
    retire: async (key) => void retired.push(key),
    cacheHits: { hits: 0, misses: 0 },
  };
}

/** The words of a text, split at everything that is no letter or digit. */
export function literalWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

export const literalModel = modelKey(literalEmbedder.model);

/** A record as the memory index keeps it, with what tells whose and when it was written. */
export interface MemoryRecord extends StoredRecord {
  readonly cardId: string;
  readonly revision: number;
}

export interface MemoryIndex
  extends Pick<VectorStore, 'nearest' | 'read' | 'labels' | 'upsert' | 'remove' | 'removeCards'> {
  readonly collections: Map<string, Map<string, MemoryRecord>>;
  /** The ids of all records that were written, in order. */
  readonly written: string[];
}

export function collectionName({ tenantId, generation, perspective }: CollectionKey): string {
  return `${tenantId}/${generation}/${perspective}`;
}

/**
 * Collections in memory that search by looking at everything.
 *
 * @param step called before and after every record that is written or removed, and before every read: where it throws,
 * what was done before stays done, as after a crash.
 */
export function memoryIndex(step: () => void = () => undefined): MemoryIndex {
  const collections = new Map<string, Map<string, MemoryRecord>>();
  const written: string[] = [];
  const collection = (key: CollectionKey): Map<string, MemoryRecord> => {
    const name = collectionName(key);
    const found = collections.get(name) ?? new Map<string, MemoryRecord>();
    collections.set(name, found);
    return found;
  };
  const write = (records: Map<string, MemoryRecord>, { card, passage, contentHash, vector }: PassageRecord): void => {
    const id = recordId(card.id, passage);
    written.push(id);
    const kept = vector ?? records.get(id)?.vector;
    // As Chroma does: an update of a record that is not there is ignored.
    if (kept === undefined) return;
    step();
    records.set(id, { cardId: card.id, revision: card.revision, contentHash, vector: kept });
    step();
  };
  return {
    collections,
    written,
    nearest: async (key, vectors, limit, signal) => {
      signal.throwIfAborted();
      return vectors.map((vector) => {
        const ranked = [...collection(key).values()]
          .map((record) => ({ cardId: record.cardId, similarity: dot(vector, record.vector) }))
          .sort((a, b) => b.similarity - a.similarity);
        return distinctBy(ranked.slice(0, limit), ({ cardId }) => cardId);
      });
    },
    read: async (key, recordIds, signal) => {
      signal.throwIfAborted();
      step();
      const found = recordIds.flatMap((id): [string, StoredRecord][] => {
        const record = collection(key).get(id);
        if (record === undefined) return [];
        const { contentHash, revision, vector } = record;
        return [[id, { contentHash, revision, vector }]];
      });
      return new Map(found);
    },
    labels: async (key, recordIds) => {
      step();
      return new Map(
        [...among(collection(key), recordIds)].map(([id, { contentHash, revision }]) => {
          return [id, { contentHash, revision, tenantId: key.tenantId }];
        }),
      );
    },
    upsert: async (key, records) => {
      for (const record of records) write(collection(key), record);
    },
    remove: async (key, recordIds) => {
      for (const id of recordIds) {
        step();
        collection(key).delete(id);
      }
    },
    removeCards: async (key, cardIds) => {
      // Chroma deletes what one request names at once: there is no moment at which a card has lost some of its records.
      for (const gone of cardIds) {
        step();
        for (const [id, { cardId }] of [...collection(key)]) if (cardId === gone) collection(key).delete(id);
      }
    },
  };
}

export function memoryCache(): VectorCache & { readonly entries: Map<string, CardVectors> } {
  const entries = new Map<string, CardVectors>();
  const name = (tenantId: string, generation: number, cardId: string): string => `${tenantId}/${generation}/${cardId}`;
  const removals = new KeyWatches();
  return {
    entries,
    get: (tenantId, generation, cardId) => {
      const kept = entries.get(name(tenantId, generation, cardId));
      return kept && PackedVectors.of(kept);
    },
    revision: (tenantId, generation, cardId) => entries.get(name(tenantId, generation, cardId))?.revision,
    cardIds: (tenantId, generation) => {
      const prefix = name(tenantId, generation, '');
      return [...entries.keys()].flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
    },
    watchRemovals: (tenantId, generation) => removals.watch(name(tenantId, generation, '')),
    put: async (tenantId, generation, cards) => {
      for (const [cardId, vectors] of cards) entries.set(name(tenantId, generation, cardId), vectors);
    },
    remove: async (tenantId, generation, cardIds) => {
      const names = cardIds.map((cardId) => name(tenantId, generation, cardId));
      removals.add(names);
      for (const gone of names) entries.delete(gone);
    },
    drop: async (tenantId, generation) => {
      removals.add([name(tenantId, generation, '')]);
      for (const key of [...entries.keys()]) if (key.startsWith(name(tenantId, generation, ''))) entries.delete(key);
    },
    generations: () =>
      [...entries.keys()].map((key) => {
        const [tenantId = '', number] = key.split('/');
        return { tenantId, number: Number(number) };
      }),
  };
}

/** The entries of `map` whose keys are among `ids`, as the stores answer them. */
export function among<T>(map: ReadonlyMap<string, T>, ids: readonly string[]): ReadonlyMap<string, T> {
  return new Map(
    ids.flatMap((id): [string, T][] => {
      const value = map.get(id);
      return value === undefined ? [] : [[id, value]];
    }),
  );
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, place) => sum + value * (b[place] ?? Number.NaN), 0);
}

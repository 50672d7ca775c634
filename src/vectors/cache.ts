import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { LRUCache } from 'lru-cache';
import type { Generation } from '../domain/ports/ledger.js';
import type {
  CardVectors,
  KeyWatch,
  TenantColumns,
  VectorCache,
  VectorColumns,
  VectorColumnsSource,
} from '../domain/ports/vectors.js';
import { inTurns } from '../domain/steps.js';
import { endOf, KeyWatches, keyOf, keysIn, partsOf, SEPARATOR, someKeysIn, storedIn } from './cache-keys.js';
import { SparseColumns } from './columns.js';
import { CACHE_OPTIONS, closed, requireRoom, written } from './lmdb-writes.js';
import { PackedVectors } from './packed.js';

/** Memory of a cached card beside its bytes: its key, three views, and its entry in the LRU list. */
const ENTRY_BYTES = 600;

/** Dense cards put into columns before their share is checked: less than 1 MB at 1,024 dimensions. */
const DENSE_CARDS = 20;

/**
 * Incremented when the stored format changes; files of other formats are removed, and vectors are read from Chroma
 * again.
 */
const FORMAT = 3;

const PART = 'vector cache';

const FILE = `v${FORMAT}.mdb`;

/**
 * The local cache of Chroma's vectors: lmdb on disk (memory-mapped, one read for each card) behind an LRU cache in
 * memory. Sparse vectors of loaded tenants are also kept as columns.
 */
export class LmdbVectorCache implements VectorCache, VectorColumnsSource, TenantColumns {
  readonly #recent: LRUCache<string, PackedVectors>;
  /** By tenant, then by tenant and generation; null once too many of its cards were dense. */
  readonly #columns = new Map<string, Map<string, SparseColumns | null>>();
  /** Columns that are being built anew, by generation: changes apply to them as well. */
  readonly #rebuilt = new Map<string, SparseColumns>();
  /** The generations with any stored card, as the prefixes of their keys. */
  readonly #stored = new Set<string>();
  readonly #removals = new KeyWatches();
  readonly #puts = new KeyWatches();
  #lmdb: RootDatabase<Buffer, string> | undefined;

  /** `memoryBytes` limits the LRU cache; other cards are read from lmdb each time. */
  constructor(
    private readonly folder: string,
    memoryBytes: number,
  ) {
    this.#recent = new LRUCache({ maxSize: memoryBytes, sizeCalculation: bytesOf });
  }

  open(): void {
    if (this.#lmdb !== undefined) return;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(this.folder)) {
      if (/^v\d+\.mdb/.test(name) && !name.startsWith(FILE)) rmSync(join(this.folder, name));
    }
    this.#lmdb = open<Buffer, string>({ path: join(this.folder, FILE), ...CACHE_OPTIONS });
    this.#stored.clear();
    // The first key of each generation: a start does not read all cards.
    for (let start = ''; ; ) {
      const [key] = this.#lmdb.getKeys({ start, limit: 1 });
      if (key === undefined) break;
      const { generation } = partsOf(key);
      this.#stored.add(generation);
      start = endOf(generation);
    }
  }

  async load(tenantId: string): Promise<void> {
    if (this.#columns.has(tenantId)) return;
    // Changes from now on are applied to the columns too.
    const loaded = new Map<string, SparseColumns | null>();
    this.#columns.set(tenantId, loaded);
    await inTurns(keysIn(this.#store(), `${tenantId}${SEPARATOR}`), (key) => {
      const { generation, cardId } = partsOf(key);
      const columns = loaded.get(generation);
      if (columns === null || columns?.holds(cardId) === true) return;
      const stored = this.#lmdb && storedIn(this.#lmdb, key, PackedVectors.read);
      if (stored !== undefined) addTo(loaded, key, stored);
    });
  }

  unload(tenantId: string): void {
    this.#columns.delete(tenantId);
  }

  bytes(tenantId: string): number {
    return [...(this.#columns.get(tenantId)?.values() ?? [])].reduce((sum, one) => sum + (one?.bytes ?? 0), 0);
  }

  columns(tenantId: string, generation: number): VectorColumns | null {
    const columns = this.#columns.get(tenantId)?.get(keyOf(tenantId, generation, '')) ?? null;
    return columns === null || columns.isDense ? null : columns;
  }

  get(tenantId: string, generation: number, cardId: string): PackedVectors | undefined {
    const key = keyOf(tenantId, generation, cardId);
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const stored = storedIn(this.#store(), key, PackedVectors.read);
    if (stored !== undefined) this.#recent.set(key, stored);
    return stored;
  }

  revision(tenantId: string, generation: number, cardId: string): number | undefined {
    const key = keyOf(tenantId, generation, cardId);
    const recent = this.#recent.peek(key);
    return recent === undefined ? storedIn(this.#store(), key, PackedVectors.revisionIn) : recent.revision;
  }

  *cardIds(tenantId: string, generation: number): Generator<string> {
    for (const key of keysIn(this.#store(), keyOf(tenantId, generation, ''))) yield partsOf(key).cardId;
  }

  watchRemovals(tenantId: string, generation: number): KeyWatch {
    return this.#removals.watch(keyOf(tenantId, generation, ''));
  }

  async put(tenantId: string, generation: number, entries: ReadonlyMap<string, CardVectors>): Promise<void> {
    requireRoom(PART, this.folder);
    if (entries.size > 0) this.#stored.add(keyOf(tenantId, generation, ''));
    const loaded = this.#columns.get(tenantId);
    const put = new Map<string, PackedVectors>();
    const writes = [...entries].map(([cardId, vectors]) => {
      const key = keyOf(tenantId, generation, cardId);
      const packed = PackedVectors.of(vectors);
      put.set(key, packed);
      this.#recent.set(key, packed);
      if (loaded !== undefined) addTo(loaded, key, packed);
      this.#rebuilt.get(partsOf(key).generation)?.set(cardId, packed);
      return this.#store().put(key, Buffer.from(packed.bytes.buffer));
    });
    this.#puts.add([...put.keys()]);
    await written(PART, writes);
    // A read of a card that had left memory meanwhile may have found what was stored before.
    for (const [key, packed] of put) if (this.#recent.peek(key) !== packed) this.#recent.delete(key);
    // A load that started in the meantime has not read these writes.
    const later = this.#columns.get(tenantId);
    if (later !== undefined && later !== loaded) for (const [key, packed] of put) addTo(later, key, packed);
    await this.#rebuild(tenantId, keyOf(tenantId, generation, ''));
  }

  async remove(tenantId: string, generation: number, cardIds: readonly string[]): Promise<void> {
    await this.#removeKeys(cardIds.map((cardId) => keyOf(tenantId, generation, cardId)));
    await this.#rebuild(tenantId, keyOf(tenantId, generation, ''));
  }

  async drop(tenantId: string, generation: number): Promise<void> {
    const prefix = keyOf(tenantId, generation, '');
    this.#removals.add([prefix]);
    // As a whole: removing tens of thousands of cards one by one would block the event loop for a second.
    this.#columns.get(tenantId)?.delete(prefix);
    const left = (): readonly string[] => someKeysIn(this.#store(), prefix);
    for (let keys = left(); keys.length > 0; keys = left()) await this.#removeKeys(keys);
    // A search that started earlier may have put a card in the meantime.
    this.#columns.get(tenantId)?.delete(prefix);
    this.#stored.delete(prefix);
  }

  generations(): readonly Pick<Generation, 'tenantId' | 'number'>[] {
    return [...this.#stored].map((prefix) => {
      const [tenantId = '', number] = prefix.split(SEPARATOR);
      return { tenantId, number: Number(number) };
    });
  }

  async #removeKeys(keys: readonly string[]): Promise<void> {
    this.#removals.add(keys);
    requireRoom(PART, this.folder);
    const later = this.#puts.watch('');
    try {
      await written(
        PART,
        keys.map((key) => this.#store().remove(key)),
      );
    } finally {
      later.end();
    }
    // After the write: a concurrent read may have cached the old value again. lmdb keeps what was put meanwhile.
    for (const key of keys) {
      if (later.has(key)) continue;
      this.#recent.delete(key);
      const { tenantId, generation, cardId } = partsOf(key);
      this.#columns.get(tenantId)?.get(generation)?.delete(cardId);
      this.#rebuilt.get(generation)?.delete(cardId);
    }
  }

  /** Builds columns of which most numbers are unused anew, in turns: all at once takes seconds for 50,000 cards. */
  async #rebuild(tenantId: string, generation: string): Promise<void> {
    const tenant = this.#columns.get(tenantId);
    const old = tenant?.get(generation);
    if (!old?.isScattered || this.#rebuilt.has(generation)) return;
    const built = new SparseColumns();
    this.#rebuilt.set(generation, built);
    try {
      // Earlier changes are read from lmdb, later ones are applied to both.
      await this.#store().committed;
      await inTurns(old.cardIds.slice(), (cardId) => {
        if (!old.holds(cardId) || built.holds(cardId)) return;
        const stored = this.#lmdb && storedIn(this.#lmdb, generation + cardId, PackedVectors.read);
        if (stored !== undefined) built.set(cardId, stored);
      });
      if (this.#lmdb !== undefined && tenant?.get(generation) === old) tenant.set(generation, built);
    } finally {
      this.#rebuilt.delete(generation);
    }
  }

  async close(): Promise<void> {
    await closed(this.#lmdb);
    this.#lmdb = undefined;
  }

  #store(): RootDatabase<Buffer, string> {
    if (this.#lmdb === undefined) throw new Error('the vector cache is not open');
    return this.#lmdb;
  }
}

function addTo(loaded: Map<string, SparseColumns | null>, key: string, vectors: PackedVectors): void {
  const { generation, cardId } = partsOf(key);
  const columns = loaded.get(generation);
  if (columns === null) return;
  const known = columns ?? new SparseColumns();
  known.set(cardId, vectors);
  loaded.set(generation, known.dense > DENSE_CARDS && known.isDense ? null : known);
}

function bytesOf({ bytes }: PackedVectors): number {
  return bytes.byteLength + ENTRY_BYTES;
}

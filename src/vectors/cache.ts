import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { LRUCache } from 'lru-cache';
import { UnavailableError } from '../domain/errors.js';
import type { Generation } from '../domain/ports/ledger.js';
import type { CardVectors, VectorCache, VectorColumns, VectorColumnsSource } from '../domain/ports/vectors.js';
import { SparseColumns } from './columns.js';
import { PackedVectors } from './packed.js';

/** Memory of a cached card beside its bytes: its key, three views, and its entry in the LRU list. */
const ENTRY_BYTES = 600;

/**
 * With this share of dense vectors they are those of a semantic model, which are not compared any faster by dimension. Of the
 * built-in embedder, a passage needs some 560 different features for a dense vector: 512 x (1 - e^(-560 / 512)) of its 512
 * dimensions, two thirds, are then not 0.
 */
const DENSE_SHARE = 0.05;

/** So many dense cards are put into columns before their share counts: less than 1 MB at 1,024 dimensions. */
const DENSE_CARDS = 20;

/** Raised when the stored form changes; files of other formats are removed, and the vectors read from Chroma again. */
const FORMAT = 2;

/** Keys removed in one transaction of lmdb: some milliseconds of work. */
const KEYS_PER_TURN = 1_000;

/** Between the parts of a key; no tenant id has it. */
const SEPARATOR = '\u0001';

const FILE = `v${FORMAT}.mdb`;

/**
 * The local cache of the vectors in Chroma: lmdb on disk (memory-mapped, one read for each card), and an LRU cache in memory
 * before it. Sparse vectors are also kept as columns.
 */
export class LmdbVectorCache implements VectorCache, VectorColumnsSource {
  readonly #folder: string;
  readonly #recent: LRUCache<string, PackedVectors>;
  /** By tenant and generation; null if the vectors are dense. */
  readonly #columns = new Map<string, SparseColumns | null>();
  #lmdb: RootDatabase<Buffer, string> | undefined;

  /** `memoryBytes` limits the LRU cache; other cards are read from lmdb each time. */
  constructor(folder: string, memoryBytes: number) {
    this.#folder = folder;
    this.#recent = new LRUCache({ maxSize: memoryBytes, sizeCalculation: bytesOf });
  }

  open(): void {
    if (this.#lmdb !== undefined) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(this.#folder)) {
      if (/^v\d+\.mdb/.test(name) && !name.startsWith(FILE)) rmSync(join(this.#folder, name));
    }
    this.#lmdb = open<Buffer, string>({ path: join(this.#folder, FILE), encoding: 'binary' });
    for (const { key, value } of this.#lmdb.getRange({})) this.#addToColumns(key, PackedVectors.read(value));
  }

  columns(tenantId: string, generation: number): VectorColumns | null {
    const columns = this.#columns.get(keyOf(tenantId, generation, '')) ?? null;
    return columns === null || isDense(columns) ? null : columns;
  }

  get(tenantId: string, generation: number, cardId: string): PackedVectors | undefined {
    const key = keyOf(tenantId, generation, cardId);
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const stored = this.#store().getBinaryFast(key);
    if (stored === undefined) return undefined;
    // lmdb reuses this buffer, which is longer than the value.
    const vectors = PackedVectors.read(stored.subarray(0, stored.length));
    this.#recent.set(key, vectors);
    return vectors;
  }

  async put(tenantId: string, generation: number, entries: ReadonlyMap<string, CardVectors>): Promise<void> {
    // lmdb batches the writes of one tick into one transaction.
    const writes = [...entries].map(([cardId, vectors]) => {
      const key = keyOf(tenantId, generation, cardId);
      const packed = PackedVectors.of(vectors);
      this.#recent.set(key, packed);
      this.#addToColumns(key, packed);
      return this.#store().put(key, Buffer.from(packed.bytes.buffer));
    });
    await written(writes);
  }

  async remove(tenantId: string, generation: number, cardIds: readonly string[]): Promise<void> {
    await this.#removeKeys(cardIds.map((cardId) => keyOf(tenantId, generation, cardId)));
  }

  async drop(tenantId: string, generation: number): Promise<void> {
    const prefix = keyOf(tenantId, generation, '');
    // At once: removing tens of thousands of cards one by one would block the event loop for a second.
    this.#columns.delete(prefix);
    const keys = [...this.#store().getKeys({ start: prefix, end: `${prefix}\uffff` })];
    for (let at = 0; at < keys.length; at += KEYS_PER_TURN) {
      await this.#removeKeys(keys.slice(at, at + KEYS_PER_TURN));
    }
    // A search that began before may have put a card meanwhile.
    this.#columns.delete(prefix);
  }

  generations(): readonly Pick<Generation, 'tenantId' | 'number'>[] {
    return [...this.#columns.keys()].map((prefix) => {
      const [tenantId = '', number] = prefix.split(SEPARATOR);
      return { tenantId, number: Number(number) };
    });
  }

  async #removeKeys(keys: readonly string[]): Promise<void> {
    await written(keys.map((key) => this.#store().remove(key)));
    // Afterwards: a read meanwhile may have cached the old value again.
    for (const key of keys) {
      this.#recent.delete(key);
      const [generation, cardId] = partsOf(key);
      this.#columns.get(generation)?.delete(cardId);
    }
  }

  #addToColumns(key: string, vectors: PackedVectors): void {
    const [generation, cardId] = partsOf(key);
    const columns = this.#columns.get(generation);
    if (columns === null) return;
    const known = columns ?? new SparseColumns();
    known.set(cardId, vectors);
    this.#columns.set(generation, known.dense > DENSE_CARDS && isDense(known) ? null : known);
  }

  async close(): Promise<void> {
    await this.#lmdb?.close();
    this.#lmdb = undefined;
  }

  #store(): RootDatabase<Buffer, string> {
    if (this.#lmdb === undefined) throw new Error('the vector cache is not open');
    return this.#lmdb;
  }
}

function keyOf(tenantId: string, generation: number, cardId: string): string {
  return `${tenantId}${SEPARATOR}${generation}${SEPARATOR}${cardId}`;
}

/** The prefix of all keys of the generation, and the card's id. */
function partsOf(key: string): readonly [generation: string, cardId: string] {
  const end = key.indexOf(SEPARATOR, key.indexOf(SEPARATOR) + 1) + 1;
  return [key.slice(0, end), key.slice(end)];
}

function isDense({ dense, size }: SparseColumns): boolean {
  return dense > DENSE_SHARE * size;
}

function bytesOf({ bytes }: PackedVectors): number {
  return bytes.byteLength + ENTRY_BYTES;
}

/** UnavailableError, which is retried, for a disk that is full or gone. */
async function written(writes: readonly Promise<boolean>[]): Promise<void> {
  try {
    await Promise.all(writes);
  } catch (cause) {
    throw new UnavailableError('vector cache', 'it cannot be written', { cause });
  }
}

import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { LRUCache } from 'lru-cache';
import { UnavailableError } from '../domain/errors.js';
import type { Generation } from '../domain/ports/ledger.js';
import type { CardVectors, VectorCache, VectorColumns, VectorColumnsSource } from '../domain/ports/vectors.js';
import { SparseColumns } from './columns.js';
import { PackedVectors } from './packed.js';

/** What a card kept in memory takes beside its bytes: its key, three views on the bytes, and its place in the order of use. */
const ENTRY_BYTES = 600;

/**
 * Where this share of the cards has vectors that are not mostly zeros, they are those of a model that reads texts, which are not
 * compared any faster by dimension. Of the built-in embedder's a passage has such a vector with some 560 different features:
 * 512 x (1 - e^(-560 / 512)) of its 512 dimensions are then not 0, which is two thirds.
 */
const DENSE_SHARE = 0.05;

/** So many cards of such a model are laid out before the share of them is believed: less than 1 MB, of 1,024 dimensions. */
const DENSE_CARDS = 20;

/** Grows when the stored form changes; a file of another form is removed, and the vectors are read from Chroma again. */
const FORMAT = 2;

/** Keys removed in one transaction of lmdb: some milliseconds of work. */
const KEYS_PER_TURN = 1_000;

/** Between the parts of a key; no tenant has it in its name. */
const SEPARATOR = '\u0001';

const FILE = `v${FORMAT}.mdb`;

/**
 * The local copy of the stored vectors: lmdb on disk (memory-mapped, one read a card), before it the cards that were used
 * last, in memory. It is a cache: whatever is missing or stale is read from Chroma again.
 */
export class LmdbVectorCache implements VectorCache, VectorColumnsSource {
  readonly #folder: string;
  readonly #recent: LRUCache<string, PackedVectors>;
  /** By tenant and generation; null where too many vectors are not mostly zeros. */
  readonly #columns = new Map<string, SparseColumns | null>();
  #lmdb: RootDatabase<Buffer, string> | undefined;

  /** @param memoryBytes how much the cards in memory may take; what does not fit is read from the disk each time. */
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
    for (const { key, value } of this.#lmdb.getRange({})) this.#lay(key, PackedVectors.read(value));
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
    // lmdb answers with a buffer that it uses again, longer than the value; only Buffer's own methods know its length.
    const vectors = PackedVectors.read(stored.subarray(0, stored.length));
    this.#recent.set(key, vectors);
    return vectors;
  }

  async put(tenantId: string, generation: number, entries: ReadonlyMap<string, CardVectors>): Promise<void> {
    // lmdb puts the writes of one turn into one transaction.
    const writes = [...entries].map(([cardId, vectors]) => {
      const key = keyOf(tenantId, generation, cardId);
      const packed = PackedVectors.of(vectors);
      this.#recent.set(key, packed);
      this.#lay(key, packed);
      return this.#store().put(key, Buffer.from(packed.bytes.buffer));
    });
    await written(writes);
  }

  async remove(tenantId: string, generation: number, cardIds: readonly string[]): Promise<void> {
    await this.#removeKeys(cardIds.map((cardId) => keyOf(tenantId, generation, cardId)));
  }

  async drop(tenantId: string, generation: number): Promise<void> {
    const prefix = keyOf(tenantId, generation, '');
    // Whole: taken out card by card, the columns of tens of thousands would keep everybody waiting for a second.
    this.#columns.delete(prefix);
    const keys = [...this.#store().getKeys({ start: prefix, end: `${prefix}\uffff` })];
    for (let at = 0; at < keys.length; at += KEYS_PER_TURN) {
      await this.#removeKeys(keys.slice(at, at + KEYS_PER_TURN));
    }
    // Something may have been put in the meantime, by a search that began before.
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
    // Afterwards: a read in the meantime has brought the old value into memory again.
    for (const key of keys) {
      this.#recent.delete(key);
      const [generation, cardId] = partsOf(key);
      this.#columns.get(generation)?.delete(cardId);
    }
  }

  #lay(key: string, vectors: PackedVectors): void {
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

/** What all keys of the generation begin with, and the card's id. */
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

/** A disk that is full, or gone, is no fault of the cards whose vectors were to be written. */
async function written(writes: readonly Promise<boolean>[]): Promise<void> {
  try {
    await Promise.all(writes);
  } catch (cause) {
    throw new UnavailableError('vector cache', 'it cannot be written', { cause });
  }
}

import { open, type RootDatabase } from 'lmdb';
import { LRUCache } from 'lru-cache';
import type { CardVectors, VectorCache } from '../ports.js';
import { decodeVectors, encodeVectors } from './codec.js';

/** Decoded cards kept in memory: about 9 kB a card of 4 x 512 floats, so some 15,000 cards. */
const MEMORY_BYTES = 128 * 1024 * 1024;

/** Grows when the stored form changes; a file of another form is not opened, and is filled anew from Chroma. */
const FORMAT = 1;

/**
 * The local copy of the stored vectors: lmdb on disk (memory-mapped, one read a card), an LRU of decoded cards before it.
 * It is a cache: whatever is missing or stale is read from Chroma again.
 */
export class LmdbVectorCache implements VectorCache {
  readonly #folder: string;
  readonly #recent: LRUCache<string, CardVectors>;
  #lmdb: RootDatabase<Buffer, string> | undefined;

  constructor(folder: string, memoryBytes: number = MEMORY_BYTES) {
    this.#folder = folder;
    this.#recent = new LRUCache({ maxSize: memoryBytes, sizeCalculation: bytesOf });
  }

  open(): void {
    this.#lmdb ??= open<Buffer, string>({ path: `${this.#folder}/v${FORMAT}.mdb`, encoding: 'binary' });
  }

  get(tenantId: string, generation: number, cardId: string): CardVectors | undefined {
    const key = keyOf(tenantId, generation, cardId);
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const stored = this.#store().getBinaryFast(key);
    if (stored === undefined) return undefined;
    const vectors = decodeVectors(stored);
    this.#recent.set(key, vectors);
    return vectors;
  }

  async put(tenantId: string, generation: number, entries: ReadonlyMap<string, CardVectors>): Promise<void> {
    // lmdb puts the writes of one turn into one transaction.
    const writes = [...entries].map(([cardId, vectors]) => {
      const key = keyOf(tenantId, generation, cardId);
      this.#recent.set(key, vectors);
      return this.#store().put(key, encodeVectors(vectors));
    });
    await Promise.all(writes);
  }

  async remove(tenantId: string, generation: number, cardIds: readonly string[]): Promise<void> {
    await this.#removeKeys(cardIds.map((cardId) => keyOf(tenantId, generation, cardId)));
  }

  async drop(tenantId: string, generation: number): Promise<void> {
    const prefix = keyOf(tenantId, generation, '');
    await this.#removeKeys([...this.#store().getKeys({ start: prefix, end: `${prefix}\uffff` })]);
  }

  async #removeKeys(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#store().remove(key)));
    // Afterwards: a read in the meantime has brought the old value into memory again.
    for (const key of keys) this.#recent.delete(key);
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
  return `${tenantId}\u0001${generation}\u0001${cardId}`;
}

function bytesOf(vectors: CardVectors): number {
  const passages = Object.values(vectors.passages).flat();
  return passages.reduce((sum, { vector }) => sum + vector.byteLength + 200, 300);
}

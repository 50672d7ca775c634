import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { LRUCache } from 'lru-cache';
import type { CardVectors, VectorCache } from '../ports.js';
import { PackedVectors } from './packed.js';

/** What a card kept in memory takes beside its bytes: its key, three views on the bytes, and its place in the order of use. */
const ENTRY_BYTES = 600;

/** Grows when the stored form changes; a file of another form is removed, and the vectors are read from Chroma again. */
const FORMAT = 2;
const FILE = `v${FORMAT}.mdb`;

/**
 * The local copy of the stored vectors: lmdb on disk (memory-mapped, one read a card), before it the cards that were used
 * last, in memory. It is a cache: whatever is missing or stale is read from Chroma again.
 */
export class LmdbVectorCache implements VectorCache {
  readonly #folder: string;
  readonly #recent: LRUCache<string, PackedVectors>;
  #lmdb: RootDatabase<Buffer, string> | undefined;

  /** @param memoryBytes how much the cards in memory may take; what does not fit is read from the disk each time. */
  constructor(folder: string, memoryBytes: number) {
    this.#folder = folder;
    this.#recent = new LRUCache({ maxSize: memoryBytes, sizeCalculation: bytesOf });
  }

  open(): void {
    if (this.#lmdb !== undefined) return;
    mkdirSync(this.#folder, { recursive: true });
    for (const name of readdirSync(this.#folder)) {
      if (/^v\d+\.mdb/.test(name) && !name.startsWith(FILE)) rmSync(join(this.#folder, name));
    }
    this.#lmdb = open<Buffer, string>({ path: join(this.#folder, FILE), encoding: 'binary' });
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
      return this.#store().put(key, Buffer.from(packed.bytes.buffer));
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

function bytesOf({ bytes }: PackedVectors): number {
  return bytes.byteLength + ENTRY_BYTES;
}

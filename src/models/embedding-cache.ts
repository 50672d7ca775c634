import { rmSync } from 'node:fs';
import { open, type RootDatabase } from 'lmdb';
import { SEPARATOR } from '../vectors/cache-keys.js';
import { CACHE_OPTIONS, closed, requireRoom, written } from '../vectors/lmdb-writes.js';

/** Incremented when the file format changes; the file of the format before is removed. */
const FORMAT = 2;

const PART = 'embedding cache';

/** Keys that are deleted in one transaction. */
const KEYS_PER_TURN = 1_000;

/**
 * The vectors of passages by model and text, on disk, so that a rebuilt index embeds nothing again. It stores no texts,
 * only hashes. Missing vectors are computed again.
 *
 * The collections and the vector cache cannot stand in for it: they have vectors by generation and card, so that a new
 * generation begins without any, and a text that many cards have, as a topic tag, would be embedded for each of them.
 */
export class EmbeddingCache {
  #lmdb: RootDatabase<Buffer, string> | undefined;

  constructor(private readonly folder: string) {}

  open(): void {
    for (const end of ['', '-lock']) rmSync(`${this.folder}/v${FORMAT - 1}.mdb${end}`, { force: true });
    this.#lmdb ??= open<Buffer, string>({ path: `${this.folder}/v${FORMAT}.mdb`, ...CACHE_OPTIONS });
  }

  /** The vector (`Float32Array[dims]`) that was stored under the model and the text's hash. */
  get(modelKey: string, textHash: string, dims: number): Float32Array | undefined {
    const stored = this.#store().get(keyOf(modelKey, textHash));
    // Ignore a truncated vector (the disk was full).
    if (stored?.byteLength !== dims * Float32Array.BYTES_PER_ELEMENT) return undefined;
    return new Float32Array(new Uint8Array(stored).buffer);
  }

  /** Stores the vectors by the hash of their texts. UnavailableError, which is retried, for a full or failed disk. */
  async put(modelKey: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    requireRoom(PART, this.folder);
    const writes = [...vectors].map(([textHash, { buffer, byteOffset, byteLength }]) =>
      this.#store().put(keyOf(modelKey, textHash), Buffer.from(buffer, byteOffset, byteLength)),
    );
    await written(PART, writes);
  }

  /** Deletes all vectors of a model that no index uses any more, {@link KEYS_PER_TURN} in a turn of the event loop. */
  async forget(modelKey: string): Promise<void> {
    const range = { start: keyOf(modelKey, ''), end: keyOf(modelKey, '\uffff'), limit: KEYS_PER_TURN };
    for (;;) {
      const keys = [...this.#store().getKeys(range)];
      if (keys.length === 0) return;
      requireRoom(PART, this.folder);
      await written(
        PART,
        keys.map((key) => this.#store().remove(key)),
      );
    }
  }

  async close(): Promise<void> {
    await closed(this.#lmdb);
    this.#lmdb = undefined;
  }

  #store(): RootDatabase<Buffer, string> {
    if (this.#lmdb === undefined) throw new Error('the embedding cache is not open');
    return this.#lmdb;
  }
}

function keyOf(modelKey: string, textHash: string): string {
  return `${modelKey}${SEPARATOR}${textHash}`;
}

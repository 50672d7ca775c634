import { open, type RootDatabase } from 'lmdb';

/** Grows when the stored form changes; a file of another form is not opened. */
const FORMAT = 1;

/** Separates a model from a text; no model key holds it. */
const SEPARATOR = '\u0001';

/**
 * The vectors of passages by model and text, on disk: an index that is built anew embeds nothing that was embedded before.
 * It keeps no text, only hashes. Whatever is missing is computed again.
 */
export class EmbeddingCache {
  readonly #folder: string;
  #lmdb: RootDatabase<Buffer, string> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  open(): void {
    this.#lmdb ??= open<Buffer, string>({ path: `${this.#folder}/v${FORMAT}.mdb`, encoding: 'binary' });
  }

  /** The vector (`Float32Array[dims]`) that was stored under the model and the text's hash. */
  get(modelKey: string, textHash: string, dims: number): Float32Array | undefined {
    const stored = this.#store().get(keyOf(modelKey, textHash));
    // A vector that was cut off (a disk that was full) is as good as none.
    if (stored?.byteLength !== dims * Float32Array.BYTES_PER_ELEMENT) return undefined;
    return new Float32Array(new Uint8Array(stored).buffer);
  }

  /** Stores the vectors by the hash of their texts. */
  async put(modelKey: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    // lmdb puts the writes of one turn into one transaction.
    const writes = [...vectors].map(([textHash, { buffer, byteOffset, byteLength }]) =>
      this.#store().put(keyOf(modelKey, textHash), Buffer.from(buffer, byteOffset, byteLength)),
    );
    await Promise.all(writes);
  }

  /** Forgets all vectors of a model that no index is of any more. */
  async forget(modelKey: string): Promise<void> {
    const range = { start: keyOf(modelKey, ''), end: keyOf(modelKey, '\uffff') };
    await Promise.all([...this.#store().getKeys(range)].map((key) => this.#store().remove(key)));
  }

  async close(): Promise<void> {
    await this.#lmdb?.close();
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

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { RateLimitedError } from '../../domain/errors.js';
import { ownerKey, type Viewer } from '../../domain/viewer.js';
import { throwAsFullDisk } from '../full-disk.js';

interface UploadLimit {
  readonly route: string;
  /** Of one owner, queued ones included. */
  readonly max: number;
  /** `retryAfterMs` beyond that. */
  readonly retryMs: number;
  /** Number of an owner's files that are received and wait for something. */
  readonly queued: (owner: string) => number;
}

export class Uploads {
  readonly #counts = new Map<string, number>();

  constructor(private readonly limit: UploadLimit) {}

  /** Counts an upload while `receive` runs. RateLimitedError, before it starts, if the owner has too many. */
  async during<T>(viewer: Viewer, receive: () => Promise<T>): Promise<T> {
    const owner = ownerKey(viewer);
    const { route, max, retryMs, queued } = this.limit;
    const count = this.#counts.get(owner) ?? 0;
    if (count + queued(owner) >= max) {
      throw new RateLimitedError(route, retryMs, `is already receiving ${max} files of this owner`);
    }
    this.#counts.set(owner, count + 1);
    try {
      return await receive();
    } finally {
      const left = (this.#counts.get(owner) ?? 0) - 1;
      if (left > 0) this.#counts.set(owner, left);
      else this.#counts.delete(owner);
    }
  }
}

/**
 * Writes a file to the disk as it is received; returns a digest of it and of `how` it is imported.
 * ResourceExhaustedError if the disk is full.
 */
export async function storeFile(path: string, how: unknown, body: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(how));
  const hashed = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(body, hashed, createWriteStream(path, { mode: 0o600, flush: true })).catch((cause: unknown) =>
    throwAsFullDisk('import', cause),
  );
  return hash.digest('base64url');
}

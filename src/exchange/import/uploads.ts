import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RateLimitedError } from '../../domain/errors.js';
import type { Viewer } from '../../domain/viewer.js';

/** Limit of uploads and queued files of one owner: each takes up to 128 MB of this gateway's disk. */
const MAX_UNFINISHED = 5;
/** `retryAfterMs` beyond that: a file of some thousand rows is stored by then. */
const RETRY_MS = 10_000;

/** Counts the running uploads of each owner. */
export class Uploads {
  readonly #counts = new Map<string, number>();

  /** @param queued number of an owner's files that wait to be imported. */
  constructor(private readonly queued: (owner: string) => number) {}

  /** Counts an upload while `receive` runs. RateLimitedError, before it starts, if the owner has too many. */
  async during<T>(viewer: Viewer, receive: () => Promise<T>): Promise<T> {
    const owner = ownerOf(viewer);
    const count = this.#counts.get(owner) ?? 0;
    if (count + this.queued(owner) >= MAX_UNFINISHED) {
      throw new RateLimitedError('POST /import', RETRY_MS, `has ${MAX_UNFINISHED} unfinished files of yours`);
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

/** Map key of an owner. */
export function ownerOf({ tenantId, ownerId }: Viewer): string {
  return JSON.stringify([tenantId, ownerId]);
}

/** Writes a file as it is received; returns a digest of it and of `how` it is imported. */
export async function keepFile(path: string, how: unknown, body: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(how));
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(body, hashing, createWriteStream(path, { mode: 0o600 }));
  return hash.digest('base64url');
}

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { throwAsFullDisk } from '../full-disk.js';

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

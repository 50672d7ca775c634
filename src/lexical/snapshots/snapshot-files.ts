import { createHash, webcrypto } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asError } from '../../domain/errors.js';
import type { EncodedSnapshot, SnapshotStore } from '../../domain/ports/lexical.js';
import { framed, UnusableSnapshotError, unframed } from './frame.js';

/** Bytes that are hashed and handed to the system at a time: about a millisecond's work. */
const WRITE_BYTES = 1024 * 1024;

/** SHA-256 of everything before it ends the file. */
const CHECKSUM_BYTES = 32;

/** Where the files lie and what may be read from them. */
export interface SnapshotFilesParts {
  readonly folder: string;
  /** Names what makes words out of cards, and the database that the cards are in: copies made by anything else are not used. */
  readonly madeBy: string;
  readonly log: { warn(facts: object, message: string): void };
}

/**
 * Copies of the words in files, one a tenant. A file is replaced at once or not at all, whenever the process or the machine
 * ends; one that is damaged, or that something else made, is removed with a line in the log.
 */
export class SnapshotFiles implements SnapshotStore {
  readonly #parts: SnapshotFilesParts;

  constructor(parts: SnapshotFilesParts) {
    this.#parts = parts;
  }

  async read(tenantId: string): Promise<EncodedSnapshot | null> {
    const { madeBy, log } = this.#parts;
    const file = this.#fileOf(tenantId);
    try {
      return unframed(await whole(await readFile(file)), { madeBy, tenantId });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
      const reason = asError(thrown).message;
      log.warn({ tenantId, file, reason }, 'the copy of the words cannot be used: they are made anew');
      if (thrown instanceof UnusableSnapshotError) await rm(file, { force: true });
      return null;
    }
  }

  async write(tenantId: string, copy: EncodedSnapshot): Promise<void> {
    const { folder, madeBy } = this.#parts;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = this.#fileOf(tenantId);
    // One writer a directory: what lies under this name is what a write left that was cut off.
    const unfinished = `${file}.unfinished`;
    try {
      await writeSynced(unfinished, framed(copy, { madeBy, tenantId }));
      await rename(unfinished, file);
    } catch (thrown) {
      await rm(unfinished, { force: true });
      throw thrown;
    }
    await syncFolder(dirname(file));
  }

  /** Named by a hash: a tenant's id may have any characters. */
  #fileOf(tenantId: string): string {
    return join(this.#parts.folder, `${createHash('sha256').update(tenantId).digest('hex').slice(0, 32)}.words`);
  }
}

/** Writes the pieces and their checksum, and answers when the disk has them. */
async function writeSynced(file: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const checksum = createHash('sha256');
  const handle = await open(file, 'w', 0o600);
  try {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; at += WRITE_BYTES) {
        const part = piece.subarray(at, at + WRITE_BYTES);
        checksum.update(part);
        await handle.writeFile(part);
      }
    }
    await handle.writeFile(checksum.digest());
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a new name in the folder outlive a failure of power. Windows knows no such thing and does it by itself. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The bytes without their checksum, which is computed on another thread. UnusableSnapshotError where it is not theirs. */
async function whole(bytes: Uint8Array): Promise<Uint8Array> {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < 0) throw new UnusableSnapshotError('it is cut off');
  const contents = bytes.subarray(0, end);
  const checksum = await webcrypto.subtle.digest('SHA-256', contents);
  if (Buffer.compare(new Uint8Array(checksum), bytes.subarray(end)) !== 0)
    throw new UnusableSnapshotError('it is damaged');
  return contents;
}

import { createHash, webcrypto } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asError } from '../../domain/errors.js';
import type { EncodedSnapshot, SnapshotStore } from '../../domain/ports/lexical.js';
import { framed, UnusableSnapshotError, unframed } from './frame.js';

/** Bytes that are hashed and written at a time: about a millisecond's work. */
const WRITE_BYTES = 1024 * 1024;

/** The file ends with the SHA-256 of everything before it. */
const CHECKSUM_BYTES = 32;

export interface SnapshotFilesParts {
  readonly folder: string;
  /** Identifies the build and the database: other snapshots are not used. */
  readonly madeBy: string;
  readonly log: { warn(facts: object, message: string): void };
}

/**
 * Snapshots of lexical indexes, one file for each tenant. A file is replaced atomically, even if the process or the machine
 * ends meanwhile; one that is damaged, or of another build, is removed with a log line.
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
      return unframed(await checked(await readFile(file)), { madeBy, tenantId });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
      const reason = asError(thrown).message;
      log.warn({ tenantId, file, reason }, 'the snapshot of the lexical index cannot be used; building the index anew');
      if (thrown instanceof UnusableSnapshotError) await rm(file, { force: true });
      return null;
    }
  }

  async write(tenantId: string, snapshot: EncodedSnapshot): Promise<void> {
    const { folder, madeBy } = this.#parts;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = this.#fileOf(tenantId);
    // The directory has one writer: a file of this name is left over from a write that was interrupted.
    const unfinished = `${file}.unfinished`;
    try {
      await writeSynced(unfinished, framed(snapshot, { madeBy, tenantId }));
      await rename(unfinished, file);
    } catch (thrown) {
      await rm(unfinished, { force: true });
      throw thrown;
    }
    await syncFolder(dirname(file));
  }

  /** A hash, because a tenant's id may have any characters. */
  #fileOf(tenantId: string): string {
    return join(this.#parts.folder, `${createHash('sha256').update(tenantId).digest('hex').slice(0, 32)}.words`);
  }
}

/** Writes the pieces and their checksum, and waits for fsync. */
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

/** Makes a rename survive a power failure. Windows has no fsync of folders and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The bytes without their checksum, which is computed on another thread. UnusableSnapshotError if it does not match. */
async function checked(bytes: Uint8Array): Promise<Uint8Array> {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < 0) throw new UnusableSnapshotError('it is cut off');
  const contents = bytes.subarray(0, end);
  const checksum = await webcrypto.subtle.digest('SHA-256', contents);
  if (Buffer.compare(new Uint8Array(checksum), bytes.subarray(end)) !== 0)
    throw new UnusableSnapshotError('it is damaged');
  return contents;
}

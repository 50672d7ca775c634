import { createHash, webcrypto } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { batches } from '../../domain/async.js';
import { asError } from '../../domain/errors.js';
import type { LexicalSnapshot, SnapshotStore } from '../../domain/ports/lexical.js';
import type { Log } from '../../domain/ports/log.js';

/** Begins every file; changes with the layout. */
const MAGIC = 'errata words 4\n';

/** Strings that are encoded at a time: about a millisecond's work. */
const STRINGS_AT_A_TIME = 5_000;

const SIZE_BYTES = 4;

/** Bytes that are hashed and written at a time: about a millisecond's work. */
const WRITE_BYTES = 1024 * 1024;

/** The file ends with the SHA-256 of everything before it. */
const CHECKSUM_BYTES = 32;

/** The message says why a file cannot be used. */
class UnusableSnapshotError extends Error {}

/** Origin of a snapshot: one of another build or tenant must not be used. */
interface Origin {
  readonly buildHash: string;
  readonly tenantId: string;
}

export interface SnapshotFilesParts {
  readonly folder: string;
  /** Identifies the build and the database: other snapshots are not used. */
  readonly buildHash: string;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Snapshots of lexical indexes, one file for each tenant. A file is replaced atomically, even if the process or the
 * machine ends meanwhile; one that is damaged, or of another build, is removed with a log line.
 */
export class SnapshotFiles implements SnapshotStore {
  constructor(private readonly parts: SnapshotFilesParts) {}

  async read(tenantId: string): Promise<LexicalSnapshot | null> {
    const { buildHash, log } = this.parts;
    const file = this.#fileOf(tenantId);
    try {
      return decoded(await checked(await readFile(file)), { buildHash, tenantId });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
      const reason = asError(thrown).message;
      log.warn({ tenantId, file, reason }, 'the snapshot of the lexical index cannot be used; building the index anew');
      if (thrown instanceof UnusableSnapshotError) await rm(file, { force: true });
      return null;
    }
  }

  async write(tenantId: string, snapshot: LexicalSnapshot): Promise<void> {
    const { folder, buildHash } = this.parts;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = this.#fileOf(tenantId);
    // The directory has one writer: a file of this name is left over from a write that was interrupted.
    const unfinished = `${file}.unfinished`;
    try {
      await writeSynced(unfinished, encoded(snapshot, { buildHash, tenantId }));
      await rename(unfinished, file);
    } catch (thrown) {
      await rm(unfinished, { force: true });
      throw thrown;
    }
    await syncFolder(folder);
  }

  /** A hash, because a tenant's id may have any characters. */
  #fileOf(tenantId: string): string {
    return join(this.parts.folder, `${createHash('sha256').update(tenantId).digest('hex').slice(0, 32)}.words`);
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

/**
 * The bytes without their checksum, which is computed on another thread. UnusableSnapshotError if it does not match.
 */
async function checked(bytes: Uint8Array): Promise<Uint8Array> {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < 0) throw new UnusableSnapshotError('it is cut off');
  const contents = bytes.subarray(0, end);
  const checksum = await webcrypto.subtle.digest('SHA-256', contents);
  if (Buffer.compare(new Uint8Array(checksum), bytes.subarray(end)) !== 0)
    throw new UnusableSnapshotError('it is damaged');
  return contents;
}

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Describes the body: the parts of a snapshot, one behind the other. */
interface Header extends Origin {
  /** The snapshot, with the place of each part in its stead. */
  readonly shape: unknown;
  readonly parts: readonly (
    | { readonly kind: 'strings'; readonly length: number }
    | { readonly kind: keyof typeof KINDS; readonly bytes: number }
  )[];
}

/** Arrays are not copied: each piece is at most a millisecond's work. */
function* encoded(snapshot: LexicalSnapshot, origin: Origin): Generator<Uint8Array> {
  const parts: (readonly string[] | Numbers)[] = [];
  const header: Header = {
    ...origin,
    shape: replaced(snapshot, isPart, (part) => parts.push(part) - 1),
    parts: parts.map((part) =>
      isNumbers(part) ? { kind: kindOf(part), bytes: part.byteLength } : { kind: 'strings', length: part.length },
    ),
  };
  yield Buffer.from(MAGIC);
  yield* sized(header);
  for (const part of parts) {
    if (isNumbers(part)) yield new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    else for (const some of batches(part, STRINGS_AT_A_TIME)) yield* sized(some);
  }
}

/** UnusableSnapshotError for another layout, build or tenant. */
function decoded(bytes: Uint8Array, { buildHash, tenantId }: Origin): LexicalSnapshot {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new UnusableSnapshotError('it has another layout');
  let at = MAGIC.length;
  const take = (size: number): Buffer => {
    at += size;
    return file.subarray(at - size, at);
  };
  const next = <T>(): T => deserialize(take(take(SIZE_BYTES).readUInt32LE())) as T;
  const header = next<Header>();
  if (header.buildHash !== buildHash) throw new UnusableSnapshotError('another build of the gateway wrote it');
  if (header.tenantId !== tenantId) throw new UnusableSnapshotError('it belongs to another tenant');
  const parts = header.parts.map((part) => {
    // Copied: an array must begin at a multiple of its element size.
    if (part.kind !== 'strings') return new KINDS[part.kind](Uint8Array.from(take(part.bytes)).buffer);
    const list: string[] = [];
    while (list.length < part.length) list.push(...next<readonly string[]>());
    return list;
  });
  const isPlace = (value: unknown): value is number => typeof value === 'number';
  return replaced(header.shape, isPlace, (place) => parts[place]) as LexicalSnapshot;
}

/** A copy of a value of objects and lists, with another value for each leaf. */
function replaced<T>(value: unknown, isLeaf: (value: unknown) => value is T, by: (leaf: T) => unknown): unknown {
  if (isLeaf(value)) return by(value);
  if (Array.isArray(value)) return value.map((one) => replaced(one, isLeaf, by));
  return Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, replaced(one, isLeaf, by)]));
}

/** A list is one of strings, unless it begins with an object. */
function isPart(value: unknown): value is readonly string[] | Numbers {
  return ArrayBuffer.isView(value) || (Array.isArray(value) && typeof value[0] !== 'object');
}

function isNumbers(part: readonly string[] | Numbers): part is Numbers {
  return ArrayBuffer.isView(part);
}

function sized(value: unknown): readonly Uint8Array[] {
  const bytes = serialize(value);
  const size = Buffer.alloc(SIZE_BYTES);
  size.writeUInt32LE(bytes.length);
  return [size, bytes];
}

function kindOf(array: Numbers): keyof typeof KINDS {
  if (array instanceof Uint8Array) return 'u8';
  if (array instanceof Uint16Array) return 'u16';
  if (array instanceof Uint32Array) return 'u32';
  if (array instanceof Float64Array) return 'f64';
  throw new TypeError('a part of a snapshot is no array of a known type');
}

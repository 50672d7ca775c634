import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { delay, within } from '../../domain/async.js';
import type { Dtype } from '../../domain/ports/models.js';
import { type Hub, HubError, type HubFile } from './hub.js';
import {
  MANIFEST,
  type Manifest,
  type ModelFileSet,
  pathsAmong,
  readManifest,
  repositoryFolder,
  requiredPaths,
  sizeOf,
} from './layout.js';

/** A stream without data for so long is reopened where it stopped. */
const STALLED_MS = 30_000;

/** Attempts for a file before the pull fails, and the delay between them. */
const ATTEMPTS = 5;
const PAUSE_MS = 1_000;

/** Progress of a pull, in bytes of all files together. */
export interface Progress {
  readonly path: string;
  readonly done: number;
  readonly total: number;
}

export interface Pulled {
  readonly files: number;
  readonly bytes: number;
  /** Files that are complete on disk are not downloaded again. */
  readonly downloadedBytes: number;
}

export interface PullOptions {
  readonly hub: Hub;
  /** MODELS_DIR. */
  readonly folder: string;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
  readonly pauseMs?: number;
}

/**
 * Downloads the files of a model. An interrupted pull is resumed; size and hash of every file are verified before it
 * gets its final name. HubError if the repository lacks required files, or cannot be read.
 */
export async function pull(model: ModelFileSet, options: PullOptions): Promise<Pulled> {
  const { hub, folder, onProgress, signal } = options;
  const { repository, dtype } = model;
  const place = repositoryFolder(folder, repository);
  const listed = await hub.list(repository, signal);
  const all = listed.files.map(({ path }) => path);
  const wanted = pathsAmong(all, dtype);
  const lacking = requiredPaths(dtype).filter((path) => !wanted.includes(path));
  if (lacking.length > 0) {
    throw new HubError(
      `${repository} has no ${lacking.join(', ')}: it has no ONNX files, or none of the type ${dtype}`,
    );
  }
  const files = listed.files.filter(({ path }) => wanted.includes(path));
  const total = files.reduce((sum, { size }) => sum + size, 0);
  await mkdir(place, { recursive: true });
  let done = 0;
  let downloadedBytes = 0;
  for (const file of files) {
    const start = done;
    const onBytes = (bytes: number): void => onProgress({ path: file.path, done: start + bytes, total });
    if (!(await isWhole(join(place, file.path), file))) {
      downloadedBytes += await fetchFile({ ...options, repository, revision: listed.revision, place, file, onBytes });
    }
    done = start + file.size;
    onBytes(file.size);
  }
  const sizes = Object.fromEntries(files.map(({ path, size }) => [path, size]));
  const manifest: Manifest = { revision: listed.revision, files: { ...(await otherSizes(place, dtype)), ...sizes } };
  await writeFile(join(place, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  return { files: files.length, bytes: total, downloadedBytes };
}

/** Sizes of the files that earlier pulls of other number formats have left in the folder. */
async function otherSizes(place: string, dtype: Dtype): Promise<Manifest['files']> {
  const sizes = (await readManifest(place))?.files ?? {};
  const own = new Set(pathsAmong(Object.keys(sizes), dtype));
  return Object.fromEntries(Object.entries(sizes).filter(([path]) => !own.has(path)));
}

interface Fetching extends PullOptions {
  readonly repository: string;
  readonly revision: string;
  readonly place: string;
  readonly file: HubFile;
  readonly onBytes: (bytes: number) => void;
}

/** Returns the number of bytes downloaded. */
async function fetchFile(fetching: Fetching): Promise<number> {
  const { place, file, signal, pauseMs = PAUSE_MS } = fetching;
  const target = join(place, file.path);
  // Named after the version: a partial download of another version is not resumed.
  const part = `${target}.${file.hash.hex.slice(0, 12)}.part`;
  await mkdir(dirname(target), { recursive: true });
  const had = Math.min((await sizeOf(part)) ?? 0, file.size);
  await mustFit(place, file, file.size - had);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await resume(part, fetching);
      break;
    } catch (thrown) {
      signal.throwIfAborted();
      if (attempt >= ATTEMPTS || !(thrown instanceof HubError)) throw thrown;
      await delay(pauseMs * attempt, signal);
    }
  }
  if (!(await isWhole(part, file))) {
    await rm(part, { force: true });
    throw new HubError(`${file.path} is damaged (its hash differs from the hub's): pull it again`);
  }
  await rename(part, target);
  return file.size - had;
}

async function resume(part: string, fetching: Fetching): Promise<void> {
  const { hub, repository, revision, file, onBytes, signal } = fetching;
  const had = (await sizeOf(part)) ?? 0;
  if (had >= file.size) return;
  const { from, body } = await hub.open({ repository, revision, path: file.path, from: had }, signal);
  const handle = await open(part, from > 0 ? 'a' : 'w');
  const reader = body.getReader();
  let at = from;
  try {
    while (true) {
      const { done, value } = await chunkOf(reader);
      if (done) break;
      await handle.write(value);
      at += value.byteLength;
      if (at > file.size) throw new HubError(`${file.path} is longer than the hub's size`);
      onBytes(at);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
    await handle.close();
  }
  if (at < file.size) throw new HubError(`${file.path} ended after ${at} of ${file.size} bytes`);
}

/** The next chunk of the stream; HubError if it breaks off or stalls. */
async function chunkOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value?: unknown }> {
  const late = (): Error => new HubError(`no data for ${STALLED_MS / 1000} s`);
  try {
    return await within({ ms: STALLED_MS, late }, () => reader.read());
  } catch (thrown) {
    if (thrown instanceof HubError) throw thrown;
    throw new HubError('the connection to the hub broke off', { cause: thrown });
  }
}

async function mustFit(place: string, { path }: HubFile, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(place);
  if (bavail * bsize < bytes) {
    throw new HubError(`${path} needs ${megabytes(bytes)} MB, and ${place} has ${megabytes(bavail * bsize)} MB free`);
  }
}

/** Whole megabytes, for messages. */
export function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}

async function isWhole(path: string, { size, hash }: HubFile): Promise<boolean> {
  if ((await sizeOf(path)) !== size) return false;
  const digest = createHash(hash.kind === 'sha256' ? 'sha256' : 'sha1');
  if (hash.kind === 'git') digest.update(`blob ${size}\0`);
  for await (const chunk of createReadStream(path)) digest.update(chunk);
  return digest.digest('hex') === hash.hex;
}

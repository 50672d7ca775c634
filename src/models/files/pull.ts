import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { delay } from '../../domain/async.js';
import { type Hub, HubError, type HubFile } from './hub.js';
import { MANIFEST, type Manifest, type ModelFileSet, pathsAmong, repositoryFolder, requiredPaths } from './layout.js';

/** A stream that gives nothing for so long is opened again where it stopped. */
const STALLED_MS = 30_000;

/** How often a file is begun or resumed before the pull is given up, and the pause between. */
const ATTEMPTS = 5;
const PAUSE_MS = 1_000;

/** How far a pull is, in bytes of all files together. */
export interface Progress {
  readonly path: string;
  readonly done: number;
  readonly total: number;
}

/** What a pull did. */
export interface Pulled {
  readonly revision: string;
  readonly files: number;
  readonly bytes: number;
  /** What was there already, whole, is not downloaded again. */
  readonly downloadedBytes: number;
}

/** How a pull is done. */
export interface PullOptions {
  readonly hub: Hub;
  /** MODELS_DIR. */
  readonly folder: string;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
  readonly pauseMs?: number;
}

/**
 * Downloads the files of a model. An interrupted pull goes on where it stopped; every file is checked, size and hash, before
 * it stands under its name. HubError where the repository lacks what the model needs, or cannot be read.
 */
export async function pull(model: ModelFileSet, options: PullOptions): Promise<Pulled> {
  const { hub, folder, onProgress, signal } = options;
  const { repository, dtype } = model;
  const place = repositoryFolder(folder, repository);
  const listed = await hub.list(repository, signal);
  const wanted = new Set(
    pathsAmong(
      listed.files.map(({ path }) => path),
      dtype,
    ),
  );
  const lacking = requiredPaths(dtype).filter((path) => !wanted.has(path));
  if (lacking.length > 0) {
    throw new HubError(`${repository} has no ${lacking.join(', ')}: it is not in ONNX form, or not as ${dtype}`);
  }
  const files = listed.files.filter(({ path }) => wanted.has(path));
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
  const manifest: Manifest = {
    revision: listed.revision,
    files: Object.fromEntries(files.map(({ path, size }) => [path, size])),
  };
  await writeFile(join(place, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  return { revision: listed.revision, files: files.length, bytes: total, downloadedBytes };
}

interface Fetching extends PullOptions {
  readonly repository: string;
  readonly revision: string;
  readonly place: string;
  readonly file: HubFile;
  readonly onBytes: (bytes: number) => void;
}

/** Answers how many bytes were not there before. */
async function fetchFile(fetching: Fetching): Promise<number> {
  const { place, file, signal, pauseMs = PAUSE_MS } = fetching;
  const target = join(place, file.path);
  // Of this very version of the file: a part of another one is not continued.
  const part = `${target}.${file.hash.hex.slice(0, 12)}.part`;
  await mkdir(dirname(target), { recursive: true });
  await mustFit(place, file);
  const had = Math.min(await sizeOf(part), file.size);
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
    throw new HubError(`${file.path} arrived damaged (its hash is not the one that the hub names): pull it again`);
  }
  await rename(part, target);
  return file.size - had;
}

async function resume(part: string, fetching: Fetching): Promise<void> {
  const { hub, repository, revision, file, onBytes, signal } = fetching;
  const had = await sizeOf(part);
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
      if (at > file.size) throw new HubError(`${file.path} is longer than the hub says`);
      onBytes(at);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
    await handle.close();
  }
  if (at < file.size) throw new HubError(`${file.path} ended after ${at} of ${file.size} bytes`);
}

/** The next piece of the stream; HubError where it breaks off or stops coming. */
async function chunkOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value?: unknown }> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new HubError(`nothing came for ${STALLED_MS / 1000} s`)), STALLED_MS);
  });
  try {
    return await Promise.race([reader.read(), stalled]);
  } catch (thrown) {
    if (thrown instanceof HubError) throw thrown;
    throw new HubError('the connection to the hub broke off', { cause: thrown });
  } finally {
    clearTimeout(timer);
  }
}

async function mustFit(place: string, { path, size }: HubFile): Promise<void> {
  const { bavail, bsize } = await statfs(place);
  if (bavail * bsize < size) {
    throw new HubError(`${path} needs ${megabytes(size)} MB and ${place} has room for ${megabytes(bavail * bsize)} MB`);
  }
}

/** Bytes in whole megabytes, for people. */
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

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown;
  });
  return found?.size ?? 0;
}

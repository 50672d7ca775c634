import { randomUUID } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { access, chmod, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { nullIf, StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';

/** Codes of file errors; network errors have others. */
const FILE_FAILURES: ReadonlySet<unknown> = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'EBUSY'],
  ...['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'ENAMETOOLONG'],
]);

/** StartupError (73) if the file cannot be written. */
export async function writeText(file: string, text: string): Promise<void> {
  await writeStream(file, [text]);
}

/**
 * StartupError (73) if the file cannot be written, as far as can be seen without creating it: for a file that is
 * written at the end of long work.
 */
export async function refuseUnwritable(file: string): Promise<void> {
  try {
    const found = await stat(file).catch(nullIf('ENOENT'));
    if (found?.isDirectory()) throw new StartupError(`${file} cannot be written: it is a folder`, EXIT.output);
    await access(found === null ? dirname(file) : file, constants.W_OK);
  } catch (thrown) {
    throw outputProblem(file, thrown);
  }
}

/** As {@link refuseUnwritable}, and for a file that exists. */
export async function refuseExisting(file: string): Promise<void> {
  await refuseUnwritable(file);
  if (await isMissing(file)) return;
  throw new StartupError(`${file} exists already: remove it, or name another file`, EXIT.output);
}

/** As the user's umask has it: a command that opens the data directory restricts its own. */
const NEW_FILE_MODE = 0o666 & ~process.umask();

type Source = Readable | AsyncIterable<Uint8Array> | Iterable<string>;

/** Names of open files of this process: of a terminal, a pipe, or a file that the shell has opened. */
const OPEN_FILE = /^\/(dev\/(std|fd\/)|proc\/)/;

/**
 * Writes a file as a whole: its earlier content remains until all is written, and if that fails. StartupError (73) if
 * it cannot be written. A pipe, a device or the missing target of a link is written directly, as is a file in a folder
 * that takes no new file.
 */
export async function writeStream(file: string, source: Source): Promise<void> {
  let writing = Promise.resolve();
  try {
    // This pipeline handles a source that fails before the file is open. It does not wait for what removes the part.
    await pipeline(source, (pieces: AsyncIterable<unknown>) => {
      writing = write(file, pieces);
      return writing;
    });
  } catch (thrown) {
    await writing.catch(() => undefined);
    throw outputProblem(file, thrown);
  }
}

async function write(file: string, pieces: AsyncIterable<unknown>): Promise<void> {
  await refuseUnwritable(file);
  const path = await realpath(file).catch(nullIf('ENOENT'));
  const found = path === null ? null : await stat(path);
  const target = path ?? file;
  const isReplaced =
    (found === null ? await isMissing(file) : found.isFile()) &&
    !OPEN_FILE.test(resolve(file)) &&
    (await takesFiles(dirname(target)));
  if (isReplaced) await replace(target, found?.mode ?? NEW_FILE_MODE, pieces);
  else {
    const isNew = (await stat(file).catch(nullIf('ENOENT'))) === null;
    await pipeline(pieces, createWriteStream(file));
    if (isNew) await chmod(file, NEW_FILE_MODE);
  }
}

/** False for a symbolic link to a missing file. */
async function isMissing(file: string): Promise<boolean> {
  return (await lstat(file).catch(nullIf('ENOENT'))) === null;
}

function takesFiles(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function replace(target: string, mode: number, pieces: AsyncIterable<unknown>): Promise<void> {
  // Not derived from the name of the file, which may have the maximum length.
  const part = join(dirname(target), `.errata-${randomUUID()}.part`);
  const handle = await open(part, 'wx', mode);
  try {
    // Without the process's umask.
    await handle.chmod(mode);
    await pipeline(pieces, handle.createWriteStream());
    await rename(part, target);
  } catch (thrown) {
    await handle.close();
    await rm(part, { force: true });
    throw thrown;
  }
}

function outputProblem(file: string, thrown: unknown): unknown {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (!FILE_FAILURES.has(code)) return thrown;
  return new StartupError(`${file} cannot be written: ${message}`, EXIT.output, { cause: thrown });
}

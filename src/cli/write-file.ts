import { constants, createWriteStream } from 'node:fs';
import { access, open, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { nullIf, StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';

/** Codes of file errors; network errors have others. */
const FILE_FAILURES: ReadonlySet<unknown> = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST'],
  ...['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'ENAMETOOLONG'],
]);

/** StartupError (73) if the file cannot be written. */
export async function writeText(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((thrown: unknown) => Promise.reject(outputProblem(file, thrown)));
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

/** StartupError (73) if the file cannot be written; with the flag `wx` also if it exists. */
export async function writeStream(
  file: string,
  source: Readable | AsyncIterable<Uint8Array>,
  flags: 'w' | 'wx' = 'w',
): Promise<void> {
  const written = pipeline(source, createWriteStream(file, { flags }));
  await written.catch((thrown: unknown) => Promise.reject(outputProblem(file, thrown)));
}

/** A newly created file, empty until it is written. */
export interface NewFile {
  write(text: string): Promise<void>;
  /** Closes the file; removes it if it was not written. */
  close(): Promise<void>;
}

/**
 * Creates a file that a command will write when its work is done. StartupError (73) if it exists or cannot be created.
 */
export async function createFile(file: string): Promise<NewFile> {
  const handle = await open(file, 'wx').catch((thrown: unknown) => Promise.reject(outputProblem(file, thrown)));
  let isWritten = false;
  return {
    async write(text) {
      await handle.writeFile(text).catch((thrown: unknown) => Promise.reject(outputProblem(file, thrown)));
      isWritten = true;
    },
    async close() {
      await handle.close();
      if (!isWritten) await rm(file, { force: true });
    },
  };
}

function outputProblem(file: string, thrown: unknown): unknown {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (!FILE_FAILURES.has(code)) return thrown;
  const problem =
    code === 'EEXIST' ? 'exists already: remove it, or name another file' : `cannot be written: ${message}`;
  return new StartupError(`${file} ${problem}`, EXIT.output, { cause: thrown });
}

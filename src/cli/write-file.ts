import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';

/** How files fail; what reads from a network fails by other codes. */
const FILE_FAILURES: ReadonlySet<unknown> = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST'],
  ...['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'ENAMETOOLONG'],
]);

/** Writes a text to a file that a command was given. StartupError (73) where it cannot be written. */
export async function writeText(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((thrown: unknown) => Promise.reject(outputProblem(file, thrown)));
}

/** Writes all of `source` to a file that a command was given. StartupError (73) where it cannot be written. */
export async function writeStream(file: string, source: Readable | AsyncIterable<Uint8Array>): Promise<void> {
  const written = pipeline(source, createWriteStream(file));
  await written.catch((thrown: unknown) => Promise.reject(outputProblem(file, thrown)));
}

function outputProblem(file: string, thrown: unknown): unknown {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (!FILE_FAILURES.has(code)) return thrown;
  return new StartupError(`${file} cannot be written: ${message}`, EXIT.output, { cause: thrown });
}

import { StartupError } from '../../domain/errors.js';

const UNUSABLE: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read and write there',
  EPERM: 'this user may not read and write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of the path is a file',
  EEXIST: 'it is a file',
};

/** Runs what works in a folder of the data directory. StartupError (78), in one line, where the folder cannot be used. */
export async function usingFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    const reason = UNUSABLE[(thrown as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw thrown;
    const problem = `the data directory ${folder} cannot be used: ${reason} (DATA_DIR names it)`;
    throw new StartupError(problem, 78, { cause: thrown });
  }
}

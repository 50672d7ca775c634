import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
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

/** Why a folder cannot be used, or made where it is missing; null where it can, as far as can be told without making it. */
export async function folderProblem(folder: string): Promise<string | null> {
  try {
    if (!(await stat(folder)).isDirectory()) return 'it is a file';
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(folder) !== folder) return folderProblem(dirname(folder));
    const reason = UNUSABLE[code];
    if (reason === undefined) throw thrown;
    return reason;
  }
}

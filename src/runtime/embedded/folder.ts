import { constants } from 'node:fs';
import { access, chmod, lstat, readdir, readlink, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nullIf, StartupError } from '../../domain/errors.js';

const UNUSABLE: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read and write there',
  EPERM: 'this user may not read and write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of the path is a file',
  EEXIST: 'it is a file',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'part of the path is a link to itself',
};

/** Runs work in a folder of the data directory. StartupError (78) with one line if the folder is unusable. */
export async function usingFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    const reason = UNUSABLE[(thrown as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw thrown;
    throw unusable(folder, reason, thrown);
  }
}

/** StartupError (78) for a folder with a {@link folderProblem}. */
export async function refuseUnusable(folder: string): Promise<void> {
  const problem = await folderProblem(folder);
  if (problem !== null) throw unusable(folder, problem);
}

function unusable(folder: string, reason: string, cause?: unknown): StartupError {
  return new StartupError(`the data directory ${folder} cannot be used: ${reason} (DATA_DIR names it)`, 78, { cause });
}

/** Type of the file system at /proc. A recursive `mkdir` there never ends (seen with Node 20.20). */
const PROC_TYPE = 0x9fa0;

/** Why a folder is unusable or cannot be created, without creating it; null if no problem is visible. */
export async function folderProblem(folder: string): Promise<string | null> {
  try {
    if (!(await stat(folder)).isDirectory()) return 'it is a file';
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const { type } = await statfs(folder);
    return type === PROC_TYPE ? 'no folder can be created in /proc' : null;
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      // A path that exists for lstat alone.
      const target = await readlink(folder).catch(nullIf('ENOENT', 'EINVAL'));
      if (target !== null) return `${folder} is a link to ${target}, which does not exist`;
      if (dirname(folder) !== folder) return folderProblem(dirname(folder));
    }
    const reason = UNUSABLE[code];
    if (reason === undefined) throw thrown;
    return reason;
  }
}

/** Permission bits of group and others. */
const OTHERS = 0o077;

/** What this process and its children create from now on is for nobody else: students' answers are in all of it. */
export function createPrivately(): void {
  process.umask(OTHERS);
}

/**
 * Removes the access of other users: folders 0700, files 0600, including those of earlier versions. Changes only the
 * entries in `names`, and the directory itself if it contains nothing else. Does not follow links, and skips files of
 * other users: if the gateway runs as root, another user owns PostgreSQL's cluster, and PostgreSQL itself restricts it.
 */
export async function makePrivate(dataDir: string, names: readonly string[]): Promise<void> {
  if (process.platform === 'win32') return;
  const found = await readdir(dataDir);
  if (found.every((name) => names.includes(name))) await restrict(dataDir, { deep: false });
  for (const name of found) if (names.includes(name)) await restrict(join(dataDir, name), { deep: true });
}

async function restrict(path: string, { deep }: { readonly deep: boolean }): Promise<void> {
  // PostgreSQL and Chroma may still be stopping, and removing files.
  const found = await lstat(path).catch(nullIf('ENOENT'));
  if (found === null || found.uid !== process.getuid?.() || !(found.isDirectory() || found.isFile())) return;
  if ((found.mode & OTHERS) !== 0) await chmod(path, found.mode & ~OTHERS & 0o7777);
  if (!deep || !found.isDirectory()) return;
  for (const name of await readdir(path)) await restrict(join(path, name), { deep });
}

import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Permission bits of group and others. */
const OTHERS = 0o077;

/**
 * Closes a data directory to other users of this machine: folders 0700, files 0600, also those that an earlier version left
 * open. Only what `names` says is touched, and the directory itself where it holds nothing else. Links are not followed, and
 * what another user owns is left alone: PostgreSQL's cluster under root, which PostgreSQL itself keeps closed.
 */
export async function closeToOthers(dataDir: string, names: readonly string[]): Promise<void> {
  if (process.platform === 'win32') return;
  const found = await readdir(dataDir);
  if (found.every((name) => names.includes(name))) await close(dataDir, { deep: false });
  for (const name of found) if (names.includes(name)) await close(join(dataDir, name), { deep: true });
}

async function close(path: string, { deep }: { readonly deep: boolean }): Promise<void> {
  const found = await lstat(path).catch(gone);
  if (found === null || found.uid !== process.getuid?.() || !(found.isDirectory() || found.isFile())) return;
  if ((found.mode & OTHERS) !== 0) await chmod(path, found.mode & ~OTHERS & 0o7777);
  if (!deep || !found.isDirectory()) return;
  for (const name of await readdir(path)) await close(join(path, name), { deep });
}

/** PostgreSQL and Chroma may still be ending, and remove files of theirs. */
function gone(thrown: NodeJS.ErrnoException): null {
  if (thrown.code === 'ENOENT') return null;
  throw thrown;
}

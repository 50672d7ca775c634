import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Of all files below the folder, in bytes, as the file system counts blocks. */
export async function folderSize(folder: string): Promise<number> {
  let size = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    // A file may be gone since the folder was read.
    const stats = await lstat(join(folder, name)).catch(() => null);
    if (stats?.isFile()) size += stats.blocks * 512;
  }
  return size;
}

import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The memory of a process, in MB, as Linux counts it: `anonymous` is its own; `file` are pages of mapped files
 * (programs, libraries, the vector cache), which the system takes back when it needs them. Null on other systems.
 */
export async function memoryOf(
  pid: number,
): Promise<{ readonly resident: number; readonly anonymous: number; readonly file: number } | null> {
  if (process.platform !== 'linux') return null;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const megabytes = (key: string): number => {
    const kilobytes = new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    if (kilobytes === undefined) throw new Error(`/proc/${pid}/status has no ${key}`);
    return Number(kilobytes) / 1024;
  };
  return { resident: megabytes('VmRSS'), anonymous: megabytes('RssAnon'), file: megabytes('RssFile') };
}

/** Null on other systems than Linux. */
export async function openFilesOf(pid: number): Promise<number | null> {
  return process.platform === 'linux' ? (await readdir(`/proc/${pid}/fd`)).length : null;
}

let collect: (() => void) | undefined;

/** Frees what nothing holds any more in this process. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

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

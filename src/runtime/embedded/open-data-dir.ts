import { DATA_DIR_NAMES } from '../../config/settings.js';
import type { Closers } from '../../domain/async.js';
import { lockDataDir } from './data-lock.js';
import { usingFolder } from './folder.js';
import { closeToOthers } from './private-folder.js';

/** Locks the data directory and closes it to other users. Returns whether the last gateway that had it was killed. */
export async function openDataDir(dataDir: string, closers: Closers): Promise<boolean> {
  const lock = await lockDataDir(dataDir);
  closers.add('data directory', () => lock.release());
  await usingFolder(dataDir, () => closeToOthers(dataDir, DATA_DIR_NAMES));
  return lock.abandoned;
}

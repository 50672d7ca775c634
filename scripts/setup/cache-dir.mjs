import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The user's cache folder, shared by all checkouts. The gateway has the same function, which this script cannot use
 * because nothing is compiled yet; a test compares the two.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export function cacheDir(env) {
  if (env.ERRATA_CACHE_DIR) return env.ERRATA_CACHE_DIR;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'errata');
  const folder = { darwin: 'Library/Caches', win32: 'AppData/Local' }[process.platform] ?? '.cache';
  return join(homedir(), folder, 'errata');
}

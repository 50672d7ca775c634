import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Where this user keeps what every clone of the project can share. The gateway follows the same rule, and a test compares
 * the two: this script runs before anything is compiled, so it cannot use the gateway's.
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export function cacheDir(env) {
  if (env.ERRATA_CACHE_DIR) return env.ERRATA_CACHE_DIR;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'errata');
  const folder = { darwin: 'Library/Caches', win32: 'AppData/Local' }[process.platform] ?? '.cache';
  return join(homedir(), folder, 'errata');
}

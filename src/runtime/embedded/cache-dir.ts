import { homedir } from 'node:os';
import { join } from 'node:path';

/** Each system's folder for what can be made again, below the user's home. */
const FOLDERS: Readonly<Record<string, string>> = {
  darwin: 'Library/Caches',
  win32: 'AppData/Local',
};

/**
 * Where this user keeps what every clone of the project can share: `ERRATA_CACHE_DIR`, else `errata` in the system's folder
 * for such files. The set-up script follows the same rule.
 */
export function cacheDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (env.ERRATA_CACHE_DIR) return env.ERRATA_CACHE_DIR;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'errata');
  return join(homedir(), FOLDERS[process.platform] ?? '.cache', 'errata');
}

import { homedir } from 'node:os';
import { join } from 'node:path';

/** Cache folders below the user's home; elsewhere `.cache`. */
const FOLDERS: Readonly<Record<string, string>> = {
  darwin: 'Library/Caches',
  win32: 'AppData/Local',
};

/** The user's cache folder, shared by all checkouts. `scripts/setup/cache-dir.mjs` follows the same rule. */
export function cacheDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (env.ERRATA_CACHE_DIR) return env.ERRATA_CACHE_DIR;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'errata');
  return join(homedir(), FOLDERS[process.platform] ?? '.cache', 'errata');
}

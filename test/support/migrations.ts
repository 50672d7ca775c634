import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../src/config/package-root.js';
import { folderOfFile } from './folder.js';

const MIGRATIONS = join(packageRoot(), 'prisma', 'migrations');

/** A folder with the migrations before one, to be called while a test file is loaded: it is removed after the tests. */
export async function migrationsBefore(first: string): Promise<string> {
  const { path } = await folderOfFile('migrations');
  for (const name of await readdir(MIGRATIONS)) {
    if (name < first) await cp(join(MIGRATIONS, name), join(path, name), { recursive: true });
  }
  return path;
}

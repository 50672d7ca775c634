import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const require = createRequire(import.meta.url);

/**
 * The file of an installed package's module; null if the package is not installed.
 * @param {string} module
 */
export function installed(module) {
  try {
    return require.resolve(module);
  } catch (thrown) {
    if (thrown.code === 'MODULE_NOT_FOUND') return null;
    throw thrown;
  }
}

/**
 * A hash of the files' names, sizes and modification times.
 * @param {readonly string[]} files relative to the root
 */
export function fingerprintOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file}:${size}:${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const require = createRequire(import.meta.url);

/**
 * The file of an installed package's module; null where the package is not installed.
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

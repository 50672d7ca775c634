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

/**
 * Runs a Node program to its end, and fails with what it printed.
 * @param {string} what what it is for, as the error says it
 * @param {import('node:child_process').SpawnSyncReturns<string>} result
 */
export function mustSucceed(what, result) {
  if (result.error) throw new Error(`${what}: ${result.error.message}`);
  if (result.status === 0) return;
  const how = result.signal ? `was ended by ${result.signal}` : `ended with exit code ${result.status}`;
  throw new Error(`${what} ${how}\n${result.stdout ?? ''}${result.stderr ?? ''}`.trimEnd());
}

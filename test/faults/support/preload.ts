import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { removeFolder, temporaryFolder } from '../../support/embedded.js';

/**
 * The environment of a gateway that runs this module before its own: faults within the process are in the tests, and
 * nothing in the product looks for them. What is made for it is removed by `undos`.
 */
export async function preload(
  undos: (() => Promise<unknown>)[],
  code: string,
): Promise<Readonly<Record<string, string>>> {
  const folder = await temporaryFolder();
  undos.push(() => removeFolder(folder));
  const file = join(folder, 'preload.mjs');
  await writeFile(file, code);
  return { NODE_OPTIONS: `--import=${pathToFileURL(file)}` };
}

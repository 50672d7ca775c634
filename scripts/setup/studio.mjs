import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { fingerprintOf, installed, root } from './root.mjs';

const stamp = join(root, 'dist', 'studio', '.made-from');

/** The page's operations with their types; generated, not committed. */
export const OPERATIONS = join(root, 'studio', 'generated', 'operations.ts');

/**
 * Modules of the gateway that the page is bundled with: what files look like, in one place. They import nothing but
 * each other, and use nothing of Node.
 */
export const SHARED = [
  'domain/attachment',
  'domain/clean-text',
  'domain/errors',
  'domain/simplified',
  'exchange/formats/file-fields',
  'exchange/formats/header-names',
  'exchange/formats/read/cell-text',
  'exchange/formats/read/csv-parser',
  'exchange/formats/read/encodings',
  'exchange/formats/read/number-formats',
  'exchange/formats/source',
  'exchange/formats/values/guard',
  'exchange/formats/write/blocks',
  'exchange/formats/write/csv',
  'exchange/formats/write/segments',
  'text/latex-commands',
].map((name) => join('src', `${name}.ts`));

/**
 * Generates the types of the page's operations and bundles the page into dist/studio, if a source, the schema or a
 * package has changed.
 * @param {(text: string) => void} say
 */
export async function buildStudio(say) {
  if (installed('vite') === null || installed('preact') === null) {
    // Without development packages, the checkout must contain the bundled page.
    if (existsSync(stamp)) return;
    throw new Error('dist/studio is missing, and the packages vite and preact, which bundle it, are not installed');
  }
  const made = fingerprint();
  if (existsSync(OPERATIONS) && existsSync(stamp) && readFileSync(stamp, 'utf8') === made) return;
  say('bundling the studio');
  const program = join(root, 'scripts', 'setup', 'studio-bundle.mjs');
  await runChild('bundling the studio', process.execPath, [program], { cwd: root });
  writeFileSync(stamp, made);
}

function fingerprint() {
  const scripts = ['studio-operations.mjs', join('setup', 'studio-bundle.mjs')].map((name) => join('scripts', name));
  const files = readdirSync(join(root, 'studio'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('generated'))
    .map((name) => join('studio', name))
    .concat('schema.graphql', 'package-lock.json', scripts, SHARED)
    .sort();
  return fingerprintOf(files);
}

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { installed, root } from './root.mjs';

const stamp = join(root, 'dist', 'studio', '.made-from');

/**
 * Bundles the page into dist/studio where a source or a package changed since it was bundled.
 * @param {(text: string) => void} say
 */
export async function buildStudio(say) {
  if (installed('vite') === null || installed('preact') === null) {
    // Without the development packages the bundled page must come with the checkout.
    if (existsSync(stamp)) return;
    throw new Error('there is no dist/studio, and the packages vite and preact that it is made with are not installed');
  }
  const made = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === made) return;
  say('bundling the studio');
  const program = join(root, 'scripts', 'setup', 'studio-bundle.mjs');
  await runChild('bundling the studio', process.execPath, [program], { cwd: root });
  writeFileSync(stamp, made);
}

/** Of the sizes and times of everything that the bundle is made from. */
function fingerprint() {
  const files = readdirSync(join(root, 'studio'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('studio', name))
    .concat('package-lock.json', join('scripts', 'setup', 'studio-bundle.mjs'))
    .sort();
  const facts = files.map((name) => {
    const { size, mtimeMs } = statSync(join(root, name));
    return `${name}:${size}:${mtimeMs}`;
  });
  return createHash('sha256').update(facts.join('\n')).digest('hex');
}

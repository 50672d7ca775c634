import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { fingerprintOf, installed, root } from './root.mjs';

const project = join(root, 'tsconfig.build.json');
const stamp = join(root, 'dist', '.made-from');

/**
 * Compiles to dist/ if a source has changed. If a source was removed, dist/ is deleted first, so that no outdated
 * module is left.
 * @param {(text: string) => void} say
 */
export async function build(say) {
  const manifest = installed('typescript/package.json');
  if (manifest === null) {
    // Without development packages, the checkout must contain the compiled code.
    if (existsSync(stamp)) return;
    throw new Error('dist/ is missing, and the package typescript, which compiles it, is not installed');
  }
  const sources = listSources();
  const made = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : { fingerprint: '', files: [] };
  const fingerprint = fingerprintOf(sources);
  if (made.fingerprint === fingerprint) return;
  say('compiling');
  const present = new Set(sources);
  if (made.files.some((/** @type {string} */ file) => !present.has(file))) {
    rmSync(join(root, 'dist'), { recursive: true, force: true });
  }
  const compiler = join(manifest, '..', 'bin', 'tsc');
  await runChild('tsc', process.execPath, [compiler, '-p', project], { cwd: root });
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, JSON.stringify({ fingerprint, files: sources }));
}

/** The compiled TypeScript files, and the compiler's settings. */
function listSources() {
  const { include } = JSON.parse(readFileSync(project, 'utf8'));
  const code = include.flatMap((/** @type {string} */ folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.ts'))
          .map((file) => join(folder, file))
      : [],
  );
  return [...code, 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'].sort();
}

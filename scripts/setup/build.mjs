import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { installed, root } from './root.mjs';

const project = join(root, 'tsconfig.build.json');
const stamp = join(root, 'dist', '.made-from');

/**
 * Compiles to dist/ where a source changed since it was compiled. A source that is gone takes the whole of dist/ with it,
 * so that nothing runs that no source stands for.
 * @param {(text: string) => void} say
 */
export async function build(say) {
  const manifest = installed('typescript/package.json');
  if (manifest === null) {
    // Without the development packages the compiled code must come with the checkout.
    if (existsSync(stamp)) return;
    throw new Error('there is no dist/, and the package typescript that compiles it is not installed');
  }
  const sources = listSources();
  const made = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : { fingerprint: '', files: [] };
  const fingerprint = createHash('sha256').update(sources.map(describe).join('\n')).digest('hex');
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

/** The TypeScript files that the project compiles, and its settings. */
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

/** @param {string} file */
function describe(file) {
  const { size, mtimeMs } = statSync(join(root, file));
  return `${file}:${size}:${mtimeMs}`;
}

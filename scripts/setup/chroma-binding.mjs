import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDir } from './cache-dir.mjs';
import { mustSucceed, root } from './root.mjs';

/** The oldest glibc that builds of the binding from 1.0.6 on can be loaded with. */
const NEEDED_GLIBC = [2, 38];
/** The last build that older systems can load (glibc 2.34 and newer): 437 MB, so it is fetched only where it is needed. */
const LEGACY_VERSION = '1.0.5';
/** A fetch that takes longer than this was given up. */
const ABANDONED_MS = 3_600_000;

/**
 * Fetches the Chroma server that loads on this system where the installed one cannot, into the user's cache.
 * @param {(text: string) => void} say
 */
export function fetchChromaBinding(say) {
  if (process.env.CHROMA_URL) return;
  const name = legacyPackage();
  if (name === null) return;
  const place = join(cacheDir(process.env), `chroma-${LEGACY_VERSION}`, name);
  if (existsSync(join(place, 'package.json'))) return;

  const glibc = glibcVersion();
  say(`fetching the Chroma server for glibc ${glibc} once for all checkouts (105 MB) into ${dirname(place)}`);
  mkdirSync(dirname(place), { recursive: true });
  removeAbandoned(dirname(place), name);
  const work = mkdtempSync(`${place}.`);
  try {
    unpackInto(work, `${name}@${LEGACY_VERSION}`);
    const unpacked = join(work, 'package');
    const load = spawnSync(process.execPath, ['-e', 'require(process.argv[1])', unpacked], { encoding: 'utf8' });
    mustSucceed(`loading ${name}@${LEGACY_VERSION}`, load);
    try {
      renameSync(unpacked, place);
    } catch (thrown) {
      // Another set-up finished first; its copy is as good.
      if (!existsSync(join(place, 'package.json'))) throw thrown;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * What a set-up that was interrupted left behind is removed; one that runs now is younger.
 * @param {string} folder
 * @param {string} name
 */
function removeAbandoned(folder, name) {
  const since = Date.now() - ABANDONED_MS;
  for (const entry of readdirSync(folder).filter((entry) => entry.startsWith(`${name}.`))) {
    const path = join(folder, entry);
    if (statSync(path).mtimeMs < since) rmSync(path, { recursive: true, force: true });
  }
}

/** The package that this system needs in place of the installed one; null where the installed one will do, or none exists. */
function legacyPackage() {
  if (process.platform !== 'linux') return null;
  const glibc = glibcVersion();
  if (glibc === null) return null;
  const [major = 0, minor = 0] = glibc.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NEEDED_GLIBC;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return null;
  const names = { x64: 'chromadb-js-bindings-linux-x64-gnu', arm64: 'chromadb-js-bindings-linux-arm64-gnu' };
  return names[process.arch] ?? null;
}

/** The C library that this Node runs on; null where it is not glibc. */
function glibcVersion() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ?? null;
}

/**
 * npm downloads the package, checks its integrity, and honours the user's registry and proxy.
 * @param {string} folder
 * @param {string} spec
 */
function unpackInto(folder, spec) {
  const arguments_ = [
    'pack',
    spec,
    '--pack-destination',
    folder,
    '--dry-run=false',
    '--ignore-scripts',
    '--loglevel=error',
  ];
  const inNpm = /npm-cli\.js$/.test(process.env.npm_execpath ?? '');
  const [program, args] = inNpm ? [process.execPath, [process.env.npm_execpath, ...arguments_]] : ['npm', arguments_];
  const options = { cwd: root, encoding: 'utf8', shell: !inNpm && process.platform === 'win32' };
  const packed = spawnSync(program, args, options);
  if (packed.error || packed.status !== 0) {
    const advice = 'connect to the npm registry and run `npm run setup`, or name a Chroma server in CHROMA_URL';
    const reason = (packed.error?.message ?? packed.stderr).trim();
    throw new Error(`${spec} could not be fetched: ${advice}\n${reason}`);
  }
  const tarball = packed.stdout.trim().split('\n').at(-1);
  mustSucceed('unpacking it', spawnSync('tar', ['-xzf', tarball], { cwd: folder, encoding: 'utf8' }));
}

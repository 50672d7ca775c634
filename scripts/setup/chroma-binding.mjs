import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheDir } from './cache-dir.mjs';
import { runChild, StoppedError } from './child.mjs';
import { root } from './root.mjs';

/** The oldest glibc for builds of the binding from 1.0.6 on. */
const NEEDED_GLIBC = [2, 38];
/** The last build for older systems (glibc 2.34 and newer): 437 MB, so it is downloaded only if needed. */
const LEGACY_VERSION = '1.0.5';
/** A download older than this was abandoned. */
const ABANDONED_MS = 3_600_000;
/** Size of the download, in MB. */
const DOWNLOAD_MB = 105;
/** Interval of progress messages. */
const PROGRESS_MS = 2_000;

/**
 * Downloads a Chroma server for older systems into the user's cache, if the installed one cannot be loaded.
 * @param {(text: string) => void} say
 */
export async function fetchChromaBinding(say) {
  if (process.env.CHROMA_URL) return;
  const name = legacyPackage();
  if (name === null) return;
  const place = join(cacheDir(process.env), `chroma-${LEGACY_VERSION}`, name);
  if (existsSync(join(place, 'package.json'))) return;

  const glibc = glibcVersion();
  say(
    `fetching the Chroma server for glibc ${glibc} once for all checkouts (${DOWNLOAD_MB} MB) into ${dirname(place)}`,
  );
  mkdirSync(dirname(place), { recursive: true });
  removeAbandoned(dirname(place), name);
  const work = mkdtempSync(`${place}.`);
  try {
    await unpackInto(work, `${name}@${LEGACY_VERSION}`, say);
    const unpacked = join(work, 'package');
    const load = ['-e', 'require(process.argv[1])', unpacked];
    await runChild(`loading ${name}@${LEGACY_VERSION}`, process.execPath, load, {});
    try {
      renameSync(unpacked, place);
    } catch (thrown) {
      // Another set-up has finished first: keep its copy.
      if (!existsSync(join(place, 'package.json'))) throw thrown;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Removes leftovers of interrupted set-ups, which are older than any running one.
 * @param {string} folder
 * @param {string} name
 */
function removeAbandoned(folder, name) {
  const since = Date.now() - ABANDONED_MS;
  for (const entry of readdirSync(folder).filter((entry) => entry.startsWith(`${name}.`))) {
    const path = join(folder, entry);
    // Undefined: another set-up has just removed its own.
    const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (changedMs < since) rmSync(path, { recursive: true, force: true });
  }
}

/** The package that this system needs instead of the installed one; null if the installed one works, or none exists. */
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

/** The version of glibc; null for another C library. */
function glibcVersion() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ?? null;
}

/**
 * Uses npm, which verifies the package, and the user's registry and proxy settings.
 * @param {string} folder
 * @param {string} spec
 * @param {(text: string) => void} say
 */
async function unpackInto(folder, spec, say) {
  const options = ['--dry-run=false', '--ignore-scripts', '--loglevel=error'];
  const pack = ['pack', spec, '--pack-destination', folder, ...options];
  const inNpm = /npm-cli\.js$/.test(process.env.npm_execpath ?? '');
  const [program, args] = inNpm ? [process.execPath, [process.env.npm_execpath, ...pack]] : ['npm', pack];
  const progress = setInterval(() => say(`${downloadedMegabytes()} of ${DOWNLOAD_MB} MB`), PROGRESS_MS);
  try {
    const packed = await runChild(spec, program, args, { cwd: root, shell: !inNpm && process.platform === 'win32' });
    const tarball = packed.trim().split('\n').at(-1);
    await runChild('unpacking it', 'tar', ['-xzf', tarball], { cwd: folder });
  } catch (thrown) {
    if (thrown instanceof StoppedError) throw thrown;
    const advice = 'connect to the npm registry and run `npm run setup`, or name a Chroma server in CHROMA_URL';
    throw new Error(`${spec} could not be fetched: ${advice}\n${thrown.message}`);
  } finally {
    clearInterval(progress);
  }
}

/** While npm downloads, the largest file in its cache is ours. */
function downloadedMegabytes() {
  const folder = join(process.env.npm_config_cache ?? join(homedir(), '.npm'), '_cacache', 'tmp');
  if (!existsSync(folder)) return 0;
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return Math.round(Math.max(0, ...sizes) / 1e6);
}

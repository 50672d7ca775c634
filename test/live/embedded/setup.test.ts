import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { bindingCandidates } from '../../../chroma/server.js';
import { packageRoot } from '../../../src/config/package-root.js';
import { cacheDir } from '../../../src/runtime/embedded/cache-dir.js';
import { identify } from '../../../src/runtime/embedded/process.js';
import { cleanups, folders, onLinux } from '../../support/embedded.js';
import { until } from '../../support/until.js';

const SETUP = join(packageRoot(), 'scripts', 'setup.mjs');
const FETCH = join(packageRoot(), 'scripts', 'setup', 'chroma-binding.mjs');
const CHILD = join(packageRoot(), 'scripts', 'setup', 'child.mjs');

/** Only a system with an old glibc has anything to fetch. */
const report = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
const [major = 0, minor = 0] = (report.header.glibcVersionRuntime ?? '99.0').split('.').map(Number);
const onOldGlibc = major < 2 || (major === 2 && minor < 38) ? test : test.skip;

describe('the set-up', () => {
  const atEnd = cleanups();
  const freshFolder = folders(atEnd);

  /** A stand-in for npm that packs a small module under the right name, or fails as npm does without a network. */
  async function npm(folder: string, online: boolean): Promise<string> {
    const file = join(folder, 'npm-cli.js');
    const pack = `
      const { execFileSync } = require('node:child_process');
      const { mkdirSync, writeFileSync } = require('node:fs');
      const folder = process.argv[process.argv.indexOf('--pack-destination') + 1];
      mkdirSync(folder + '/package');
      writeFileSync(folder + '/package/package.json', '{"main":"binding.js"}');
      writeFileSync(folder + '/package/binding.js', 'exports.cli = () => undefined;');
      execFileSync('tar', ['-czf', 'binding.tgz', 'package'], { cwd: folder });
      require('node:fs').rmSync(folder + '/package', { recursive: true });
      console.log('binding.tgz');`;
    const fail = `console.error('npm error network request failed'); process.exit(1);`;
    await writeFile(file, online ? pack : fail);
    return file;
  }

  test('does nothing and prints nothing if everything is up to date', async () => {
    await run([SETUP, '--quiet']);
    expect(await run([SETUP, '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  onOldGlibc('writes nothing to the standard output of the command that follows', async () => {
    const folder = await freshFolder();
    const env = { PATH: String(process.env.PATH), ERRATA_CACHE_DIR: folder, npm_execpath: await npm(folder, true) };
    const { code, stdout, stderr } = await run([SETUP, '--quiet'], env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^errata: /);
  });

  test('stores the Chroma server where the gateway looks for it', async () => {
    const { cacheDir: ofSetup } = await import(join(packageRoot(), 'scripts', 'setup', 'cache-dir.mjs'));
    for (const env of [{}, { XDG_CACHE_HOME: '/x' }, { ERRATA_CACHE_DIR: '/e', XDG_CACHE_HOME: '/x' }]) {
      expect(ofSetup(env)).toBe(cacheDir(env));
    }
  });

  onOldGlibc('may run twice at the same moment: each is content with what the other has fetched', async () => {
    const folder = await freshFolder();
    const env = { ERRATA_CACHE_DIR: folder, npm_execpath: await npm(folder, true) };
    const runs = await Promise.all([1, 2, 3].map(() => fetchBinding(env)));
    for (const { code, stderr } of runs) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const place = bindingCandidates(folder)[1] as string;
    expect(await readdir(join(place, '..'))).toEqual([place.split('/').at(-1)]);
    expect(await fetchBinding({ ...env, npm_execpath: await npm(folder, false) })).toMatchObject({
      code: 0,
      stdout: '',
    });
  });

  onOldGlibc('says how much of it is there while it is fetched', async () => {
    const folder = await freshFolder();
    const cache = join(folder, '_cacache', 'tmp');
    await mkdir(cache, { recursive: true });
    // It has 42 MB, and no more until it is told to go on.
    const slow = join(folder, 'npm-cli.js');
    const script = `const { existsSync, writeFileSync, truncateSync } = require('node:fs');
      writeFileSync('${join(cache, 'part')}', '');
      truncateSync('${join(cache, 'part')}', 42e6);
      setInterval(() => existsSync('${join(folder, 'go')}') && process.exit(1), 20);`;
    await writeFile(slow, script);
    const env = { ...process.env, ERRATA_CACHE_DIR: folder, npm_config_cache: folder, npm_execpath: slow };
    const child = spawn(process.execPath, fetchArgs(), { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const exited = once(child, 'exit');
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    await until(() => said.includes('42 of 105 MB'), { deadlineMs: 30_000, what: 'a word about the progress' });
    await writeFile(join(folder, 'go'), '');
    await exited;
  });

  test.runIf(onLinux)('ends by a signal, together with its child processes', async () => {
    const folder = await freshFolder();
    const file = join(folder, 'pid');
    const script = `import(process.argv[1]).then(({ runChild }) => runChild('a child', 'sh', ['-c', process.argv[2]], {}))
      .catch((thrown) => process.kill(process.pid, thrown.signal))`;
    const child = spawn(process.execPath, ['-e', script, CHILD, `sleep 600 & echo $! >${file}; wait`]);
    const exited = once(child, 'exit');
    const written = async (): Promise<number> => Number(await readFile(file, 'utf8'));
    const grandchild = await until(written, { deadlineMs: 30_000, what: 'the child to run' });
    child.kill('SIGTERM');
    expect(await exited).toEqual([null, 'SIGTERM']);
    await until(async () => (await identify(grandchild)) === null, {
      deadlineMs: 30_000,
      what: 'its child to be gone',
    });
  });

  onOldGlibc('says what to do where it cannot be fetched, and leaves nothing half-done', async () => {
    const folder = await freshFolder();
    const env = { ERRATA_CACHE_DIR: folder, npm_execpath: await npm(folder, false) };
    const { code, stderr } = await fetchBinding(env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/could not be fetched: connect to the npm registry .* CHROMA_URL/);
    expect(stderr).toContain('network request failed');
    expect(await readdir(join(folder, 'chroma-1.0.5'))).toEqual([]);
  });

  onOldGlibc('fetches nothing where CHROMA_URL names a server', async () => {
    const folder = await freshFolder();
    const env = {
      ERRATA_CACHE_DIR: folder,
      npm_execpath: await npm(folder, false),
      CHROMA_URL: 'http://127.0.0.1:8000',
    };
    expect(await fetchBinding(env)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

function fetchArgs(): readonly string[] {
  return ['-e', `import(process.argv[1]).then(({ fetchChromaBinding }) => fetchChromaBinding(console.log))`, FETCH];
}

async function fetchBinding(env: Readonly<Record<string, string>>) {
  return run(fetchArgs(), { PATH: String(process.env.PATH), ...env });
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}

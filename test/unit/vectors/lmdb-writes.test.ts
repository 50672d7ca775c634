import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { type Folder, makeFolder } from '../../support/folder.js';

let folder: Folder;
beforeEach(async () => {
  folder = await makeFolder('full');
});
afterEach(() => folder.remove());

/** Node ends a process with a rejected promise that nothing handles. */
const SCRIPT = `
  const failures = [];
  for (let round = 0; round < 100 && failures.length < 20; round += 1) {
    await put(round).catch((error) => failures.push(error.message));
  }
  const first = kept();
  const began = performance.now();
  await cache.close();
  console.log(JSON.stringify({ failures, first, closedMs: performance.now() - began }));`;

const CACHES = {
  'vector cache': `
    import { LmdbVectorCache } from '${join(packageRoot(), 'dist/src/vectors/cache.js')}';
    const cache = new LmdbVectorCache(process.argv[1], 2 ** 20);
    cache.open();
    const passages = () => [new Float32Array(512).fill(0.01)];
    const card = { revision: 1, passages: { question: passages(), solution: passages(), concept: [], error: [] } };
    const ids = (round) => Array.from({ length: 40 }, (_, place) => round + ' ' + place);
    const put = (round) => cache.put('t', 1, new Map(ids(round).map((id) => [id, card])));
    const kept = () => cache.get('t', 1, '0 0') !== undefined;`,
  'embedding cache': `
    import { EmbeddingCache } from '${join(packageRoot(), 'dist/src/models/embedding-cache.js')}';
    const cache = new EmbeddingCache(process.argv[1]);
    cache.open();
    const ids = (round) => Array.from({ length: 40 }, (_, place) => round + ' ' + place);
    const put = (round) => cache.put('m', new Map(ids(round).map((id) => [id, new Float32Array(512)])));
    const kept = () => cache.get('m', '0 0', 512) !== undefined;`,
};

/** Mounting a disk needs rights that root has on most machines, and nobody in most containers. */
const canMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;

/** About one run in eighty ends as `requireRoom` describes. */
const MAX_RUNS = 3;

/** What a shell prints, given an empty folder as well; it is run again if a failed write of lmdb damaged its heap. */
async function outputOf(args: readonly string[], runs = 1): Promise<string> {
  const place = join(folder.path, `${runs}`);
  try {
    return (await promisify(execFile)('sh', [...args, place])).stdout;
  } catch (thrown) {
    const isDamaged = ['SIGABRT', 'SIGSEGV'].includes((thrown as { signal: string }).signal);
    if (isDamaged && runs < MAX_RUNS) return outputOf(args, runs + 1);
    throw thrown;
  }
}

test.skipIf(process.platform === 'win32').each(Object.entries(CACHES))(
  'writes of the %s succeed after its folder was deleted',
  async (_, cache) => {
    const deleting = `import { rmSync } from 'node:fs'; await put(-1); rmSync(process.argv[1], { recursive: true });`;
    const args = ['--input-type=module', '-e', `${cache}${deleting}${SCRIPT}`, folder.path];
    const { failures, first } = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
    expect(failures).toEqual([]);
    expect(first).toBe(true);
  },
);

describe.skipIf(process.platform === 'win32')('a full disk', () => {
  test.skipIf(!canMount).each(Object.entries(CACHES))(
    'is never reached by writes of the %s, which fail as unavailable before',
    async (part, cache) => {
      const small = `mount -t tmpfs -o size=20m none "$2" && exec "$0" --input-type=module -e "$1" "$2"`;
      const args = ['-m', 'sh', '-c', small, process.execPath, `${cache}${SCRIPT}`, folder.path];
      const { stdout, stderr } = await promisify(execFile)('unshare', args);
      const { failures, first } = JSON.parse(stdout);
      expect(failures).toEqual(
        Array(20).fill(`${part} is unavailable: less than 16 MB are free on the disk of DATA_DIR`),
      );
      expect(first).toBe(true);
      // lmdb prints a failed write.
      expect(stderr).toBe('');
    },
  );

  test.each(Object.entries(CACHES))(
    'makes writes of the %s fail as unavailable, and does not delay the end of the process',
    async (part, cache) => {
      const script = `${cache}${SCRIPT}`;
      // A limit on the size of files is refused as a full disk is. 512 kB.
      const limited = `trap '' XFSZ; ulimit -f 1024; exec "$0" --input-type=module -e "$1" "$2"`;
      const { failures, first, closedMs } = JSON.parse(await outputOf(['-c', limited, process.execPath, script]));
      expect(failures).toEqual(Array(20).fill(`${part} is unavailable: it cannot be written`));
      expect(first).toBe(true);
      expect(closedMs).toBeLessThan(3_000);
    },
  );
});

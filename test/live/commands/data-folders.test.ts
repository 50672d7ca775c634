import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { errata, startErrata } from '../../support/errata.js';
import { type Folder, makeFolder } from '../../support/files.js';
import { until } from '../../support/until.js';
import { startHub } from '../../unit/models/files/hub-server.js';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

/** Everything in a folder that other users may do something with. */
async function openToOthers(path: string): Promise<readonly string[]> {
  const names = await readdir(path, { recursive: true });
  const modes = await Promise.all(names.map(async (name) => ({ name, mode: (await lstat(join(path, name))).mode })));
  return modes.filter(({ mode }) => (mode & 0o077) !== 0).map(({ name }) => name);
}

test('what a command creates in the data directory is private, and the file that it writes is as the umask has it', async () => {
  const cards = await folder.write('cards.csv', '学科,难度,题目\n数学,1,命令行导入的题目\n');
  const env = { DATA_DIR: join(folder.path, 'data') };
  expect(await errata(['import', cards], env)).toMatchObject({ code: 0 });
  expect(await openToOthers(env.DATA_DIR)).toEqual([]);
  const exported = join(folder.path, 'exported.csv');
  expect(await errata(['export', exported], env)).toMatchObject({ code: 0 });
  expect((await stat(exported)).mode & 0o777).toBe(0o644);
});

test('models in the data directory are private, those in a folder of their own are as the umask has them', async () => {
  const hub = await startHub('Xenova/bge-m3', {
    'config.json': Buffer.from('{}'),
    'tokenizer.json': Buffer.from('{}'),
    'tokenizer_config.json': Buffer.from('{}'),
    'onnx/model_quantized.onnx': Buffer.alloc(1_000, 3),
  });
  const env = { DATA_DIR: join(folder.path, 'with-models'), HF_ENDPOINT: hub.url };
  const shared = join(folder.path, 'shared');
  const places: readonly Record<string, string>[] = [{}, { MODELS_DIR: shared }];
  try {
    for (const place of places) {
      expect(await errata(['models', 'pull', 'BAAI/bge-m3'], { ...env, ...place })).toMatchObject({ code: 0 });
    }
  } finally {
    await hub.close();
  }
  expect(await openToOthers(env.DATA_DIR)).toEqual([]);
  expect(await openToOthers(shared)).toEqual(await readdir(shared, { recursive: true }));
});

test('the temporary gateway of a killed evaluation is removed by the next one', async () => {
  const env = { TMPDIR: join(folder.path, 'tmp') };
  await mkdir(env.TMPDIR);
  await folder.write('tmp/notes.txt', '');
  const golden = join(packageRoot(), 'sample', 'golden.jsonl');
  const evaluation = async () => {
    const earlier = await readdir(env.TMPDIR);
    const command = startErrata(['evaluate', golden, '--sample'], env);
    const claims = async (): Promise<boolean> => {
      const [name] = (await readdir(env.TMPDIR)).filter((one) => !earlier.includes(one));
      return name !== undefined && existsSync(join(env.TMPDIR, name, 'gateway.lock', '1'));
    };
    await until(claims, { deadlineMs: 60_000, what: 'a temporary gateway' });
    return command;
  };
  const killed = await evaluation();
  const [left] = (await readdir(env.TMPDIR)).filter((name) => name.startsWith('errata-scratch-'));
  killed.kill('SIGKILL');
  await killed.ended;
  const next = await evaluation();
  const concurrent = await evaluation();
  expect(await readdir(env.TMPDIR)).toHaveLength(3);
  expect(await readdir(env.TMPDIR)).not.toContain(left);
  for (const command of [next, concurrent]) {
    command.kill('SIGTERM');
    await command.ended;
  }
  expect(await readdir(env.TMPDIR)).toEqual(['notes.txt']);
});

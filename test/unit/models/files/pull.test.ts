import { mkdir, readdir, readFile, rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StartupError } from '../../../../src/domain/errors.js';
import { ensureFiles } from '../../../../src/models/files/ensure.js';
import { Hub, HubError } from '../../../../src/models/files/hub.js';
import { filesPresent, MANIFEST, pathsAmong, problemsOf, readManifest } from '../../../../src/models/files/layout.js';
import { type Progress, type PullOptions, pull } from '../../../../src/models/files/pull.js';
import { folderOfFile } from '../../../support/folder.js';
import { never } from '../../../support/models.js';
import { type HubServer, startHub } from './hub-server.js';

const { path: folder } = await folderOfFile('models');
const REPOSITORY = 'someone/model';
const GRAPH = 'onnx/model.onnx';
const model = { repository: REPOSITORY, dtype: 'fp32' } as const;
const named = { ...model, name: REPOSITORY };

const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, (_, i) => (i * 31) % 251));
const FILES = {
  'config.json': Buffer.from('{}'),
  'tokenizer.json': bytes(2_000),
  'tokenizer_config.json': Buffer.from('{"a":1}'),
  [GRAPH]: bytes(300_000),
  [`${GRAPH}_data`]: bytes(50_000),
  'onnx/model_quantized.onnx': bytes(9_000),
  'onnx/model.onnx_data/../../../escape': bytes(10),
  'README.md': bytes(100),
};

let hub: HubServer;
let progress: Progress[];
beforeEach(async () => {
  await rm(join(folder, 'someone'), { recursive: true, force: true });
  hub = await startHub(REPOSITORY, FILES);
  progress = [];
});
afterEach(() => hub.close());

const options = (given: Partial<PullOptions> = {}): PullOptions => ({
  hub: new Hub(hub.url),
  folder,
  onProgress: (one) => void progress.push(one),
  signal: never,
  pauseMs: 1,
  ...given,
});
const onDisk = (path: string): Promise<Buffer> => readFile(join(folder, REPOSITORY, path));
const downloads = (): readonly string[] => hub.asked.filter((line) => line.includes('/resolve/'));

describe('pulling a model', () => {
  test('downloads the required files only, with progress', async () => {
    const pulled = await pull(model, options());
    expect(pulled).toMatchObject({ files: 5, downloadedBytes: pulled.bytes });
    for (const path of ['config.json', 'tokenizer.json', 'tokenizer_config.json', GRAPH, `${GRAPH}_data`] as const) {
      expect((await onDisk(path)).equals(FILES[path])).toBe(true);
    }
    expect((await readdir(join(folder, REPOSITORY, 'onnx'))).sort()).toEqual(['model.onnx', 'model.onnx_data']);
    expect(progress.at(-1)).toMatchObject({ done: pulled.bytes, total: pulled.bytes });
    expect(progress.map(({ done }) => done)).toEqual(progress.map(({ done }) => done).sort((a, b) => a - b));
    expect(await problemsOf(folder, model)).toEqual([]);
    expect(filesPresent(folder, model)).toBe(true);
  });

  test('does not download complete files again', async () => {
    await pull(model, options());
    hub.asked.length = 0;
    expect((await pull(model, options())).downloadedBytes).toBe(0);
    expect(downloads()).toEqual([]);
  });

  test('resumes after a broken connection, and requests only the rest', async () => {
    hub.faults.set(GRAPH, ['cut', 'cut']);
    const pulled = await pull(model, options());
    expect((await onDisk(GRAPH)).equals(FILES[GRAPH])).toBe(true);
    expect(pulled.downloadedBytes).toBe(pulled.bytes);
    const ranges = downloads().filter((line) => line.includes(`${GRAPH} from`) || line.endsWith(GRAPH));
    expect(ranges).toHaveLength(3);
    expect(ranges[2]).toMatch(/ from [1-9]\d+$/);
  });

  test('resumes after an earlier pull was killed', async () => {
    const killed = new AbortController();
    const pulling = pull(
      model,
      options({
        signal: killed.signal,
        onProgress: ({ path }) => path === GRAPH && killed.abort(new Error('killed')),
      }),
    );
    await expect(pulling).rejects.toThrow('killed');
    expect(filesPresent(folder, model)).toBe(false);
    hub.asked.length = 0;
    await pull(model, options());
    expect((await onDisk(GRAPH)).equals(FILES[GRAPH])).toBe(true);
    expect(downloads()[0]).toMatch(/model\.onnx from [1-9]\d+$/);
  });

  test('resumes a file that the disk has no room for twice', async () => {
    const place = join(folder, REPOSITORY);
    await mkdir(join(place, 'onnx'), { recursive: true });
    const { bavail, bsize } = await statfs(place);
    const size = bavail * bsize + 2 ** 30;
    const paths = [GRAPH, 'config.json', 'tokenizer.json', 'tokenizer_config.json'];
    const hash = { kind: 'sha256', hex: 'b'.repeat(64) } as const;
    const full = {
      list: async () => ({ revision: 'a'.repeat(40), files: paths.map((path) => ({ path, size, hash })) }),
      open: async ({ from }: { readonly from: number }) => Promise.reject(new HubError(`${size - from} more`)),
    } as unknown as Hub;
    // Without blocks of its own on the disk.
    await writeFile(join(place, `${GRAPH}.${hash.hex.slice(0, 12)}.part`), '');
    await truncate(join(place, `${GRAPH}.${hash.hex.slice(0, 12)}.part`), size - 10);
    await expect(pull(model, options({ hub: full }))).rejects.toThrow('10 more');
  });

  test('a damaged download never gets its final name', async () => {
    hub.faults.set(GRAPH, ['damaged']);
    await expect(pull(model, options())).rejects.toThrow(/onnx\/model\.onnx is damaged/);
    expect(filesPresent(folder, model)).toBe(false);
    await pull(model, options());
    expect((await onDisk(GRAPH)).equals(FILES[GRAPH])).toBe(true);
  });

  test('a file damaged on disk is detected by its size and downloaded again', async () => {
    await pull(model, options());
    await writeFile(join(folder, REPOSITORY, GRAPH), 'short');
    expect(await problemsOf(folder, model)).toEqual([`${GRAPH} has 5 bytes instead of 300000`]);
    await pull(model, options());
    expect(await problemsOf(folder, model)).toEqual([]);
  });

  test('a damaged file is detected after another number format was pulled', async () => {
    await pull(model, options());
    await pull({ ...model, dtype: 'q8' }, options());
    for (const dtype of ['fp32', 'q8'] as const) expect(await problemsOf(folder, { ...model, dtype })).toEqual([]);
    await writeFile(join(folder, REPOSITORY, GRAPH), 'short');
    expect(await problemsOf(folder, model)).toEqual([`${GRAPH} has 5 bytes instead of 300000`]);
    expect(await problemsOf(folder, { ...model, dtype: 'q8' })).toEqual([]);
  });

  test('a file that the model no longer has is not missed', async () => {
    await pull(model, options());
    await rm(join(folder, REPOSITORY, `${GRAPH}_data`));
    await hub.close();
    hub = await startHub(
      REPOSITORY,
      Object.fromEntries(Object.entries(FILES).filter(([path]) => !path.includes('_data'))),
    );
    await pull(model, options());
    expect(await problemsOf(folder, model)).toEqual([]);
  });

  test('an overloaded hub is retried', async () => {
    hub.faults.set('config.json', ['status 503', 'status 503']);
    await pull(model, options());
    expect((await onDisk('config.json')).equals(FILES['config.json'])).toBe(true);
  });

  test.each([
    ['a repository that is not there', { ...model, repository: 'someone/absent' }, /no public model someone\/absent/],
    ['one without files of the dtype', { ...model, dtype: 'fp16' as const }, /no onnx\/model_fp16\.onnx/],
  ])('%s is named', async (_name, wanted, message) => {
    await expect(pull(wanted, options())).rejects.toThrow(message);
  });

  test('an unreachable hub is named, with the setting for a mirror', async () => {
    const away = options({ hub: new Hub('http://127.0.0.1:1') });
    await expect(pull(model, away)).rejects.toThrow(/http:\/\/127\.0\.0\.1:1 cannot be reached.*HF_ENDPOINT/);
  });

  test('no path of a repository can leave its folder', () => {
    const escaping = [`${GRAPH}_data/../../../x`, '../config.json', '/config.json', 'onnx/model.onnx_data_x'];
    expect(pathsAmong([...escaping, `${GRAPH}_data_1`], 'fp32')).toEqual([`${GRAPH}_data_1`]);
  });
});

describe('files that a start needs', () => {
  const files = (given: object = {}) => ({ folder, offline: false, hub: hub.url, ...given });
  const silent = (): undefined => undefined;

  test('offline: one line that names the command, without any request', async () => {
    const refused = ensureFiles(named, null, files({ offline: true }), silent, never);
    await expect(refused).rejects.toThrow(StartupError);
    await expect(refused).rejects.toThrow(
      /config\.json is missing.*run `npm run errata -- models pull someone\/model`$/,
    );
    expect(hub.asked).toEqual([]);
  });

  test('online: they are downloaded once, with a message', async () => {
    const told: string[] = [];
    await ensureFiles(named, null, files(), (line) => void told.push(line), never);
    expect(told[0]).toContain(`Downloading ${REPOSITORY} from ${hub.url}`);
    expect(filesPresent(folder, model)).toBe(true);
    hub.asked.length = 0;
    await ensureFiles(named, null, files(), silent, never);
    expect(hub.asked).toEqual([]);
  });

  test.each(['', 'no JSON', '[]', '{"files":{"config.json":"large"}}'])(
    'a damaged manifest is treated as absent: %s',
    async (text) => {
      await pull(model, options());
      await writeFile(join(folder, REPOSITORY, MANIFEST), text);
      expect(await problemsOf(folder, model)).toEqual([]);
      expect(await readManifest(join(folder, REPOSITORY))).toBeNull();
    },
  );

  test.each(['{"transformers.js_config":{"dtype":"q8"}}', '{"transformers.js_config":null}'])(
    'a config.json without external weights is no problem: %s',
    async (text) => {
      await pull(model, options());
      await rm(join(folder, REPOSITORY, MANIFEST));
      await writeFile(join(folder, REPOSITORY, 'config.json'), text);
      expect(await problemsOf(folder, model)).toEqual([]);
    },
  );

  test.each(['', 'no JSON', 'null'])('a damaged config.json is a problem, and is pulled again: %s', async (text) => {
    await pull(model, options());
    await rm(join(folder, REPOSITORY, MANIFEST));
    await writeFile(join(folder, REPOSITORY, 'config.json'), text);
    expect(await problemsOf(folder, model)).toEqual(['config.json is damaged']);
    await pull(model, options());
    expect(await problemsOf(folder, model)).toEqual([]);
  });

  test('external weights of config.json belong to the model', async () => {
    await pull(model, options());
    const config = { 'transformers.js_config': { use_external_data_format: { 'model.onnx': 2 } } };
    await writeFile(join(folder, REPOSITORY, 'config.json'), JSON.stringify(config));
    expect(await problemsOf(folder, model)).toContain('onnx/model.onnx_data_1 is missing');
  });
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { writeCrossEncoder, writeEmbedder } from '../../../bench/tiny-models.js';
import { errata as run } from '../../support/errata.js';
import { startGateway } from '../../support/gateway.js';
import { type TestDatabase, unmadeDatabase } from '../../support/gateway-database.js';
import { createCard } from '../../support/notebook.js';
import { type HubServer, startHub } from '../../unit/models/files/hub-server.js';

const TINY = {
  EMBEDDING_MODEL: 'tiny/embedder',
  EMBEDDING_DIMS: '16',
  EMBEDDING_POOLING: 'mean',
  EMBEDDING_MAX_TOKENS: '512',
  MODELS_OFFLINE: 'true',
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errata-commands-'));
  await writeEmbedder(join(folder, 'models'), 'tiny/embedder', { dims: 16 });
  await writeCrossEncoder(join(folder, 'models'), 'tiny/cross-encoder');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a command on a data directory of the tests. */
function errata(env: Readonly<Record<string, string>>, ...args: string[]) {
  return run(args, { DATA_DIR: join(folder, 'data'), MODELS_DIR: join(folder, 'models'), ...env });
}

describe('invalid JSON in arguments and files', () => {
  test.each([
    ['--filter', ['export', 'cards.csv', '--filter', '{"grade"'], '--filter cannot be read as JSON', 64],
    ['a list as --filter', ['export', 'cards.csv', '--filter', '["G6"]'], '--filter must be a JSON object', 64],
    ['--mapping', ['import', 'FILE', '--mapping', 'FILE'], '--mapping .*broken.jsonl cannot be read as JSON', 66],
    ['a file that is not there', ['import', 'FILE', '--mapping', 'NONE'], 'none.json cannot be read: ENOENT', 66],
    ['a line of --cards', ['evaluate', 'set', '--cards', 'FILE'], 'broken.jsonl: line 2 cannot be read as JSON', 66],
    ['a profile', ['profiles', 'save', 'FILE'], 'broken.jsonl cannot be read as JSON', 66],
  ])('%s: is named in one line before anything is opened', async (_name, args, message, expected) => {
    const file = join(folder, 'broken.jsonl');
    await writeFile(file, '{"questionText": "1"}\n{"questionText"');
    const given = args.map((arg) => (arg === 'FILE' ? file : arg === 'NONE' ? join(folder, 'none.json') : arg));
    const { code, err } = await errata({}, ...given);
    expect(err).toMatch(new RegExp(`^errata: .*${message}.*\n$`));
    expect(code).toBe(expected);
  });
});

describe('errata models', () => {
  let hub: HubServer | undefined;
  afterEach(async () => {
    await hub?.close();
    hub = undefined;
  });

  const files = {
    'config.json': Buffer.from('{}'),
    'tokenizer.json': Buffer.from('{}'),
    'tokenizer_config.json': Buffer.from('{}'),
    'onnx/model_quantized.onnx': Buffer.alloc(20_000, 3),
  };

  test('pull downloads a known model under its repository’s name, list shows it, and a second pull downloads nothing', async () => {
    hub = await startHub('Xenova/bge-m3', files);
    const first = await errata({ HF_ENDPOINT: hub.url }, 'models', 'pull', 'BAAI/bge-m3');
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(/BAAI\/bge-m3: 4 files, 1 MB, of which 1 MB were downloaded/);
    const list = await errata({}, 'models', 'list');
    expect(list.out).toMatch(/^BAAI\/bge-m3 .* here +MIT; more than 100 languages$/m);
    expect(list.out).toMatch(/^Xenova\/bge-small-zh-v1\.5 .* - /m);
    expect(list.out).toMatch(/^tiny\/embedder +here$/m);
    expect((await errata({ HF_ENDPOINT: hub.url }, 'models', 'pull', 'BAAI/bge-m3')).out).toContain('of which 0 MB');
  });

  test('pull of a missing number format says so', async () => {
    hub = await startHub('Xenova/bge-m3', files);
    const { code, err } = await errata({ HF_ENDPOINT: hub.url }, 'models', 'pull', 'BAAI/bge-m3', '--dtype', 'fp16');
    expect(code).toBe(69);
    expect(err).toMatch(/^errata: Xenova\/bge-m3 has no onnx\/model_fp16\.onnx: .*\n$/);
  });

  test.each([
    ['offline', { MODELS_OFFLINE: 'true' }, ['BAAI/bge-m3'], 78, /MODELS_OFFLINE/],
    ['a name that means nothing', {}, ['bge'], 64, /neither a known model nor a Hugging Face id/],
    [
      'a hub that is away',
      { HF_ENDPOINT: 'http://127.0.0.1:1' },
      ['a/b'],
      69,
      /http:\/\/127\.0\.0\.1:1 cannot be reached/,
    ],
    ['a dtype that there is not', {}, ['a/b', '--dtype', 'fp8'], 64, /Allowed choices are fp32/],
  ])('pull, %s: one clear line', async (_name, env, args, code, message) => {
    const result = await errata(env, 'models', 'pull', ...args);
    expect(result.code).toBe(code);
    expect(result.err).toMatch(message);
    expect(result.err.trim()).not.toContain('\n');
  });
});

describe('errata doctor', () => {
  let database: TestDatabase | undefined;
  afterEach(async () => {
    await database?.drop();
    database = undefined;
  });
  const servers = (schema: TestDatabase) => ({
    DATABASE_URL: schema.url,
    CHROMA_URL: String(process.env.TEST_CHROMA_URL),
  });

  test('finds no problem in a working installation with models, and exits with 0', async () => {
    const { code, out, err } = await errata({ ...TINY, RERANKER_MODEL: 'tiny/cross-encoder' }, 'doctor');
    expect(err).toBe('');
    expect(out).not.toContain('PROBLEM');
    expect(out).toMatch(/embedding model: tiny\/embedder as fp32 returns 16 dimensions/);
    expect(out).toMatch(/reranker: tiny\/cross-encoder as fp32 returns a logit/);
    expect(code).toBe(0);
  });

  test.each([
    [
      'missing files',
      { EMBEDDING_MODEL: 'tiny/absent' },
      /tiny\/absent in .*config\.json is missing.*\n.*models pull tiny\/absent/,
    ],
    ['another length', { EMBEDDING_DIMS: '17' }, /returns 16 dimensions, not 17\n.*set EMBEDDING_DIMS to 16/],
    ['a reranker that is none', { RERANKER_MODEL: 'tiny/embedder' }, /PROBLEM {2}reranker: /],
    [
      'an endpoint that is away',
      { EMBEDDING_MODEL: 'openai:x', EMBEDDING_BASE_URL: 'http://127.0.0.1:1/v1' },
      /PROBLEM {2}embedding model: .*127\.0\.0\.1:1 cannot be reached/,
    ],
    [
      'a database that is away',
      { DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:1/errata' },
      /PROBLEM {2}PostgreSQL: .*127\.0\.0\.1:1/,
    ],
    ['a Chroma that is away', { CHROMA_URL: 'http://127.0.0.1:1' }, /PROBLEM {2}Chroma: /],
    [
      'a folder that cannot be written',
      { DATA_DIR: '/dev/null/errata' },
      /PROBLEM {2}data directory: .*\/dev\/null\/errata/,
    ],
  ])('reports %s and what to do, and exits with 1', async (_name, env, message) => {
    const { code, out } = await errata({ ...TINY, ...env }, 'doctor');
    expect(out).toMatch(message);
    expect(out).not.toContain('hunter2');
    expect(code).toBe(1);
  });

  test('reports pending migrations, then an index of another model, and neither as a problem', async () => {
    database = unmadeDatabase();
    const env = servers(database);
    const fresh = await errata({ ...TINY, ...env }, 'doctor');
    expect(fresh.out).toMatch(/warning {2}PostgreSQL: .*to be migrated: \d+_init/);
    const dataDir = join(folder, 'gateway');
    await mkdir(dataDir, { recursive: true });
    const gateway = await startGateway({ database, dataDir });
    await createCard(gateway, { questionText: '求圆的面积' }, true);
    const meanwhile = await errata({ ...env, DATA_DIR: dataDir }, 'doctor');
    expect(meanwhile.out).toContain(`is used by the gateway with pid ${gateway.pid}`);
    expect(meanwhile.out).toMatch(
      /index: built with the model builtin:512:f32:7; its collections answer and match the cards/,
    );
    expect(meanwhile.code).toBe(0);
    const away = await errata({ ...env, CHROMA_URL: 'http://127.0.0.1:1' }, 'doctor');
    expect(away.out).toMatch(/PROBLEM {2}index: .* does not answer\n {9}check the servers first/);
    await gateway.close();
    const changed = await errata({ ...TINY, ...env }, 'doctor');
    expect(changed.out).toMatch(
      /warning {2}index: 1 of 1 were built with another model than tiny\/embedder:16:fp32:\d+: builtin:512:f32:7/,
    );
    expect(changed.code).toBe(0);
  });
});

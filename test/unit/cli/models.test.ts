import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { modelsCommand } from '../../../src/cli/models.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';
import { type Folder, makeFolder } from '../../support/folder.js';
import { startHub } from '../models/files/hub-server.js';

let folder: Folder;
beforeEach(async () => {
  folder = await makeFolder('models');
  vi.stubEnv('MODELS_DIR', folder.path);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await folder.remove();
});

test('only folders with a config.json are listed as models', async () => {
  for (const name of ['whole', 'other']) await mkdir(join(folder.path, 'some', name), { recursive: true });
  await folder.write('some/whole/config.json', '{}');
  const { out } = await ran(modelsCommand(), 'list');
  expect(out).toMatch(/^some\/whole +here$/m);
  expect(out).not.toContain('some/other');
});

test('folders that may not be read are not listed', async () => {
  for (const name of ['some/whole', 'some/closed', 'lost+found']) {
    await mkdir(join(folder.path, name), { recursive: true });
  }
  await folder.write('some/whole/config.json', '{}');
  const closed = ['some/closed', 'lost+found'].map((name) => join(folder.path, name));
  for (const path of closed) await chmod(path, 0);
  await chmod(folder.path, 0o755);
  const isRoot = process.getuid?.() === 0;
  // Root may read everything.
  if (isRoot) process.seteuid?.(65_534);
  try {
    const { out, thrown } = await ran(modelsCommand(), 'list');
    expect(thrown).toBeNull();
    expect(out).toMatch(/^some\/whole +here$/m);
    expect(out).not.toContain('some/closed');
  } finally {
    if (isRoot) process.seteuid?.(0);
    for (const path of closed) await chmod(path, 0o755);
  }
});

test('a file is refused as the folder of models', async () => {
  vi.stubEnv('MODELS_DIR', await folder.write('file', ''));
  const bytes = Buffer.from('{}');
  const hub = await startHub('someone/model', {
    'config.json': bytes,
    'tokenizer.json': bytes,
    'tokenizer_config.json': bytes,
    'onnx/model.onnx': bytes,
  });
  vi.stubEnv('HF_ENDPOINT', hub.url);
  const refused = {
    exitCode: EXIT.configuration,
    message: expect.stringMatching(/^MODELS_DIR cannot be used: ENOTDIR/),
  };
  expect((await ran(modelsCommand(), 'list')).thrown).toMatchObject(refused);
  expect((await ran(modelsCommand(), 'pull', 'someone/model')).thrown).toMatchObject(refused);
  await hub.close();
});

test.each(['../model', 'some/..', './model', '.some/model', 'some/-model'])(
  'a name is refused that no repository has, and that could name a folder elsewhere: %s',
  async (name) => {
    vi.stubEnv('HF_ENDPOINT', 'http://127.0.0.1:1');
    const { thrown } = await ran(modelsCommand(), 'pull', name);
    expect(thrown).toMatchObject({
      message: expect.stringContaining(`${name} is neither a known model nor a Hugging Face id`),
      exitCode: EXIT.usage,
    });
  },
);

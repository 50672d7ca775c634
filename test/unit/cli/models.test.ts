import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { modelsCommand } from '../../../src/cli/models.js';
import { ran } from '../../support/command.js';
import { makeFolder } from '../../support/folder.js';

test('only folders with a config.json are listed as models', async () => {
  const folder = await makeFolder('models');
  vi.stubEnv('MODELS_DIR', folder.path);
  try {
    for (const name of ['whole', 'other']) await mkdir(join(folder.path, 'some', name), { recursive: true });
    await folder.write('some/whole/config.json', '{}');
    const { out } = await ran(modelsCommand(), 'list');
    expect(out).toMatch(/^some\/whole +here$/m);
    expect(out).not.toContain('some/other');
  } finally {
    vi.unstubAllEnvs();
    await folder.remove();
  }
});

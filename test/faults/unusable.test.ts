import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeOwnChroma, removeFolder, temporaryFolder } from '../support/embedded.js';
import { type GatewayOptions, spawnGateway } from '../support/gateway.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryFolder();
});
afterEach(() => removeFolder(dataDir));

/**
 * How a start ended that cannot succeed, and what it said to whoever started it; `file`: with a file of this name in
 * the directory.
 */
async function refusal(
  options: GatewayOptions,
  file?: string,
): Promise<{ readonly code: number | null; readonly said: string }> {
  if (file !== undefined) await writeFile(join(dataDir, file), '');
  const gateway = await spawnGateway({ dataDir, ...options });
  try {
    const { code } = await gateway.exited;
    if (file !== undefined) await rm(join(dataDir, file));
    const lines = gateway.output().split('\n');
    return { code, said: lines.filter((line) => line.startsWith('errata: ') || line.startsWith('    at ')).join('\n') };
  } finally {
    await gateway.close();
  }
}

/** Whoever may write anywhere, as root may, cannot make a folder where there is a file. */
describe('a start with an unusable part of the data directory names it in one line and exits with 78:', () => {
  test.each(['vectors', 'imports'])('%s', async (name) => {
    expect(await refusal({}, name)).toEqual({ code: 78, said: expect.stringMatching(oneLineAbout(name)) });
  });

  describeOwnChroma('with servers of its own', () => {
    test.each(['postgres', 'chroma'])('%s', async (name) => {
      expect(await refusal({ embedded: true }, name)).toEqual({
        code: 78,
        said: expect.stringMatching(oneLineAbout(name)),
      });
    });
  });

  test('a model whose files are missing and may not be downloaded', async () => {
    const env = { EMBEDDING_MODEL: 'Xenova/bge-small-zh-v1.5', MODELS_OFFLINE: 'true' };
    const said = /^errata: [^\n]*models pull Xenova\/bge-small-zh-v1\.5[^\n]*$/;
    expect(await refusal({ env })).toEqual({ code: 78, said: expect.stringMatching(said) });
  });

  function oneLineAbout(name: string): RegExp {
    return new RegExp(`^errata: the data directory \\S*${name} cannot be used: [^\\n]*DATA_DIR[^\\n]*$`);
  }
});

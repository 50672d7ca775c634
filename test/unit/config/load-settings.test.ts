import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operationProblem } from '../../../resolvers/requests/operation-problem.js';
import { COMMAND_OPERATIONS } from '../../../src/access/command-operations.js';
import { StartupError } from '../../../src/domain/errors.js';
import { loadSettings } from '../../../src/runtime/load-settings.js';
import * as studio from '../../../studio/generated/operations.js';
import { folderOfFile } from '../../support/folder.js';

const load = (env: Readonly<Record<string, string>>) => loadSettings(env, operationProblem);

const { path: folder, write } = await folderOfFile('settings');
const listed = await write('listed.json', JSON.stringify(['{ facets { total } }']));
const broken = await write('broken.json', JSON.stringify(['{ facets { total } }', 'query Gone { gone }']));

/** The lines of the refusal of these settings. */
async function refusal(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const thrown = await load(env).then(
    () => new Error('the settings were accepted'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof StartupError)) throw thrown;
  expect(thrown.exitCode).toBe(78);
  return thrown.message.split('\n').map((line) => line.trim());
}

describe('the settings of a gateway', () => {
  test('are accepted if everything that they refer to exists', async () => {
    const { config, operations } = await load({
      DATA_DIR: join(folder, 'new', 'data'),
      OPERATIONS_FILE: listed,
    });
    expect(config.dataDir).toBe(join(folder, 'new', 'data'));
    expect(operations?.find({ query: '{ facets { total } }', sha256: undefined })).not.toBeNull();
    expect(operations?.find({ query: '{ facets { tota } }', sha256: undefined })).toBeNull();
    expect((await load({})).operations).toBeNull();
  });

  test('include the operations of the command line in the listed ones', async () => {
    const { operations } = await load({ OPERATIONS_FILE: listed });
    for (const document of Object.values(COMMAND_OPERATIONS)) {
      expect(operations?.find({ query: document, sha256: undefined })).toBe(document);
    }
  });

  test.each([true, false])(
    'with OPERATIONS_STUDIO %s the operations of the studio are listed as well, or not',
    async (isOn) => {
      const { operations } = await load({ OPERATIONS_FILE: listed, OPERATIONS_STUDIO: String(isOn) });
      const sent = Object.values(studio).map(({ text }) => text);
      expect(sent.length).toBeGreaterThan(30);
      for (const query of sent) expect(operations?.find({ query, sha256: undefined })).toBe(isOn ? query : null);
      expect(operations?.find({ query: '{ facets { tota } }', sha256: undefined })).toBeNull();
    },
  );

  test('are refused with all problems at once, including files and models', async () => {
    const [first, ...lines] = await refusal({
      PORT: 'x',
      HOST: '0.0.0.0',
      OPERATIONS_FILE: broken,
      DATA_DIR: '/dev/null/errata',
      EMBEDDING_MODEL: 'some/model',
      RERANKER_MODEL: 'some/reranker',
      MODELS_DIR: folder,
      MODELS_OFFLINE: 'true',
    });
    expect(first).toBe('the settings are not usable:');
    expect(lines).toEqual([
      expect.stringMatching(/^PORT: /),
      expect.stringMatching(/^HOST: /),
      expect.stringMatching(
        /^OPERATIONS_FILE: \S+broken\.json cannot be used: operation 2 \(Gone\): Cannot query field/,
      ),
      expect.stringMatching(/^DATA_DIR: \/dev\/null\/errata cannot be used: part of the path is a file$/),
      expect.stringMatching(/^EMBEDDING_MODEL: .*EMBEDDING_DIMS, EMBEDDING_POOLING, EMBEDDING_MAX_TOKENS$/),
      expect.stringMatching(/^RERANKER_MODEL: .*models pull some\/reranker/),
    ]);
  });

  test('are not checked for models with wrong settings', async () => {
    expect(await refusal({ EMBEDDING_MODEL: 'some/model', EMBEDDING_DIMS: '0' })).toEqual([
      expect.stringMatching(/^the settings are not usable: EMBEDDING_DIMS: [^:]+$/),
    ]);
  });

  test('are refused if the data directory is a file', async () => {
    expect(await refusal({ DATA_DIR: listed })).toEqual([
      `the settings are not usable: DATA_DIR: ${listed} cannot be used: it is a file`,
    ]);
  });
});

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkEmbedder } from '../../../../src/cli/doctor/models.js';
import { parseConfig } from '../../../../src/config/settings.js';
import { makeFolder } from '../../../support/folder.js';
import { startHttpServer } from '../../../support/http-server.js';

test.each([
  [[3, 4], { state: 'ok' }],
  [[3, 4, 0], { state: 'problem', advice: 'set EMBEDDING_DIMS to 3' }],
  [[0, 0], 'the endpoint returned a zero vector'],
])('an endpoint that returns %j for 2 dimensions', async (embedding, outcome) => {
  const server = await startHttpServer((request, response) => {
    request.resume();
    response.end(JSON.stringify({ data: [{ index: 0, embedding }] }));
  });
  const settings = { EMBEDDING_MODEL: 'openai:x', EMBEDDING_BASE_URL: server.url, EMBEDDING_DIMS: '2' };
  const checked = checkEmbedder(parseConfig(settings));
  if (typeof outcome === 'string') await expect(checked).rejects.toThrow(outcome);
  else expect(await checked).toMatchObject(outcome);
  await server.close();
});

test('the advice for a damaged file names the number format that is set', async () => {
  const folder = await makeFolder('doctor');
  await mkdir(join(folder.path, 'tiny', 'damaged', 'onnx'), { recursive: true });
  for (const path of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx']) {
    await folder.write(join('tiny', 'damaged', path), '{}');
  }
  const settings = { EMBEDDING_MODEL: 'tiny/damaged', EMBEDDING_DTYPE: 'q8', MODELS_DIR: folder.path };
  const unknown = { EMBEDDING_DIMS: '16', EMBEDDING_POOLING: 'cls', EMBEDDING_MAX_TOKENS: '64' };
  const command = 'npm run errata -- models pull tiny/damaged --dtype q8';
  expect(await checkEmbedder(parseConfig({ ...settings, ...unknown }))).toMatchObject({
    state: 'problem',
    advice: `download it again (\`${command}\`), or choose another model`,
  });
  await folder.remove();
});

import { expect, test } from 'vitest';
import { checkEmbedder } from '../../../../src/cli/doctor/models.js';
import { parseConfig } from '../../../../src/config/settings.js';
import { startHttpServer } from '../../../support/http-server.js';

const log = { debug() {}, info() {}, warn() {} };

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
  const checked = checkEmbedder(parseConfig(settings), log);
  if (typeof outcome === 'string') await expect(checked).rejects.toThrow(outcome);
  else expect(await checked).toMatchObject(outcome);
  await server.close();
});

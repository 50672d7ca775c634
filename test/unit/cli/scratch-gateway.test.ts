import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { GatewayClient } from '../../../src/cli/gateway-client.js';
import { loadCards } from '../../../src/cli/scratch-gateway.js';
import { startHttpServer } from '../../support/http-server.js';
import { never } from '../../support/models.js';

test('exported cards are created without their occurrences and attachments, which are not searched', async () => {
  const created: unknown[] = [];
  const gateway = await startHttpServer(async (request, response) => {
    const { variables } = (await json(request)) as { readonly variables: { readonly input?: unknown } };
    if (variables.input !== undefined) created.push(variables.input);
    response.end('{"data":{"indexStatus":{"pending":0,"failed":0}}}');
  });
  const card = { id: 'a', subject: 'math', difficulty: 2, questionText: 'x?', notes: 'y' };
  const occurrences = [{ occurredAt: '2026-01-02T03:04:05.678Z', errorTypes: ['sign error'] }];
  const attachments = [{ kind: 'OTHER', url: 'https://school/a.png' }];
  const cards = [{ ...card, occurrences, attachments }];
  expect(await loadCards(new GatewayClient(gateway.url), cards, () => undefined, never)).toBe(0);
  await gateway.close();
  expect(created).toEqual([card]);
});

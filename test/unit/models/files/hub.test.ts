import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { Hub, HubError } from '../../../../src/models/files/hub.js';
import { startHttpServer } from '../../../support/http-server.js';
import { never } from '../../../support/models.js';

afterEach(() => void vi.useRealTimers());

test('the request to a hub that does not answer is closed at the deadline', async () => {
  const server = await startHttpServer(() => undefined);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const listed = expect(new Hub(server.url).list('someone/model', never)).rejects.toThrow(/does not answer/);
  const [request] = await once(server.server, 'request');
  const closed = once(request.socket, 'close');
  await vi.advanceTimersByTimeAsync(30_000);
  await listed;
  await closed;
  await server.close();
});

test.each([
  ['no JSON', '<html>blocked by a proxy</html>'],
  ['other JSON', '{"sha":1}'],
])('an answer of %s is a failure of the hub', async (_name, body) => {
  const server = await startHttpServer((_request, response) => void response.end(body));
  const listed = new Hub(server.url).list('someone/model', never);
  await expect(listed).rejects.toThrow(HubError);
  await expect(listed).rejects.toThrow('does not answer as a hub of models');
  await server.close();
});

test('an answer that breaks off is a failure of the hub', async () => {
  const server = await startHttpServer((_request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{', () => response.destroy());
  });
  const listed = new Hub(server.url).list('someone/model', never);
  await expect(listed).rejects.toThrow(HubError);
  await expect(listed).rejects.toThrow('broke off');
  await server.close();
});

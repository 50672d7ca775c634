import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { Hub } from '../../../../src/models/files/hub.js';
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

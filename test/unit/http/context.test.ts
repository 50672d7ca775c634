import { once } from 'node:events';
import fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SEARCH_DEADLINE_MS } from '../../../src/domain/search.js';
import type { TutoringContext } from '../../../src/domain/tutoring.js';
import type { Caller } from '../../../src/domain/viewer.js';
import { contextRoute } from '../../../src/http/context.js';
import { noFacts } from '../../../src/http/log.js';

const caller: Caller = { tenantId: 'default', ownerId: 'amy', role: 'student', scopes: ['read', 'write'] };

test('a context whose searches have ended is assembled after their deadline', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const context = async (_viewer: unknown, _args: unknown, signal: AbortSignal): Promise<TutoringContext> => {
    const late = once(signal, 'abort');
    vi.advanceTimersByTime(SEARCH_DEADLINE_MS);
    await late;
    // The request has some of its time left.
    await new Promise((resolve) => setImmediate(resolve));
    return { reason: 'found', sources: [], hypotheses: [], card: null } as unknown as TutoringContext;
  };
  const app = fastify();
  onTestFinished(() => app.close());
  app.addHook('onRequest', async (request) => {
    Object.assign(request, { caller, facts: noFacts() });
  });
  await app.register(contextRoute({ context }));
  const response = await app.inject({ method: 'POST', url: '/context', payload: {} });
  expect([response.statusCode, response.json()]).toMatchObject([200, { reason: 'found' }]);
});

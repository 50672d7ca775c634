import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { answerOf, card, send, serving } from './gateway.js';

const serve = serving();

const ASK = JSON.stringify({ query: '{ __typename }' });

describe('while the gateway drains', () => {
  afterEach(() => void vi.useRealTimers());

  test('new requests are refused with the reason, and running ones are answered', async () => {
    const gate = deferred();
    const begun = deferred();
    const { url, http } = await serve({
      store: {
        byIds: async () => {
          begun.resolve();
          await gate.promise;
          return new Map([['card-1', card()]]);
        },
      },
    });
    const underWay = send(url, { body: JSON.stringify({ query: '{ card(id: "card-1") { id } }' }) });
    await begun.promise;
    http.drain();

    const refused = await send(url, { body: ASK });
    expect(refused.headers.get('connection')).toBe('close');
    expect(await answerOf(refused)).toMatchObject({
      status: 503,
      errors: [{ extensions: { code: 'UNAVAILABLE', part: 'gateway' } }],
    });
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, detail: { gateway: 'shutting down' } }]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    const closing = http.close();
    gate.resolve();
    const answered = await underWay;
    expect(answered.headers.get('connection')).toBe('close');
    expect(await answerOf(answered)).toMatchObject({ status: 200, data: { card: { id: 'card-1' } } });
    await closing;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  test('requests are answered for the configured time after /readyz reports closing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { url, http } = await serve({}, { drainMs: 2_000 });
    const closing = http.close();
    await vi.advanceTimersByTimeAsync(1_999);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, detail: { gateway: 'shutting down' } }]);
    const answered = await send(url, { body: ASK });
    expect(answered.headers.get('connection')).toBe('close');
    expect(await answerOf(answered)).toMatchObject({ status: 200, data: { __typename: 'Query' } });
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  test('a request just sent over a kept-alive connection is answered', async () => {
    const { url, http } = await serve();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    const ended = once(socket, 'close');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    const ask = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';
    socket.write(ask);
    await once(socket, 'data');
    socket.write(ask);
    const closing = http.close();
    // This process is stalled for longer than a drain takes.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    await closing;
    await ended;
    expect(answer.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
    expect(answer).toContain('connection: close');
  });

  test('neither kept-alive connections nor unused ones delay close()', async () => {
    const { url, http } = await serve();
    const { port } = new URL(url);
    const unused = connect(Number(port), '127.0.0.1');
    await once(unused, 'connect');
    const agent = new Agent({ keepAlive: true });
    await new Promise((resolve, reject) => {
      request(`${url}/healthz`, { agent }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end();
    });
    const ended = once(unused.resume(), 'close');
    const start = performance.now();
    await http.close();
    await ended;
    // Far less than the 10 s after which connections are cut off.
    expect(performance.now() - start).toBeLessThan(5_000);
    agent.destroy();
  });

  test('close() may be called twice concurrently', async () => {
    const { http } = await serve();
    await Promise.all([http.close(), http.close()]);
    await http.close();
  });
});

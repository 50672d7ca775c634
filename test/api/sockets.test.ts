import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyPluginAsync } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { EventStream } from '../../resolvers/events/event-stream.js';
import { EVERYONE } from '../../src/access/authenticator.js';
import { UnauthenticatedError } from '../../src/domain/errors.js';
import { attachmentRoutes } from '../../src/http/attachments.js';
import { exportRoute } from '../../src/http/export.js';
import { importRoute } from '../../src/http/import.js';
import { until } from '../support/until.js';
import { startApi, type TestApi } from './gateway.js';

const LIMITS = {
  requestTimeoutMs: 300,
  connectionTimeoutMs: 600,
  keepAliveTimeoutMs: 200,
  checkMs: 50,
  lingerMs: 1_000,
  maxSockets: 3,
};
/** For what must not end before its time, on a machine of any speed. */
const PATIENT = { ...LIMITS, requestTimeoutMs: 30_000, connectionTimeoutMs: 30_000, lingerMs: 30_000 };

/** Lets nobody in. */
const NOBODY = { authenticate: () => Promise.reject(new UnauthenticatedError('a credential is required')) };
const NO_IMPORTS = { importFile: () => Promise.reject(new Error('unexpected import')) };
const NO_ATTACHMENTS = {
  maxBytes: 1_000_000,
  read: () => Promise.reject(new Error('unexpected download')),
  upload: () => Promise.reject(new Error('unexpected upload')),
};

const exporterOf = (body: Readable) => ({
  export: () => Promise.resolve({ contentType: 'text/csv', fileName: 'cards.csv', body, isEmpty: false }),
  template: () => body,
});

/** An event stream at once at its end. */
const streamRoute = (): FastifyPluginAsync => async (http) => {
  http.post('/export', async (_request, reply) => {
    const events = new EventStream();
    events.end();
    return events.send(reply, () => undefined);
  });
};

let gateway: TestApi | undefined;
const open: Socket[] = [];
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await gateway?.close();
});

async function socketTo({ url }: TestApi): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  open.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** All that the gateway answered until it closed the connection, or reset it because the client went on sending. */
async function said(socket: Socket): Promise<string> {
  let text = '';
  try {
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ECONNRESET') throw thrown;
  }
  return text;
}

function expectGraphqlError(answer: string, status: number): void {
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
    errors: [{ message: expect.any(String), extensions: { code: 'BAD_REQUEST' } }],
  });
}

describe('a client that', () => {
  test.each([
    ['sends half of its headers', 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-'],
    [
      'sends half of its body',
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"query"',
    ],
  ])('%s gets a timeout error and is disconnected', async (_what, bytes) => {
    gateway = await startApi({}, { limits: LIMITS });
    const socket = await socketTo(gateway);
    socket.write(bytes);
    expectGraphqlError(await said(socket), 408);
  });

  test('does not encode the name of a file is told to', async () => {
    gateway = await startApi({});
    const socket = await socketTo(gateway);
    socket.write('POST /import?name=错题.csv HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
    const answer = await said(socket);
    expectGraphqlError(answer, 400);
    expect(answer).toContain('the address must be percent-encoded (curl: --url-query)');
  });

  test('sends half of its body is disconnected, and not a request of the gateway to itself before it', async () => {
    const statuses: number[] = [];
    const asksItself: FastifyPluginAsync = async (http) => {
      http.addHook('onListen', async () => void statuses.push((await http.inject('/livez')).statusCode));
    };
    gateway = await startApi({}, { limits: LIMITS, files: [asksItself] });
    await until(() => statuses.length > 0, { deadlineMs: 30_000, what: 'the gateway to ask itself' });
    expect(statuses).toEqual([200]);
    // This one's deadline is later than that of the request above, at which the process would have ended.
    const socket = await socketTo(gateway);
    socket.write(
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
    expectGraphqlError(await said(socket), 408);
  });

  test('sends its body byte by byte is disconnected too', async () => {
    gateway = await startApi({}, { limits: LIMITS });
    const socket = await socketTo(gateway);
    socket.write(
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
    );
    const drip = setInterval(() => socket.write(' '), 20);
    // What is written after the end is refused.
    socket.on('error', () => undefined);
    try {
      expectGraphqlError(await said(socket), 408);
    } finally {
      clearInterval(drip);
    }
  });

  test('continues to send a file that was refused is disconnected after the response', async () => {
    const files = [importRoute(NO_IMPORTS), attachmentRoutes(NO_ATTACHMENTS)];
    gateway = await startApi({}, { files, guard: { authenticator: NOBODY } });
    for (const [path, type] of [
      ['/import?name=a.csv', 'text/csv'],
      ['/attachments', 'image/png'],
      ['/graphql', 'application/json'],
    ]) {
      const socket = await socketTo(gateway);
      socket.on('error', () => undefined);
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n`;
      const began = performance.now();
      socket.write(`${head}Content-Length: 1000000\r\n\r\nsubject`);
      const drip = setInterval(() => socket.write('x'), 50);
      expect(await said(socket)).toMatch(/^HTTP\/1.1 401 /);
      expect(performance.now() - began).toBeLessThan(5_000);
      clearInterval(drip);
    }
  });

  test.each([
    ['a file with a wrong name', '/import?name=a.pdf', 'text/csv', 400],
    ['an attachment that is too large', '/attachments', 'image/png', 413],
    ['an attachment that turns out to be too large', '/attachments', 'image/png', 413, true],
    ['a file of another type', '/attachments', 'image/svg+xml', 415],
    ['an operation that is too large', '/graphql', 'application/json', 413],
  ])(
    'sends all of %s before it reads is told why it was refused',
    async (_what, path, type, status, isChunked = false) => {
      const upload: typeof NO_ATTACHMENTS.upload = async (
        _viewer?: unknown,
        { body }: { body?: AsyncIterable<Uint8Array> } = {},
      ) => {
        for await (const _chunk of body ?? []);
        throw new Error('unexpected upload');
      };
      const files = [importRoute(NO_IMPORTS), attachmentRoutes({ ...NO_ATTACHMENTS, upload })];
      gateway = await startApi({}, { files, limits: PATIENT });
      const socket = await socketTo(gateway);
      socket.on('error', () => undefined);
      // Little more than the two sockets buffer.
      const body = Buffer.alloc(8_000_000, 'x');
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: ${type}\r\n`;
      const length = isChunked
        ? `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}`
        : `Content-Length: ${body.length}\r\n`;
      socket.write(`${head}${length}\r\n`);
      await new Promise<void>((resolve, reject) => {
        socket.write(body, (problem) => (problem ? reject(problem) : resolve()));
      });
      if (isChunked) socket.write('\r\n0\r\n\r\n');
      expect(await said(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    },
  );

  test('was refused after a complete request may reuse its connection', async () => {
    gateway = await startApi({}, { guard: { authenticator: NOBODY } });
    const socket = await socketTo(gateway);
    const answers = said(socket);
    const request =
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n';
    socket.write(`${request}\r\n{}`);
    socket.write(`${request}Connection: close\r\n\r\n{}`);
    expect((await answers).match(/HTTP\/1.1 401 /g)).toHaveLength(2);
  });

  test('sends nothing is disconnected', async () => {
    gateway = await startApi({}, { limits: LIMITS });
    await said(await socketTo(gateway));
  });

  test('is sent an export whose next part takes longer than sockets may idle, and then is disconnected', async () => {
    const body = new PassThrough();
    const limits = { ...PATIENT, connectionTimeoutMs: LIMITS.connectionTimeoutMs };
    gateway = await startApi({}, { limits, files: [exportRoute(exporterOf(body), EVERYONE)] });
    const socket = await socketTo(gateway);
    const request = 'POST /export HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    socket.write(`${request}Content-Length: 16\r\n\r\n{"format":"csv"}`);
    body.write('first part, ');
    const received = said(socket);
    await delay(2 * LIMITS.connectionTimeoutMs);
    body.end('last part');
    expect(await received).toMatch(/first part, [\s\S]*last part/);
  });

  test.each([
    ['an export', () => exportRoute(exporterOf(Readable.from(['a'])), EVERYONE)],
    ['an event stream', streamRoute],
  ])('was sent %s may keep its connection as long as after any other response', async (_what, route) => {
    const limits = { ...LIMITS, requestTimeoutMs: 30_000, connectionTimeoutMs: 12_000, keepAliveTimeoutMs: 72_000 };
    const timeouts: (number | undefined)[] = [];
    const observed: FastifyPluginAsync = async (http) => {
      http.addHook('onRequest', async ({ raw }, reply) => {
        // Later than all other listeners.
        reply.raw.once('close', () => queueMicrotask(() => timeouts.push(raw.socket.timeout)));
      });
      await http.register(route());
    };
    gateway = await startApi({}, { limits, files: [observed] });
    const reply = await fetch(`${gateway.url}/export`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"format":"csv"}',
    });
    expect(reply.headers.get('keep-alive')).toBe('timeout=72');
    await reply.text();
    await until(() => timeouts.length > 0, { deadlineMs: 30_000, what: 'the response to end' });
    expect(timeouts[0]).toBeGreaterThanOrEqual(limits.keepAliveTimeoutMs);
  });

  test('keeps an idle connection is disconnected', async () => {
    gateway = await startApi({}, { limits: PATIENT });
    const socket = await socketTo(gateway);
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await said(socket)).toContain('{"status":"alive"}');
  });

  test('opens too many connections has the excess dropped, and may connect again when others are closed', async () => {
    gateway = await startApi({}, { limits: PATIENT });
    const held = [await socketTo(gateway), await socketTo(gateway), await socketTo(gateway)];
    const dropped = await socketTo(gateway);
    await once(dropped.resume(), 'close');
    expect(held.every((socket) => !socket.destroyed)).toBe(true);
    for (const socket of held) {
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    }
    const socket = await socketTo(gateway);
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await said(socket)).toContain('{"status":"alive"}');
  });

  test.each([
    ['does not speak HTTP', 'hello\r\n\r\n', 400],
    ['has headers without end', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(60_000)}\r\n\r\n`, 431],
    ['names no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ])('%s is told so as GraphQL clients read it', async (_what, bytes, status) => {
    gateway = await startApi({});
    const socket = await socketTo(gateway);
    socket.end(bytes);
    expectGraphqlError(await said(socket), status);
  });
});

describe('every response', () => {
  test.each([
    ['to a query', 'POST', '/graphql', '{"query":"{ __typename }"}', 200],
    ['to a bad query', 'POST', '/graphql', '{"query":"{"}', 400],
    ['to a bad body', 'POST', '/graphql', '{', 400],
    ['to an unknown address', 'GET', '/none', undefined, 404],
    ['to a supervisor', 'GET', '/readyz', undefined, 200],
  ])('%s tells browsers not to cache, render, sniff or embed it', async (_what, method, path, body, status) => {
    gateway = await startApi({}, { production: true });
    const headers = { 'content-type': 'application/json', origin: 'https://evil.example' };
    const reply = await fetch(`${gateway.url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    expect(reply.status).toBe(status);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    for (const name of ['access-control-allow-origin', 'server', 'x-powered-by'])
      expect(reply.headers.has(name)).toBe(false);
  });
});

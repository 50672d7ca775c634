import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ChromaConnection } from '../../../chroma/client.js';
import { IndexLostError, UnavailableError } from '../../../src/domain/errors.js';
import { deferred } from '../../support/deferred.js';
import { testChroma } from '../../support/gateway-database.js';
import { until } from '../../support/until.js';
import { answeringServers, failing, status } from './answers.js';

const { servers, connections, answering, connectionTo } = answeringServers();

/** What a call to such a server fails with; one that does not answer, with a short deadline. */
async function failureOf(listener: RequestListener, deadlineMs = 30_000): Promise<unknown> {
  const connection = connectionTo(await answering(listener), deadlineMs);
  return connection.ping().then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  );
}

describe('ChromaConnection', () => {
  test('sends its key, tenant and database', async () => {
    const asked: { readonly path: string | undefined; readonly token: unknown }[] = [];
    const url = await answering(({ url: path, headers }, response) => {
      asked.push({ path, token: headers['x-chroma-token'] });
      response.writeHead(200, { 'content-type': 'application/json' }).end('7');
    });
    const access = { apiKey: 'ck-1', tenant: 'school', database: 'mistakes', cloud: false };
    const connection = new ChromaConnection(() => url, access);
    connections.push(connection);
    expect(await connection.call('read', (client) => client.countCollections())).toBe(7);
    expect(asked.at(-1)).toEqual({
      path: expect.stringContaining('/tenants/school/databases/mistakes/collections_count'),
      token: 'ck-1',
    });
  });

  test.each([401, 403])('can be opened with a key that may not look up the database: status %i', async (refusal) => {
    const asked: number[] = [];
    const url = await answering(({ url: path = '' }, response) => {
      const code = path.endsWith('/databases/mistakes') ? refusal : 200;
      asked.push(code);
      const body = path.endsWith('/heartbeat') ? '{"nanosecond heartbeat":7}' : '7';
      response.writeHead(code, { 'content-type': 'application/json' }).end(code === 200 ? body : '{}');
    });
    const access = { apiKey: 'ck-1', tenant: 'school', database: 'mistakes', cloud: false };
    const connection = new ChromaConnection(() => url, access);
    connections.push(connection);
    await connection.open();
    expect(asked).toContain(refusal);
  });

  test.each([
    ['tenant', { tenant: 'nobody', database: null }, 'no database default_database of a tenant nobody'],
    ['database', { tenant: null, database: 'nothing' }, 'no database nothing of a tenant default_tenant'],
  ])('cannot be opened with a %s that the server does not have', async (_what, location, reason) => {
    const opened = async (where: typeof location | Record<keyof typeof location, string>): Promise<void> => {
      const connection = new ChromaConnection(testChroma, { apiKey: null, cloud: false, ...where });
      connections.push(connection);
      await connection.open();
    };
    await opened({ tenant: 'default_tenant', database: 'default_database' });
    await expect(opened(location)).rejects.toThrow(`chroma is unavailable: it has ${reason}`);
  });

  test.each([401, 403])('is unavailable if the server answers %s, and no card is marked as failed', async (code) => {
    const url = await answering(status(code, '{"error": "AuthError", "message": "who is it?"}'));
    const asked = connectionTo(url).call('write', (client) => client.countCollections());
    await expect(asked).rejects.toThrow(
      'chroma is unavailable: the vector server refused the credentials of this gateway',
    );
  });

  test('is unavailable if no server listens', async () => {
    const url = await answering(() => undefined);
    await servers.pop()?.close();
    const ping = connectionTo(url).ping();
    await expect(ping).rejects.toThrow(UnavailableError);
    await expect(ping).rejects.not.toThrow(IndexLostError);
  });

  test('is unavailable after its deadline if the server never answers', async () => {
    const started = performance.now();
    expect(await failureOf(() => undefined, 200)).toBeInstanceOf(UnavailableError);
    // The client's timers are coarse: 0.2 s may become a second and a half, never the minutes of its default.
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('distinguishes in its message a server that does not answer from one that answers with an error', async () => {
    const silent = await failureOf((_request, response) => void response.destroy());
    expect(silent).toMatchObject({ message: 'chroma is unavailable: the vector server does not answer' });
    const failed = await failureOf(failing('attempt to write a readonly database'));
    expect(failed).toMatchObject({
      message: 'chroma is unavailable: the vector server answered with an error',
      cause: { message: 'attempt to write a readonly database' },
    });
  });

  test('is unavailable if a response stalls', async () => {
    const failure = await failureOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{"nanosecond heartbeat":');
    }, 200);
    expect(failure).toBeInstanceOf(UnavailableError);
  });

  test('is unavailable if the connection breaks, before or during a response', async () => {
    const before = await failureOf((_request, response) => void response.destroy());
    expect(before).toBeInstanceOf(UnavailableError);
    const amid = await failureOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{"nanosecond heartbeat":', () => response.destroy());
    });
    expect(amid).toBeInstanceOf(UnavailableError);
  });

  test.each([429, 502, 503, 504])(
    'is unavailable if the server is overloaded or missing behind its proxy: %i',
    async (code) => {
      expect(await failureOf(status(code, 'later'))).toBeInstanceOf(UnavailableError);
    },
  );

  test.each([
    ['the server is in trouble', status(500, '{"error":"InternalError","message":"database or disk is full"}')],
    ['somebody else answers, in no JSON', status(200, '<html>')],
    ['somebody else answers, in JSON', status(200, '{}')],
    ['the answer is null', status(200, 'null')],
  ])('is unavailable where %s: no card is to blame for it', async (_name, listener) => {
    const failure = await failureOf(listener);
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure).not.toBeInstanceOf(IndexLostError);
  });

  test.each([
    ['a call that the server refuses', status(400, '{"message":"a bad filter"}'), 'a bad filter'],
    ['a body that is too large for a proxy', status(413, 'too large'), '413'],
  ])('does not take %s for an outage', async (_name, listener, message) => {
    const failure = await failureOf(listener);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(UnavailableError);
    expect(String(failure)).toContain(message);
  });

  test('does not treat an error of the caller as an outage', async () => {
    const connection = connectionTo(await answering(status(200, '{}')));
    const mistake = connection.call('read', async () => {
      throw new TypeError('undefined is not a function');
    });
    await expect(mistake).rejects.toThrow('undefined is not a function');
    await expect(mistake).rejects.not.toThrow(UnavailableError);
  });

  test.each([
    ['is missing', status(404, '{"error":"NotFoundError"}')],
    ['is damaged', status(500, '{"error":"InternalError","message":"EOF while parsing a value"}')],
    ['is damaged', status(500, '{"error":"InternalError","message":"Internal error: Error getting embedding"}')],
    ['is damaged', status(500, '{"error":"InternalError","message":"Internal error: Error finding id"}')],
  ])('says that the index is lost where a collection %s', async (problem, listener) => {
    const failure = await failureOf(listener);
    expect(failure).toBeInstanceOf(IndexLostError);
    expect(String(failure)).toContain(`a collection of the index ${problem}`);
  });

  test('keeps the original error as the cause', async () => {
    const failure = await failureOf((_request, response) => void response.destroy());
    expect((failure as Error).cause).toMatchObject({ name: 'ChromaConnectionError' });
  });

  test('follows a server to a new URL', async () => {
    const up = await answering(status(200, '{"nanosecond heartbeat":1}'));
    const down = await answering((_request, response) => void response.destroy());
    let url = down;
    const connection = connectionTo(() => url, 30_000);
    await expect(connection.ping()).rejects.toThrow(UnavailableError);
    url = up;
    await connection.ping();
  });

  test('has separate deadlines for reads and writes', async () => {
    const waiting: ServerResponse[] = [];
    const url = await answering((_request, response) => void waiting.push(response));
    const connection = new ChromaConnection(() => url, undefined, { read: 100, write: 30_000, load: 30_000 });
    connections.push(connection);
    const write = connection.call('write', (client) => client.heartbeat());
    await expect(connection.call('read', (client) => client.heartbeat())).rejects.toThrow(UnavailableError);
    for (const response of waiting) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"nanosecond heartbeat":1}');
    }
    await write;
  });

  test('a collection that loads for minutes closes Chroma to nobody else', async () => {
    const connection = connectionTo(await answering(status(200, '{"nanosecond heartbeat":1}')));
    const loading = new Promise<never>(() => undefined);
    for (let search = 0; search < 3; search += 1) {
      const lanes = await Promise.allSettled([1, 2, 3, 4].map(() => connection.waitAsForRead(loading)));
      expect(lanes.map((lane) => lane.status === 'rejected' && String(lane.reason))).toEqual(
        Array(4).fill(expect.stringContaining('is still loading the collection')),
      );
      await connection.call('read', (client) => client.heartbeat());
    }
  });

  test('reports a load that ends after a read has given up, and no other', async () => {
    const connection = connectionTo(await answering(status(200, '{"nanosecond heartbeat":1}')));
    let ended = 0;
    connection.onLoaded(() => {
      ended += 1;
    });
    await connection.waitAsForRead(Promise.resolve());
    const load = deferred();
    await expect(connection.waitAsForRead(load.promise)).rejects.toThrow('is still loading the collection');
    expect(ended).toBe(0);
    load.resolve();
    await until(() => ended === 1, { deadlineMs: 30_000, what: 'the load to be reported' });
  });

  test('a server that does not answer while a collection loads is refused like any other', async () => {
    const connection = connectionTo(await answering(() => undefined));
    const wait = () => connection.waitAsForRead(new Promise<never>(() => undefined));
    await Promise.allSettled([wait(), wait(), wait()]);
    const refused = () => wait().then(undefined, (error: unknown) => String(error).includes('circuit breaker open'));
    await until(refused, { deadlineMs: 30_000, what: 'the circuit breaker to open' });
  });

  test('refuses calls at once after three consecutive failures, until the server answers again', async () => {
    let up = false;
    let asked = 0;
    const url = await answering((_request, response) => {
      asked += 1;
      if (up) response.writeHead(200, { 'content-type': 'application/json' }).end('{"nanosecond heartbeat":1}');
    });
    const connection = connectionTo(url);
    const beat = () => connection.call('read', (client) => client.heartbeat());
    for (let call = 0; call < 3; call += 1) await expect(beat()).rejects.toThrow('does not answer');
    const before = asked;
    const started = performance.now();
    for (let call = 0; call < 20; call += 1) await expect(beat()).rejects.toThrow('circuit breaker open');
    // One of the twenty at most sent a probe; none of them waited for it.
    expect(asked).toBeLessThanOrEqual(before + 1);
    // Far less than 20 deadlines.
    expect(performance.now() - started).toBeLessThan(2_000);
    let recovered = 0;
    connection.onRecovery(() => {
      recovered += 1;
    });
    up = true;
    await until(() => beat().then(() => true), { deadlineMs: 30_000, what: 'calls to go through again' });
    expect(recovered).toBe(1);
  });
});

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { StartupError } from '../../src/domain/errors.js';
import { refuseTakenPort } from '../../src/http/address.js';
import { answerOf, send, serving, startApi } from './gateway.js';

const serve = serving();

const JSON_TYPE = { 'content-type': 'application/json' };
const ASK = JSON.stringify({ query: '{ __typename }' });

describe('requests that do not reach GraphQL are refused in its error format:', () => {
  test.each([
    [
      'a body over 256 kB',
      { headers: JSON_TYPE, body: `{"query":"#${'x'.repeat(262_144)}"}` },
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'a body as GraphQL',
      { headers: { 'content-type': 'application/graphql' }, body: '{ __typename }' },
      415,
      'BAD_REQUEST',
    ],
    [
      'another character set',
      { headers: { 'content-type': 'application/json; charset=utf-7' }, body: ASK },
      415,
      'BAD_REQUEST',
    ],
    ['malformed JSON', { headers: JSON_TYPE, body: '{"query":' }, 400, 'BAD_REQUEST'],
    ['an empty body', { headers: JSON_TYPE, body: '' }, 400, 'BAD_REQUEST'],
    [
      'a poisoned prototype',
      { headers: JSON_TYPE, body: '{"query":"{ __typename }","__proto__":{"a":1}}' },
      400,
      'BAD_REQUEST',
    ],
    [
      'a poisoned prototype deep in the variables',
      { headers: JSON_TYPE, body: '{"query":"{ __typename }","variables":{"filter":{"__proto__":{"grade":"G5"}}}}' },
      400,
      'BAD_REQUEST',
    ],
    [
      "a constructor's prototype",
      { headers: JSON_TYPE, body: '{"query":"{ __typename }","variables":{"constructor":{"prototype":{"a":1}}}}' },
      400,
      'BAD_REQUEST',
    ],
    [
      'bytes that are no UTF-8',
      { headers: JSON_TYPE, body: Buffer.from('7b2271223a22ff227d', 'hex') },
      400,
      'BAD_REQUEST',
    ],
    ['a body that is a text', { headers: JSON_TYPE, body: '"x"' }, 400, 'BAD_REQUEST'],
    ['a query that is an object', { headers: JSON_TYPE, body: '{"query":{}}' }, 400, 'BAD_REQUEST'],
    [
      'variables that are a list',
      { headers: JSON_TYPE, body: '{"query":"{ __typename }","variables":[]}' },
      400,
      'BAD_REQUEST',
    ],
    [
      'variables that are a text',
      { headers: JSON_TYPE, body: '{"query":"{ __typename }","variables":"{}"}' },
      400,
      'BAD_REQUEST',
    ],
    ['a body of no type', { headers: {}, body: new Uint8Array(Buffer.from(ASK)) }, 415, 'BAD_REQUEST'],
    ['PUT', { method: 'PUT', headers: JSON_TYPE, body: ASK }, 405, 'BAD_REQUEST'],
  ])('%s', async (_what, init, status, code) => {
    const { url } = await serve();
    const answer = await answerOf(await send(url, init as RequestInit));
    expect({ status: answer.status, codes: answer.errors.map(({ extensions }) => extensions.code) }).toEqual({
      status,
      codes: [code],
    });
    expect(answer.data).toBeUndefined();
  });

  test.each([
    ['an unknown address', '/voyager', 404, 'NOT_FOUND'],
    ['a malformed address', '/%zz', 400, 'BAD_REQUEST'],
    ['a query in the address', '/graphql?query=%7B__typename%7D', 405, 'BAD_REQUEST'],
  ])('%s', async (_what, path, status, code) => {
    const { url } = await serve();
    const answer = await answerOf(await fetch(`${url}${path}`, { headers: { accept: 'text/html, application/json' } }));
    expect(answer).toMatchObject({ status, errors: [{ extensions: { code } }] });
  });

  test('a body over 256 kB, with the limit', async () => {
    const { url } = await serve();
    const { errors } = await answerOf(await send(url, { headers: JSON_TYPE, body: ' '.repeat(262_145) }));
    expect(errors.map(({ message }) => message)).toEqual(['the body is larger than 256 kB: send less at once']);
  });

  test('JSON in UTF-8 is accepted by any common name of the encoding', async () => {
    const { url } = await serve();
    for (const type of ['application/json', 'application/json; charset=UTF-8', 'application/json;charset="utf8"']) {
      const answer = await answerOf(await send(url, { headers: { 'content-type': type }, body: `\uFEFF${ASK}` }));
      expect(answer).toMatchObject({ status: 200, data: { __typename: 'Query' } });
    }
  });
});

describe('the sandbox and introspection', () => {
  const browser = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

  test('are available in development', async () => {
    const { url, post } = await serve();
    const page = await fetch(`${url}/graphql?sandbox`, browser);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('embeddable-sandbox');
    // From there operations are sent to its address.
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: ASK };
    expect((await fetch(`${url}/graphql?sandbox`, asked)).status).toBe(200);
    // It loads itself from elsewhere.
    expect(page.headers.get('content-security-policy')).toBeNull();
    const { status, data } = await post(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }));
    expect(status).toBe(200);
    expect(data.__schema.queryType.name).toBe('Query');
  });

  test('are not available in production', async () => {
    const { url, post } = await serve({}, { production: true });
    for (const path of ['/graphql', '/graphql?sandbox']) {
      expect((await fetch(`${url}${path}`, browser)).status).toBe(405);
    }
    for (const query of ['{ __schema { queryType { name } } }', '{ __type(name: "MistakeCard") { name } }']) {
      const { data, errors } = await post(query);
      expect(data).toBeUndefined();
      expect(errors[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    }
  });
});

describe('health', () => {
  test('is reported to supervisors', async () => {
    const { url } = await serve();
    const health = await fetch(`${url}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'alive' }]);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true, detail: { postgres: 'answers' } }]);
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    const text = await metrics.text();
    expect(text).toContain('errata_sql_statements_total 0');
    expect(text).toContain('process_cpu_seconds_total');
  });

  test('a failing readiness check is a 500 that does not show its cause', async () => {
    const gateway = await serve({}, { readiness: () => Promise.reject(new Error('password=hunter2')) });
    const reply = await fetch(`${gateway.url}/readyz`);
    expect(reply.status).toBe(500);
    expect(await reply.text()).not.toContain('hunter2');
    expect(JSON.stringify(gateway.logged)).toContain('hunter2');
  });
});

describe('listening', () => {
  test('on a port in use fails with one line that names it', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const failure = await startApi({}, { port }).catch((thrown: unknown) => thrown);
    holder.close();
    expect(failure).toBeInstanceOf(StartupError);
    expect(failure).toMatchObject({
      exitCode: 69,
      message: `port ${port} is taken: end the program that listens there, or set PORT`,
    });
  });

  test('can be checked before anything is started', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const address = { port, host: '127.0.0.1' };
    await expect(refuseTakenPort(address)).rejects.toMatchObject({ exitCode: 69 });
    holder.close();
    await once(holder, 'close');
    await refuseTakenPort(address);
    const gateway = await serve({}, address);
    expect(gateway.url).toBe(`http://127.0.0.1:${port}`);
  });

  test("on another machine's address fails with one line that names it", async () => {
    const failure = await startApi({}, { host: '192.0.2.1' }).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ exitCode: 78, message: '192.0.2.1 is not an address of this machine: set HOST' });
  });
});

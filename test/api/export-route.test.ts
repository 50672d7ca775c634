import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EVERYONE } from '../../src/access/authenticator.js';
import { asError, UnauthenticatedError, UnavailableError } from '../../src/domain/errors.js';
import type { ExportRequest } from '../../src/domain/parse/export.js';
import type { Caller, Viewer } from '../../src/domain/viewer.js';
import { EXPORT_LIMITS, exportRoute } from '../../src/http/export.js';
import { until } from '../support/until.js';
import { startApi, type TestApi } from './gateway.js';

const exporter = {
  export: async (_viewer: Viewer, { format }: ExportRequest) => ({
    contentType: `text/${format}; charset=utf-8`,
    fileName: `cards.${format}`,
    body: Readable.from(['a\r\n', 'b\r\n']),
    isEmpty: format === 'jsonl',
  }),
  template: (language: string) => Readable.from([`a workbook in ${language}`]),
};

let gateway: TestApi;
beforeEach(async () => {
  gateway = await startApi({}, { files: [exportRoute(exporter, EVERYONE)] });
});
afterEach(() => gateway.close());

function post(path: string, body: string, type: string): Promise<Response> {
  return fetch(gateway.url + path, { method: 'POST', headers: { 'content-type': type }, body });
}

describe('POST /export', () => {
  test('sends the file as an attachment, which browsers do not render', async () => {
    const response = await post('/export', '{"format": "csv"}', 'application/json');
    expect([response.status, await response.text()]).toEqual([200, 'a\r\nb\r\n']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="cards.csv"');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('says by a header that it has no card', async () => {
    const headerOf = async (format: string): Promise<string | null> =>
      (await post('/export', JSON.stringify({ format }), 'application/json')).headers.get('x-errata-empty');
    expect([await headerOf('jsonl'), await headerOf('csv')]).toEqual(['true', null]);
  });

  test('as HTML may use its own styles and fonts, but loads and runs nothing', async () => {
    const response = await post('/export', '{"format": "html"}', 'application/json');
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; font-src data:; frame-ancestors 'none'",
    );
  });

  test.each([
    ['an unknown format', { format: 'exe' }, 'format'],
    ['a PDF', { format: 'pdf' }, 'format'],
    ['a format that leads elsewhere', { format: '../csv' }, 'format'],
    ['an operator for a field', { format: 'csv', filter: { $and: [] } }, 'filter.$and'],
    ['an operator for a value', { format: 'csv', filter: { subject: { $ne: '' } } }, 'filter.subject'],
    ['the tenant as a field', { format: 'csv', tenant: 'other' }, 'tenant'],
    ['the owner as a filter', { format: 'csv', filter: { ownerId: 'amy' } }, 'filter.ownerId'],
    ['a malformed id', { format: 'csv', cardIds: ['a b'] }, 'cardIds[0]'],
    ['501 ids', { format: 'csv', cardIds: Array.from({ length: 501 }, (_, n) => `c${n}`) }, 'cardIds'],
    ['a NUL in the title', { format: 'html', title: 'a\0b' }, 'title'],
    ['nothing', null, ''],
  ])('refuses %s', async (_what, body, field) => {
    const response = await post('/export', JSON.stringify(body), 'application/json');
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { errors: [{ message: expect.stringMatching(/^[a-z]/), extensions: { code: 'BAD_USER_INPUT', field } }] },
    ]);
  });

  const AMY: Caller = { tenantId: 'north', ownerId: 'amy', role: 'teacher', scopes: ['read'] };
  test.each([
    ['has been revoked', () => Promise.reject(new UnauthenticatedError('the API key is not valid'))],
    ['has other rights', () => Promise.resolve({ ...AMY, role: 'student' as const })],
  ])('is cut off when its credential %s', async (_what, afterwards) => {
    await gateway.close();
    const body = new PassThrough();
    let authenticate = (): Promise<Caller> => Promise.resolve(AMY);
    const authenticator = { authenticate: () => authenticate() };
    const export_ = async () => ({ contentType: 'text/csv', fileName: 'cards.csv', body, isEmpty: false });
    const route = exportRoute({ ...exporter, export: export_ }, authenticator, 20);
    gateway = await startApi({}, { guard: { authenticator }, files: [route] });
    body.write('a');
    const reader = (await post('/export', '{"format":"csv"}', 'application/json')).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('a');
    authenticate = afterwards;
    await expect(reader?.read()).rejects.toThrow('terminated');
    expect(body.destroyed).toBe(true);
  });

  test('goes on while its credential cannot be checked', async () => {
    await gateway.close();
    const body = new PassThrough();
    let failures: number | null = null;
    const authenticate = async (): Promise<Caller> => {
      if (failures === null) return AMY;
      failures += 1;
      throw new UnavailableError('issuer', 'its keys cannot be fetched');
    };
    const export_ = async () => ({ contentType: 'text/csv', fileName: 'cards.csv', body, isEmpty: false });
    const route = exportRoute({ ...exporter, export: export_ }, { authenticate }, 10);
    gateway = await startApi({}, { guard: { authenticator: { authenticate } }, files: [route] });
    body.write('a');
    const response = await post('/export', '{"format":"csv"}', 'application/json');
    failures = 0;
    await until(async () => (failures ?? 0) >= 3, { deadlineMs: 30_000, what: 'three checks' });
    body.end('b');
    expect(await response.text()).toBe('ab');
  });

  test('is refused when its credential is revoked before the file begins', async () => {
    await gateway.close();
    let isRevoked = false;
    const authenticate = async (): Promise<Caller> => {
      if (isRevoked) throw new UnauthenticatedError('the API key is not valid');
      return AMY;
    };
    const never = (_viewer: Viewer, _request: ExportRequest, signal: AbortSignal): Promise<never> => {
      isRevoked = true;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(asError(signal.reason))));
    };
    const route = exportRoute({ ...exporter, export: never }, { authenticate }, 20);
    gateway = await startApi({}, { guard: { authenticator: { authenticate } }, files: [route] });
    const response = await post('/export', '{"format":"html"}', 'application/json');
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    ]);
  });

  test('beyond those that a viewer may have open is refused until one has been read or its client has gone', async () => {
    await gateway.close();
    const bodies: PassThrough[] = [];
    const export_ = async () => {
      const body = new PassThrough();
      body.write('a');
      bodies.push(body);
      return { contentType: 'text/csv', fileName: 'cards.csv', body, isEmpty: false };
    };
    gateway = await startApi({}, { files: [exportRoute({ ...exporter, export: export_ }, EVERYONE)] });
    /** A response that is not referenced may be closed, which frees its place. */
    const responses: Response[] = [];
    const begin = async (signal: AbortSignal | null = null): Promise<Response> => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"format":"csv"}',
        signal,
      };
      const response = await fetch(`${gateway.url}/export`, init);
      responses.push(response);
      return response;
    };
    const client = new AbortController();
    for (let n = 0; n < EXPORT_LIMITS.perViewer; n += 1)
      expect((await begin(n === 0 ? client.signal : null)).status).toBe(200);
    const refused = await begin();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
    const isFree = async (): Promise<boolean> => (await begin()).status === 200;
    client.abort();
    await until(isFree, { deadlineMs: 30_000, what: 'the place of the client that has gone' });
    for (const body of bodies) body.end();
    await until(isFree, { deadlineMs: 30_000, what: 'the place of an export that has been read' });
  });

  test('accepts only JSON, without a content encoding', async () => {
    expect((await post('/export', '{"format": "csv"}', 'text/plain')).status).toBe(415);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const packed = await fetch(`${gateway.url}/export`, { method: 'POST', headers, body: gzipSync('{}') });
    expect([packed.status, packed.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(await packed.text()).toContain('the content encoding gzip is not accepted');
  });
});

describe('GET /template.xlsx', () => {
  test.each([
    ['', 'zh'],
    ['?language=en', 'en'],
  ])('%s sends a workbook in %s', async (query, language) => {
    const reply = await fetch(`${gateway.url}/template.xlsx${query}`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/spreadsheetml/);
    expect(await reply.text()).toBe(`a workbook in ${language}`);
  });

  test('names an unknown language in the error', async () => {
    const reply = await fetch(`${gateway.url}/template.xlsx?language=fr`);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', field: 'language' } }],
    });
  });
});

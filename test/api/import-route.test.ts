import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FileToImport, type ImportJob, NO_COUNTS } from '../../src/domain/import.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { importRoute } from '../../src/http/import.js';
import { startApi, type TestApi } from './gateway.js';

const taken: { file: FileToImport; viewer: Viewer; bytes: number }[] = [];
let outcome: Partial<ImportJob> = {};

const importer = {
  async importFile(viewer: Viewer, file: FileToImport, body: AsyncIterable<Buffer>): Promise<ImportJob> {
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    taken.push({ file, viewer, bytes });
    return {
      ...NO_COUNTS,
      id: 'job-1',
      ...file,
      state: 'DONE',
      problem: null,
      notices: [],
      total: 0,
      createdAt: new Date(0),
      finishedAt: new Date(1),
      ...outcome,
    };
  },
};

let gateway: TestApi;
beforeEach(async () => {
  taken.length = 0;
  outcome = {};
  gateway = await startApi({}, { files: [importRoute(importer)] });
});
afterEach(() => gateway.close());

function post(path: string, body: string, type = 'text/csv'): Promise<Response> {
  return fetch(gateway.url + path, { method: 'POST', headers: { 'content-type': type }, body });
}

describe('POST /import', () => {
  test('streams the file to the importer, with its name, format and options', async () => {
    const response = await post('/import?name=a.b.CSV&onDuplicate=KEEP&dryRun=true', 'x'.repeat(300_000));
    expect([response.status, await response.json()]).toEqual([
      200,
      { importJob: expect.objectContaining({ id: 'job-1' }) },
    ]);
    expect(taken).toMatchObject([
      {
        bytes: 300_000,
        viewer: { tenantId: 'default' },
        file: { name: 'a.b.CSV', format: 'csv', options: { onDuplicate: 'KEEP', dryRun: true } },
      },
    ]);
  });

  test('answers 202 while the import runs, and 400 with the reason if the file was refused', async () => {
    outcome = { state: 'RUNNING', finishedAt: null };
    expect((await post('/import?name=a.csv', 'x')).status).toBe(202);
    outcome = { state: 'REFUSED', problem: 'row 7 is bad' };
    const refused = await post('/import?name=a.csv', 'x');
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        errors: [
          { message: 'file: row 7 is bad', extensions: { code: 'BAD_USER_INPUT', field: 'file', importJob: 'job-1' } },
        ],
      },
    ]);
  });

  test.each(['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', ''])(
    'refuses a body of the type "%s", which a page of another site could send without a preflight, and says how to send it',
    async (type) => {
      const response = await fetch(`${gateway.url}/import?name=a.csv`, {
        method: 'POST',
        headers: type === '' ? {} : { 'content-type': type },
        body: Buffer.from('x'),
      });
      expect(response.status).toBe(415);
      expect(response.headers.get('accept-post')).toContain('text/csv');
      const { errors } = (await response.json()) as { errors: readonly { message: string }[] };
      expect(errors[0]?.message).toContain(type === '' ? 'without a content type' : type.split(';')[0]);
      expect(errors[0]?.message).toContain("curl --data-binary @cards.csv -H 'content-type: application/octet-stream'");
      expect(taken).toEqual([]);
    },
  );

  test.each(['gzip', 'x-unknown', 'gzip, br'])('refuses the content encoding %s by name', async (encoding) => {
    for (const path of ['/import?name=a.csv', '/graphql']) {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      const response = await fetch(gateway.url + path, { method: 'POST', headers, body: gzipSync('{}') });
      expect([path, response.status, response.headers.get('accept-encoding')]).toEqual([path, 415, 'identity']);
      expect(await response.text()).toContain(`the content encoding ${encoding} is not accepted`);
    }
    const headers = { 'content-type': 'text/csv', 'content-encoding': 'identity' };
    const plain = await fetch(`${gateway.url}/import?name=a.csv`, { method: 'POST', headers, body: 'x' });
    expect(plain.status).toBe(200);
  });

  test("names the missing parameter with the file's name", async () => {
    const response = await post('/import', 'x');
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('such as cards.csv')]);
  });

  test('refuses a file whose declared size is too large before reading it', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'text/csv', 'content-length': String(200 * 1024 * 1024) };
      const sent = request(`${gateway.url}/import?name=a.csv`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.write('x');
    });
    expect([status, taken]).toEqual([413, []]);
  });

  test('stops reading a file of undeclared size once it is too large', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1;
        if (sent > 200) controller.close();
        else controller.enqueue(megabyte);
      },
    });
    const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body, duplex: 'half' };
    const response = await fetch(`${gateway.url}/import?name=a.csv`, init as RequestInit);
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] },
    ]);
    expect(taken).toEqual([]);
    expect(sent).toBeLessThan(200);
  });

  test('takes a mapping of 12 kB in Chinese', async () => {
    const names = Array.from({ length: 420 }, (_, place) => `第${place}种难度的名称`);
    const mapping = { values: { difficulty: Object.fromEntries(names.map((name) => [name, 1])) } };
    const json = JSON.stringify(mapping);
    expect(Buffer.byteLength(json)).toBeGreaterThan(12_000);
    expect((await post(`/import?name=a.csv&mapping=${encodeURIComponent(json)}`, 'x')).status).toBe(200);
    expect(taken[0]?.file.options.mapping).toMatchObject(mapping);
  });

  test.each([
    ['that is no JSON', '{"columns":', 'mapping'],
    ['that is a list', '[]', 'mapping'],
    ['with a key of its own', '{"colums":{}}', 'mapping.colums'],
    ['with a prototype', '{"__proto__":{"columns":{}}}', 'mapping.__proto__'],
    ['with a constructor', '{"constructor":{"prototype":{}}}', 'mapping.constructor'],
    ['to an unknown field', '{"columns":{"a":"tenantId"}}', 'mapping.columns.a'],
    ['that is 1,000 deep', `${'{"columns":'.repeat(1_000)}1${'}'.repeat(1_000)}`, 'mapping.columns.columns'],
    ['given twice', '{}&mapping={}', 'mapping'],
  ])('refuses a mapping %s', async (_what, mapping, field) => {
    const response = await post(`/import?name=a.csv&mapping=${mapping}`, 'x');
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { errors: [{ extensions: { code: 'BAD_USER_INPUT', field } }] },
    ]);
    expect(taken).toEqual([]);
  });

  test.each([
    ['?name=a.xls', /Excel 97/],
    ['?name=a.xlsm', /macros/],
    ['?name=a.pdf', /must end in/],
    ['?name=a.csv&onDuplicate=DROP', /onDuplicate/],
    ['?name=a.csv&mapping={', /not JSON/],
    ['?name=a.csv&other=x', /no such parameter/],
  ])('refuses the parameters %s', async (query, reason) => {
    const response = await post(`/import${query}`, 'x');
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(reason)]);
    expect(taken).toEqual([]);
  });

  test('without a body is refused, and GET is not found', async () => {
    expect((await fetch(`${gateway.url}/import?name=a.csv`, { method: 'POST' })).status).toBeGreaterThanOrEqual(400);
    expect((await fetch(`${gateway.url}/import?name=a.csv`)).status).toBe(404);
    expect(taken).toEqual([]);
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RateLimits } from '../../resolvers/requests/rate-limits.js';
import { FILE_TYPES, type FileContent, type FileType } from '../../src/domain/attachment.js';
import type { FileStore } from '../../src/domain/ports/files.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { AttachmentService } from '../../src/exchange/attachments.js';
import { attachmentRoutes } from '../../src/http/attachments.js';
import { imageOf, part } from '../support/images.js';
import { startApi, type TestApi } from './gateway.js';

const MAX_BYTES = 64 * 1024;
const stored: { viewer: Viewer; file: FileContent }[] = [];
const uploadedFiles: FileStore = {
  keep: async (viewer, file) => void stored.push({ viewer, file }),
  read: async (_viewer, sha256) => {
    const found = stored.find(({ file }) => file.sha256 === sha256)?.file;
    return found === undefined ? null : { contentType: found.contentType, content: Buffer.from(found.content) };
  },
  forget: async () => 0,
};
const log = { warn: () => undefined };

let gateway: TestApi;
const begin = async (maxTenantBytes = 2 ** 30, options: Parameters<typeof startApi>[1] = {}): Promise<void> => {
  const limits = { maxBytes: MAX_BYTES, maxTenantBytes, types: FILE_TYPES };
  const attachments = new AttachmentService({ uploadedFiles, limits, log });
  gateway = await startApi({}, { files: [attachmentRoutes(attachments)], ...options });
};
let usual: TestApi;
beforeAll(async () => {
  await begin();
  usual = gateway;
});
beforeEach(() => {
  stored.length = 0;
  gateway = usual;
});
afterEach(async () => {
  if (gateway !== usual) await gateway.close();
});
afterAll(() => usual.close());

const fileOf = (type: FileType, bytes = 1_000): Buffer =>
  type === 'application/pdf'
    ? Buffer.concat([Buffer.from('%PDF-1.7'), randomBytes(bytes)])
    : imageOf(type, { pixels: randomBytes(bytes) });

function upload(body: Uint8Array | string, type: string, query = ''): Promise<Response> {
  return fetch(`${gateway.url}/attachments${query}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: body as Uint8Array<ArrayBuffer>,
  });
}

async function problemOf(response: Response): Promise<readonly unknown[]> {
  const { errors } = (await response.json()) as { errors: { message: string; extensions: { code: string } }[] };
  return [response.status, errors[0]?.extensions.code, errors[0]?.message];
}

describe('POST /attachments', () => {
  test.each(FILE_TYPES)('stores a file of the type %s, and answers its digest and address', async (type) => {
    const content = fileOf(type);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const response = await upload(content, type, '?owner=amy');
    expect([response.status, await response.json()]).toEqual([
      201,
      { attachment: { sha256, contentType: type, bytes: content.length, url: `/attachments/${sha256}` } },
    ]);
    expect(stored).toMatchObject([{ viewer: { ownerId: 'amy', role: 'student' }, file: { sha256 } }]);
  });

  test.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml', 415],
    ['a page', '<!doctype html><script>alert(1)</script>', 'text/html', 415],
    ['a form', 'a=b', 'application/x-www-form-urlencoded', 415],
    ['a file without a type', 'x', '', 415],
    ['a page that is sent as an image', '<!doctype html><script>alert(1)</script>', 'image/png', 400],
    ['an SVG that is sent as an image', '<svg onload="alert(1)"/>          ', 'image/webp', 400],
    ['a GIF that is sent as a PNG', fileOf('image/gif'), 'image/png', 400],
    ['an archive that is sent as a PDF', 'PK\x03\x04%PDF-1.7', 'application/pdf', 400],
    ['a beginning alone', '\x89PN', 'image/png', 400],
    ['a part of an image', fileOf('image/jpeg').subarray(0, 500), 'image/jpeg', 400],
    ['an image of too many pixels', imageOf('image/png', { width: 60_000, height: 60_000 }), 'image/png', 400],
    ['zero bytes', Buffer.alloc(100), 'image/jpeg', 400],
    ['nothing', Buffer.alloc(0), 'image/jpeg', 400],
  ])('refuses %s', async (_what, body, type, status) => {
    const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
    const response = await upload(bytes, type);
    expect([response.status, stored]).toEqual([status, []]);
  });

  test('stores a photo without what the camera wrote into it, and answers the digest of what is stored', async () => {
    const place = part('image/jpeg', 0xe1, Buffer.from('Exif\0\0 taken at 22.5431N 114.0579E'));
    const pixels = randomBytes(1_000);
    const plain = imageOf('image/jpeg', { pixels });
    const response = await upload(imageOf('image/jpeg', { pixels, parts: [place] }), 'image/jpeg');
    const sha256 = createHash('sha256').update(plain).digest('hex');
    expect(await response.json()).toMatchObject({ attachment: { sha256, bytes: plain.length } });
    expect(stored.map(({ file }) => plain.equals(file.content))).toEqual([true]);
  });

  test('refuses a file that is too large, whether it says so or not', async () => {
    const large = fileOf('image/png', MAX_BYTES);
    expect(await problemOf(await upload(large, 'image/png'))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
      'the file is larger than 0.0625 MB: make it smaller',
    ]);
    const chunked = new ReadableStream({
      async pull(controller) {
        controller.enqueue(large);
      },
    });
    const unsaid = await fetch(`${gateway.url}/attachments`, {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: chunked,
      duplex: 'half',
    } as RequestInit);
    expect([unsaid.status, stored]).toEqual([413, []]);
  });

  test.each(['?owner=', '?owner=a%00b', `?owner=${'x'.repeat(201)}`, '?name=..%2F..%2Fetc', '?owner=a&owner=b'])(
    'refuses the parameters %s',
    async (query) => {
      const response = await upload(fileOf('image/png'), 'image/png', query);
      expect([response.status, stored]).toEqual([400, []]);
    },
  );

  test("answers 403 if the tenant's limit is 0", async () => {
    await begin(0);
    expect((await upload(fileOf('image/png'), 'image/png')).status).toBe(403);
  });

  test('is rate limited, with Retry-After', async () => {
    // The clock stands still: nothing is earned back, however long the uploads take.
    await begin(2 ** 30, { rates: new RateLimits({ perSecond: 1_000, atOnce: 1_000 }, () => 0) });
    const ask = () => upload(fileOf('image/gif', 10), 'image/gif');
    for (let n = 0; n < 40; n++) expect((await ask()).status).toBe(201);
    const refused = await ask();
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 1]);
  });
});

describe('GET /attachments/SHA256', () => {
  test('answers the bytes as they were sent, for one browser alone, and nothing that a browser would run', async () => {
    const content = fileOf('application/pdf');
    const { attachment } = (await (await upload(content, 'application/pdf')).json()) as { attachment: { url: string } };
    const response = await fetch(`${gateway.url}${attachment.url}`);
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, max-age=86400, immutable',
      vary: 'authorization',
    });
    expect(headers['content-disposition']).toMatch(/^attachment; filename="[0-9a-f]{16}\.pdf"$/);
  });

  test.each([
    ['0'.repeat(64), 404],
    ['..%2f..%2fetc%2fpasswd', 400],
    ['x', 400],
    [`${'0'.repeat(63)}%00`, 400],
  ])('answers %s with %i', async (name, status) => {
    const response = await fetch(`${gateway.url}/attachments/${name}`);
    expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'no-store']);
  });
});

import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { studioFolder } from '../../src/config/package-root.js';
import { studioRoutes } from '../../src/http/studio.js';
import { makeFolder } from '../support/folder.js';
import { serving, type TestOptions } from './gateway.js';

const serve = serving();

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

async function page(path: string, options: TestOptions = {}) {
  const gateway = await serve({}, { pages: true, ...options });
  const reply = await fetch(`${gateway.url}${path}`, { headers: { accept: BROWSER } });
  return { status: reply.status, text: await reply.text(), headers: reply.headers, url: gateway.url };
}

/** The script and style sheet that the page names. */
const filesOf = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, file]) => String(file));

describe('the studio', () => {
  test.each(['/', '/graphql'])('is served to browsers at %s, without inline scripts or styles', async (path) => {
    const { status, text, headers } = await page(path);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe(POLICY);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=|(?:src|href)="(?!\.\/)/);
  });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
    ['identity', (body: Buffer) => body],
  ] as const)(
    'has files that are sent as %s and kept for good, because their names change',
    async (encoding, unpack) => {
      const { text, url } = await page('/');
      const files = filesOf(text);
      expect(files.map((file) => file.replace(/^.*\./, ''))).toEqual(expect.arrayContaining(['js', 'css', 'svg']));
      for (const file of files) {
        expect(file).toMatch(/^studio\/[\w.-]+-[\w-]{8}\.(js|css|svg)$/);
        // fetch would unpack it.
        const { request } = await import('undici');
        const reply = await request(`${url}/${file}`, { headers: { 'accept-encoding': encoding } });
        const body = Buffer.from(await reply.body.arrayBuffer());
        expect(reply.statusCode).toBe(200);
        expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
        expect(reply.headers.vary).toBe('accept-encoding');
        expect(reply.headers['content-encoding']).toBe(encoding === 'identity' ? undefined : encoding);
        expect(unpack(body).length).toBeGreaterThanOrEqual(body.length);
      }
    },
  );

  test.each([
    ['br;q=0, gzip', 'gzip'],
    ['br; Q=0.000 , gzip;q=0.5', 'gzip'],
    ['gzip;q=0,br;q=0', undefined],
    ['gzip, br;q=0.1', 'br'],
    ['BR', 'br'],
  ])('answers Accept-Encoding: %s with %s', async (accepted, encoding) => {
    const { text, url } = await page('/');
    const { request } = await import('undici');
    const [file] = filesOf(text);
    const reply = await request(`${url}/${file}`, { headers: { 'accept-encoding': accepted } });
    await reply.body.dump();
    expect(reply.headers['content-encoding']).toBe(encoding);
  });

  test('serves no other file, neither the manifest nor files above its folder', async () => {
    const { url } = await page('/');
    for (const path of [
      'studio/',
      'studio/none.js',
      'studio/..%2fpackage.json',
      'studio/..%2f.made-from',
      'studio/%00',
    ]) {
      expect((await fetch(`${url}/${path}`)).status, path).toBeGreaterThanOrEqual(400);
    }
  });

  test('has the files of its page also after they were bundled again, under other names', async () => {
    const folder = await makeFolder('studio');
    await cp(studioFolder(), folder.path, { recursive: true });
    const http = fastify();
    await http.register(studioRoutes({ production: false, folder: folder.path })).ready();
    await folder.remove();
    for (const path of ['/', '/graphiql']) {
      const { body } = await http.inject({ url: path, headers: { accept: BROWSER } });
      expect(filesOf(body).length).toBeGreaterThan(1);
      for (const file of filesOf(body)) {
        const { statusCode, rawPayload } = await http.inject(`/${file}`);
        expect([statusCode, rawPayload.equals(await readFile(join(studioFolder(), file)))]).toEqual([200, true]);
      }
    }
    await http.close();
  });

  test('links only to existing documents', async () => {
    const { url } = await page('/');
    for (const file of ['README.md', 'README.zh-CN.md', 'docs/search.md', 'docs/zh-CN/search.md']) {
      const reply = await fetch(`${url}/${file}`);
      expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await reply.text()).toMatch(/^# /);
    }
  });

  test('has GraphiQL beside it, with the same policy', async () => {
    const { status, text, headers } = await page('/graphiql');
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe(POLICY);
    expect(filesOf(text).length).toBeGreaterThan(1);
  });

  test('in production is served without GraphiQL or a link to it', async () => {
    const { status, text, url } = await page('/', { production: true });
    expect(status).toBe(200);
    expect(text).not.toContain('data-graphiql');
    expect((await fetch(`${url}/graphiql`, { headers: { accept: BROWSER } })).status).toBe(404);
  });

  test('is not served to programs, which get 404 or are told to use POST', async () => {
    const { url } = await page('/');
    for (const [path, status, code] of [
      ['/', 404, 'NOT_FOUND'],
      ['/graphql', 405, 'BAD_REQUEST'],
    ] as const) {
      const reply = await fetch(`${url}${path}`, { headers: { accept: '*/*' } });
      expect(reply.status).toBe(status);
      expect(await reply.json()).toMatchObject({ errors: [{ extensions: { code } }] });
    }
  });
});

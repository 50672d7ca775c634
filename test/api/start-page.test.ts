import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway, type TestOptions } from './gateway.js';

let gateway: TestGateway | undefined;
afterEach(() => gateway?.close());

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function page(
  path: string,
  { language = 'en', ...options }: TestOptions & { readonly language?: string } = {},
): Promise<{ readonly text: string; readonly headers: Headers; readonly url: string }> {
  gateway = await startGateway({}, options);
  const headers = { accept: BROWSER, 'accept-language': language };
  const reply = await fetch(`${gateway.url}${path}`, { headers });
  expect(reply.status).toBe(200);
  return { text: await reply.text(), headers: reply.headers, url: gateway.url };
}

describe('the page at / and /graphql', () => {
  test.each(['/', '/graphql'])(
    'at %s says what this is, and links to the sandbox, the documents and the health',
    async (path) => {
      const { text, url } = await page(path);
      expect(text).toContain('<html lang="en">');
      expect(text).toContain('mistake notes');
      const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, href]) => String(href));
      expect(links).toEqual(expect.arrayContaining(['graphql?sandbox', 'README.md', 'docs/search.md', 'readyz']));
      for (const link of links) {
        expect((await fetch(`${url}/${link}`, { headers: { accept: BROWSER } })).status).toBe(200);
      }
      expect(await (await fetch(`${url}/README.md`)).text()).toMatch(/^# Errata/);
    },
  );

  test('shows a query to paste that the API understands', async () => {
    const { text, url } = await page('/');
    const [, command = ''] = /<pre>(.+)<\/pre>/s.exec(text) ?? [];
    const [, address, body] = /^curl (\S+) -H 'content-type: application\/json' -d '([^']+)'$/.exec(command) ?? [];
    expect(address).toBe(`${url}/graphql`);
    const answer = await gateway?.post(JSON.parse(body ?? '').query);
    // Understood and run: there is no search behind this gateway.
    expect(answer?.errors.map(({ extensions }) => extensions.code)).toEqual(['INTERNAL']);
  });

  test('loads nothing and runs nothing, by its policy and in fact', async () => {
    const { text, headers } = await page('/');
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(text).not.toMatch(/<script|<link|<img|<iframe|src=|style=|href="http/);
  });

  test.each([
    ['zh-CN,zh;q=0.9,en;q=0.8', 'zh-CN'],
    ['en-US,en;q=0.9,zh;q=0.8', 'en'],
    ['en;q=0.5, zh-TW', 'zh-CN'],
    ['fr, zh;q=0.4', 'zh-CN'],
    ['fr', 'en'],
    ['zh;q=0', 'en'],
    ['', 'en'],
  ])('to a browser that asks for "%s" is in %s', async (asked, language) => {
    const { text, headers } = await page('/', { language: asked });
    expect(headers.get('content-language')).toBe(language);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text.includes('检索错题')).toBe(language === 'zh-CN');
    expect(text).toContain(language === 'zh-CN' ? '"docs/zh-CN/search.md"' : '"docs/search.md"');
  });

  test('in production is there without an example or the sandbox', async () => {
    const { text } = await page('/', { production: true });
    expect(text).toContain('"readyz"');
    expect(text).not.toMatch(/sandbox|curl/i);
  });

  test('is not for programs: they are told that there is nothing, or to send by POST', async () => {
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

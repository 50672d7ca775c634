/**
 * Serves the app, and forwards `/graphql` to Errata with the student's token.
 *
 * The token stays here because whoever has it is that student for as long as it is valid: in the browser it would be open to
 * every script of the page. An app with many students looks up the token of the session at `tokenOf`.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const { ERRATA_URL = 'http://127.0.0.1:4000/graphql', ERRATA_TOKEN, PORT = '4100' } = process.env;
const MAX_BODY_BYTES = 200_000;
const DEADLINE_MS = 20_000;

const tokenOf = (_request) => ERRATA_TOKEN;

/** Where files are, by the beginning of their path. */
const FOLDERS = [
  ['/preact/', new URL('.', import.meta.resolve('preact'))],
  ['/preact-hooks/', new URL('.', import.meta.resolve('preact/hooks'))],
  ['/katex/', new URL('.', import.meta.resolve('katex'))],
  ['/', new URL('./public/', import.meta.url)],
];
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const index = await readFile(new URL('./public/index.html', import.meta.url), 'utf8');
const importMap = /<script type="importmap">([\s\S]*?)<\/script>/.exec(index)?.[1] ?? '';
const HEADERS = {
  'content-security-policy': `default-src 'self'; script-src 'self' 'sha256-${createHash('sha256').update(importMap).digest('base64')}'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    if (!/^(ECONNRESET|ERR_STREAM_)/.test(error.code)) console.error(error); // not if the browser has gone
    if (!response.headersSent) answer(response, 502, { errors: [{ message: 'Errata cannot be reached.' }] });
    else response.destroy();
  });
});

async function handle(request, response) {
  const { pathname } = new URL(request.url ?? '/', 'http://app');
  if (pathname === '/graphql') return forward(request, response);
  const [prefix, folder] = FOLDERS.find(([start]) => pathname.startsWith(String(start))) ?? ['', ''];
  // A URL has no `..` left, and its type must be one of ours: nothing outside of the folders is read.
  const file = new URL(`./${pathname === '/' ? 'index.html' : pathname.slice(String(prefix).length)}`, folder);
  const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(file.pathname))];
  const body = type && file.href.startsWith(String(folder)) ? await readFile(file).catch(() => null) : null;
  if (!body) return answer(response, 404, { errors: [{ message: 'There is no such file.' }] });
  response.writeHead(200, { ...HEADERS, 'content-type': type }).end(body);
}

async function forward(request, response) {
  // Another site can make a browser send forms here, and rebind its name to this address: neither gets past these two.
  const { host = '', origin, 'idempotency-key': key } = request.headers;
  const json = request.headers['content-type']?.startsWith('application/json');
  const local = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host) && (!origin || origin === `http://${host}`);
  if (request.method !== 'POST' || !json || !local) return answer(response, 403, { errors: [{ message: 'Refused.' }] });
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return answer(response, 413, { errors: [{ message: 'The request is too large.' }] });
    chunks.push(chunk);
  }
  const token = tokenOf(request);
  const credential = token && { authorization: `Bearer ${token}` };
  const answered = await fetch(ERRATA_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credential, ...(key && { 'idempotency-key': key }) },
    body: Buffer.concat(chunks),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  response.writeHead(answered.status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  if (answered.body) await pipeline(Readable.fromWeb(/** @type {any} */ (answered.body)), response);
  else response.end();
}

function answer(response, status, body) {
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(body));
}

server.listen(Number(PORT), '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`study app on http://127.0.0.1:${address.port}/, with Errata at ${ERRATA_URL}`);
});

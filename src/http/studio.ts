import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { nothingHere } from './errors.js';

/** Allows resources of this origin only, and no inline scripts or styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** File names contain a hash of the contents. */
const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** In order of preference. */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

/** The quality 0. */
const REFUSED = /;\s*q\s*=\s*0(\.0*)?\s*$/;

export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false;
}

/**
 * The studio at `/` and, except in production, GraphiQL at `/graphiql`, as bundled in `folder`; their files below
 * `/studio/` are sent precompressed. No authentication: the API decides what a viewer may see.
 */
export function studioRoutes({
  production,
  folder,
}: {
  readonly production: boolean;
  readonly folder: string;
}): FastifyPluginAsync {
  return async (http) => {
    const open = { config: { open: true } } as const;
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    // Tells the page, which cannot ask the API, whether to link to GraphiQL.
    const studio = production ? page : page.replace('<html ', '<html data-graphiql ');
    http.get('/', open, async (request, reply) => {
      if (!wantsPage(request)) throw nothingHere();
      return sendPage(reply, studio);
    });
    if (!production) {
      const graphiql = await readFile(join(folder, 'graphiql.html'), 'utf8');
      http.get('/graphiql', open, async (_, reply) => sendPage(reply, graphiql));
    }
    // In memory, 4 MB: their names change when the studio is bundled again, and this page names those of now.
    const files = new Map(
      await Promise.all(
        (await readdir(join(folder, 'studio'))).map(
          async (name) => [name, await readFile(join(folder, 'studio', name))] as const,
        ),
      ),
    );
    http.get<{ Params: { name: string } }>('/studio/:name', open, async ({ params: { name }, headers }, reply) => {
      const type = TYPES[extname(name)];
      if (type === undefined || !files.has(name)) throw nothingHere();
      const accepted = acceptedEncodings(headers['accept-encoding'] ?? '');
      const encoding = ENCODINGS.find((one) => accepted.has(one.name) && files.has(name + one.ending));
      if (encoding !== undefined) reply.header('content-encoding', encoding.name);
      return reply
        .headers({ 'cache-control': IMMUTABLE_CACHE, vary: 'accept-encoding' })
        .type(type)
        .send(files.get(name + (encoding?.ending ?? '')));
    });
  };
}

/** The names in an Accept-Encoding header without those of quality 0, which are refused. */
function acceptedEncodings(header: string): ReadonlySet<string> {
  const accepted = header
    .toLowerCase()
    .split(',')
    .filter((one) => !REFUSED.test(one));
  return new Set(accepted.map((one) => one.replace(/;.*/, '').trim()));
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .headers({ 'content-security-policy': POLICY, vary: 'accept' })
    .type('text/html; charset=utf-8')
    .send(html);
}

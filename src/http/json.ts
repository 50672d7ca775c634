import type { FastifyInstance } from 'fastify';
import { RefusedRequest } from './errors.js';

/**
 * Accepts only JSON bodies in UTF-8. Invalid UTF-8 is refused: Node would replace it, and a card would be stored
 * differently than it was sent.
 */
export function acceptJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
    if (!/^utf-?8$/i.test(charset)) {
      return done(new RefusedRequest(415, 'BAD_REQUEST', 'the body must be in UTF-8'), undefined);
    }
    const text = decode(body);
    if (text === undefined)
      return done(new RefusedRequest(400, 'BAD_REQUEST', 'the body is not valid UTF-8'), undefined);
    return parseJson(request, text, done);
  });
}

function decode(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** Refuses compressed bodies: their size is only known after unpacking, and few clients send any. */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding'];
    if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
    const message = `a body with the content encoding ${encoding.slice(0, 100)} is not accepted: send it as it is`;
    throw new RefusedRequest(415, 'BAD_REQUEST', message, { 'accept-encoding': 'identity' });
  });
}

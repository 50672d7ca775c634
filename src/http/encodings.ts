import type { FastifyInstance } from 'fastify';
import { RefusedRequest } from './errors.js';

/** Refuses compressed bodies: their size is only known after unpacking, and few clients send any. */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding'];
    if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
    const message = `a body with the content encoding ${encoding.slice(0, 100)} is not accepted: send it as it is`;
    throw new RefusedRequest(415, 'BAD_REQUEST', message, { 'accept-encoding': 'identity' });
  });
}

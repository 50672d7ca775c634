import type { FastifyReply } from 'fastify';
import { ClientGoneError } from '../domain/errors.js';

/** Aborts when the connection is closed, or the reply has been sent. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new ClientGoneError()));
  return gone.signal;
}

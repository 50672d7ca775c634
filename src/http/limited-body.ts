import type { FastifyRequest } from 'fastify';
import { BadInputError, ClientGoneError } from '../domain/errors.js';
import { RefusedRequest } from './errors.js';

/**
 * Streams a body that was not parsed. RefusedRequest (413) as soon as it is too large, ClientGoneError if the client
 * disconnects.
 */
export async function* limitedBody(
  { body, headers, raw }: FastifyRequest,
  maxBytes: number,
  advice: string,
): AsyncGenerator<Buffer> {
  const tooLarge = (): RefusedRequest =>
    new RefusedRequest(413, 'PAYLOAD_TOO_LARGE', `the file is larger than ${maxBytes / 2 ** 20} MB: ${advice}`);
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  if (body === undefined || body === null) throw new BadInputError('file', 'must be the body of the request');
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      yield chunk;
    }
  } catch (thrown) {
    if (thrown instanceof RefusedRequest || raw.complete || !raw.destroyed) throw thrown;
    throw new ClientGoneError();
  }
}

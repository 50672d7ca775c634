import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
    // If this stops early, the request stays open: destroyed, it would no longer know the connection of its response.
    for await (const chunk of (body as Readable).iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      yield chunk;
    }
  } catch (thrown) {
    if (thrown instanceof RefusedRequest || !raw.destroyed) throw thrown;
    throw new ClientGoneError();
  }
}

/** Aborts when the connection is closed, or the reply has been sent. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new ClientGoneError()));
  return gone.signal;
}

/** Lets the socket of a long response idle for `ms`. */
export function allowIdle({ raw, request }: FastifyReply, ms: number): void {
  // The response of a pipelined request has no socket yet.
  const { socket } = request.raw;
  const usualMs = socket.timeout ?? 0;
  socket.setTimeout(ms);
  raw.once('close', () => {
    // After a response that keeps the connection, Node has already set the keep-alive timeout.
    if (socket.timeout === ms) socket.setTimeout(usualMs);
  });
}

/** The declared type of a body, without parameters and in lower case; empty if there is none. */
export function contentTypeOf({ headers }: FastifyRequest): string {
  const [type = ''] = (headers['content-type'] ?? '').slice(0, 200).split(';');
  return type.trim().toLowerCase();
}

/**
 * Leaves bodies of these types unparsed, which pages of other sites cannot send unasked. RefusedRequest (415) for those
 * of other types.
 */
export function acceptFiles(http: FastifyInstance, types: readonly string[], example?: string): void {
  http.removeAllContentTypeParsers();
  http.addContentTypeParser([...types], (_request, payload, done) => done(null, payload));
  http.addContentTypeParser('*', (request, _payload, done) => done(refusedType(request, types, example), undefined));
}

/** RefusedRequest (415) for a body of another type than `types`. */
export function refusedType(request: FastifyRequest, types: readonly string[], example = ''): RefusedRequest {
  const type = contentTypeOf(request);
  const given = type === '' ? 'a body without a content type' : `the content type ${type}`;
  const accepted = types.join(', ');
  const advice = `send the file itself as the body, with one of ${accepted}${example}`;
  const message = `POST ${request.routeOptions.url} does not accept ${given}: ${advice}`;
  return new RefusedRequest(415, 'BAD_REQUEST', message, { 'accept-post': accepted });
}

/** BadInputError for a parameter of the address that is none of `names`. */
export function refuseOtherParameters(query: object, names: readonly string[]): void {
  const unknown = Object.keys(query).find((key) => !names.includes(key));
  if (unknown !== undefined) throw new BadInputError(unknown, 'there is no such parameter');
}

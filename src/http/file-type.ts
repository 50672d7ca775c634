import type { FastifyRequest } from 'fastify';
import { RefusedRequest } from './errors.js';

/** The declared type of a body, without parameters and in lower case; empty if there is none. */
export function contentTypeOf({ headers }: FastifyRequest): string {
  const [type = ''] = (headers['content-type'] ?? '').slice(0, 200).split(';');
  return type.trim().toLowerCase();
}

/** RefusedRequest (415) for a body of another type than `types`, which pages of other sites cannot send unasked. */
export function refusedType(request: FastifyRequest, types: readonly string[], example = ''): RefusedRequest {
  const type = contentTypeOf(request);
  const given = type === '' ? 'a body without a content type' : `the content type ${type}`;
  const accepted = types.join(', ');
  const advice = `send the file itself as the body, with one of ${accepted}${example}`;
  const message = `POST ${request.routeOptions.url} does not accept ${given}: ${advice}`;
  return new RefusedRequest(415, 'BAD_REQUEST', message, { 'accept-post': accepted });
}

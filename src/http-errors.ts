import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ErrataError } from './errors.js';

/** A request that is turned down before GraphQL sees it. */
export class RefusedRequest extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly extensions: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'RefusedRequest';
  }
}

/** The status of an error that may cross the API, by its code. */
const STATUSES: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  UNAVAILABLE: 503,
};

/** An error of ours as the refusal of a request; any other error as it is. */
export function refusal(error: unknown): unknown {
  if (!(error instanceof ErrataError)) return error;
  const status = STATUSES[error.code];
  return status === undefined ? error : new RefusedRequest(status, error.code, error.message, {}, error.extensions);
}

/** Where the HTTP server writes what clients may not see. */
export interface HttpLog {
  error(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** What Fastify's own refusals mean for a client, by status; the texts of Fastify name its internals. */
const REFUSALS: Readonly<Record<number, { readonly code: string; readonly message: string }>> = {
  400: { code: 'BAD_REQUEST', message: 'the body is not valid JSON in UTF-8, or the request is malformed' },
  404: { code: 'NOT_FOUND', message: 'there is nothing at this address' },
  413: { code: 'PAYLOAD_TOO_LARGE', message: 'the body is too large' },
  414: { code: 'BAD_REQUEST', message: 'the address is too long' },
  415: { code: 'BAD_REQUEST', message: 'the body must be JSON in UTF-8, with the content type application/json' },
};

/** Sends any failure of the HTTP layer in the shape in which GraphQL clients read errors. */
export function errorReply(log: HttpLog) {
  return (error: FastifyError | RefusedRequest, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof RefusedRequest) {
      const { status, code, message, headers, extensions } = error;
      return reply
        .code(status)
        .headers(headers)
        .send(graphqlErrors(message, { ...extensions, code }));
    }
    const { statusCode = 500 } = error;
    const refusal = REFUSALS[statusCode];
    if (refusal !== undefined) {
      return reply.code(statusCode).send(graphqlErrors(refusal.message, { code: refusal.code }));
    }
    const errorId = crypto.randomUUID();
    log.error({ err: error, errorId, method: request.method, url: request.url }, 'a request failed in the HTTP layer');
    return reply.code(500).send(graphqlErrors(`internal error ${errorId}`, { code: 'INTERNAL', errorId }));
  };
}

function graphqlErrors(message: string, extensions: Readonly<Record<string, unknown>>): object {
  return { errors: [{ message, extensions }] };
}

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ClientGoneError, ErrataError, RateLimitedError } from '../domain/errors.js';
import type { Log } from '../domain/ports/log.js';

/** A request refused before GraphQL. */
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

/** Limit of a body: a card with four full texts has 64 kB, and twice that if Chinese is escaped as \u9898. */
export const MAX_BODY_BYTES = 256 * 1024;

/** Answers to Fastify's own errors, by status; Fastify's messages name its internals. */
const REFUSALS: Readonly<Record<number, { readonly code: string; readonly message: string }>> = {
  400: { code: 'BAD_REQUEST', message: 'the body is not valid JSON in UTF-8, or the request is malformed' },
  404: { code: 'NOT_FOUND', message: 'there is nothing at this address' },
  413: { code: 'PAYLOAD_TOO_LARGE', message: `the body is larger than ${MAX_BODY_BYTES / 1024} kB: send less at once` },
  414: { code: 'BAD_REQUEST', message: 'the address is too long' },
  415: { code: 'BAD_REQUEST', message: 'the body must be JSON in UTF-8, with the content type application/json' },
};

export function nothingHere(): RefusedRequest {
  return new RefusedRequest(404, 'NOT_FOUND', 'there is nothing at this address');
}

/** HTTP status by error code, before GraphQL and on other routes. */
const STATUSES: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: 400,
  TOO_COMPLEX: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  RESOURCE_EXHAUSTED: 503,
  DEADLINE_EXCEEDED: 504,
};

/** As nginx logs it. */
const CLIENT_GONE_STATUS = 499;

/** HTTP status of an error; undefined for an internal one. */
export function statusOf({ code }: ErrataError): number | undefined {
  return STATUSES[code];
}

export function errorReply(log: Pick<Log, 'error' | 'warn'>) {
  return (
    error: FastifyError | RefusedRequest | ErrataError | ClientGoneError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply => {
    const noted = (code: string, errorIds: readonly string[] = []): void => {
      request.facts = { ...request.facts, codes: [code], errorIds };
    };
    if (error instanceof RefusedRequest) {
      noted(error.code);
      const { status, code, message, headers, extensions } = error;
      return reply
        .code(status)
        .headers(headers)
        .send(graphqlErrors(message, { ...extensions, code }));
    }
    const status = error instanceof ErrataError ? statusOf(error) : undefined;
    if (error instanceof ErrataError && status !== undefined) {
      noted(error.code);
      if (status === 401) reply.header('www-authenticate', 'Bearer');
      if (error instanceof RateLimitedError) reply.header('retry-after', Math.ceil(error.retryAfterMs / 1_000));
      return reply.code(status).send(graphqlErrors(error.message, { ...error.extensions, code: error.code }));
    }
    if (error instanceof ClientGoneError) {
      noted(error.code);
      return reply.code(CLIENT_GONE_STATUS).send(graphqlErrors(error.message, { code: error.code }));
    }
    const { statusCode = 500 } = error as FastifyError;
    const refusal = REFUSALS[statusCode];
    if (refusal !== undefined) {
      noted(refusal.code);
      return reply.code(statusCode).send(graphqlErrors(refusal.message, { code: refusal.code }));
    }
    const errorId = crypto.randomUUID();
    noted('INTERNAL', [errorId]);
    log.error(
      { err: error, errorId, requestId: request.id, method: request.method, route: request.routeOptions.url },
      'a request failed in the HTTP layer',
    );
    return reply.code(500).send(graphqlErrors(`internal error ${errorId}`, { code: 'INTERNAL', errorId }));
  };
}

function graphqlErrors(message: string, extensions: Readonly<Record<string, unknown>>): object {
  return { errors: [{ message, extensions }] };
}

/** Errors of Node's HTTP parser; any other one means that the bytes are not HTTP. */
const PROBLEMS: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request did not arrive in time' },
  HPE_INVALID_URL: { status: 400, message: 'the address must be percent-encoded (curl: --url-query)' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the headers are too large' },
};
const MALFORMED = { status: 400, message: 'the request is malformed' };

/** Answers a malformed request with a GraphQL error, and closes its connection. */
export function refuseClientError(error: { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, message } = PROBLEMS[error.code ?? ''] ?? MALFORMED;
  const body = JSON.stringify(graphqlErrors(message, { code: 'BAD_REQUEST' }));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** One answered search of a request. Times are in ms since 1970 and in ms. */
export interface SearchFacts {
  readonly operation: string;
  readonly startedMs: number;
  readonly tookMs: number;
  readonly stages: readonly { readonly stage: string; readonly tookMs: number }[];
  /** The parts that it had to do without. */
  readonly degraded: readonly string[];
}

/** What is known of a request without any of its contents: nothing that a student wrote is among it. */
export interface RequestFacts {
  /** The fields of the operation's root. */
  fields: readonly string[];
  /** The codes of its errors. */
  codes: readonly string[];
  /** The ids under which causes were logged that the client may not see. */
  errorIds: readonly string[];
  searches: readonly SearchFacts[];
}

/** The facts of a request of which nothing is known yet. */
export function noFacts(): RequestFacts {
  return { fields: [], codes: [], errorIds: [], searches: [] };
}

/** A request that was answered. Times are in ms since 1970 and in ms. */
export interface AnsweredRequest {
  readonly id: string;
  readonly method: string;
  /** The route that it found; `none` where that is none. */
  readonly route: string;
  readonly status: number;
  readonly startedMs: number;
  readonly tookMs: number;
  /** By which the caller says to which trace the request belongs. */
  readonly traceparent: string | undefined;
  readonly facts: RequestFacts;
}

declare module 'fastify' {
  interface FastifyRequest {
    facts: RequestFacts;
  }
}

/** Where requests are written down and counted. */
export interface RequestLog {
  info(facts: object, message: string): void;
}

/** Hears of each answered request. */
export type OnAnswered = (request: AnsweredRequest) => void;

/** An id that a proxy gave; any other is replaced, because it goes into every log line. */
const GIVEN_ID = /^[\w.:-]{1,64}$/;

/** The id of a request: the one that a proxy has given it as X-Request-Id, else a new one. */
export function requestId({ headers }: { readonly headers: FastifyRequest['raw']['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && GIVEN_ID.test(given) ? given : randomUUID();
}

/** Writes one line a request, sends its id with the answer, and tells `onAnswered`. Requests of `quiet` routes are no lines. */
export function logRequests(
  app: FastifyInstance,
  {
    log,
    onAnswered,
    quiet,
  }: { readonly log: RequestLog; readonly onAnswered: OnAnswered; readonly quiet: ReadonlySet<string> },
): void {
  app.decorateRequest('facts');
  app.addHook('onRequest', async (request, reply) => {
    request.facts = noFacts();
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const answered = answeredRequest(request, reply);
    onAnswered(answered);
    if (!quiet.has(answered.route)) log.info(lineOf(answered), 'a request was answered');
  });
}

function answeredRequest(request: FastifyRequest, reply: FastifyReply): AnsweredRequest {
  const { traceparent } = request.headers;
  return {
    id: request.id,
    method: request.method,
    route: request.routeOptions.url ?? 'none',
    status: reply.statusCode,
    startedMs: Date.now() - reply.elapsedTime,
    tookMs: reply.elapsedTime,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    facts: request.facts,
  };
}

function lineOf({ id, method, route, status, tookMs, facts }: AnsweredRequest): object {
  const { fields, codes, errorIds } = facts;
  return {
    requestId: id,
    method,
    route,
    status,
    tookMs: Math.round(tookMs * 10) / 10,
    ...(fields.length > 0 && { fields }),
    ...(codes.length > 0 && { codes }),
    ...(errorIds.length > 0 && { errorIds }),
  };
}

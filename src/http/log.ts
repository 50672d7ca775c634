import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../domain/ports/log.js';

/** One answered search of a request. Times are in ms since 1970 and in ms. */
export interface SearchFacts {
  readonly operation: string;
  readonly startedMs: number;
  readonly tookMs: number;
  readonly stages: readonly { readonly stage: string; readonly tookMs: number }[];
  readonly degraded: readonly string[];
}

/** Facts of a request that are logged; none of its contents is among them. */
export interface RequestFacts {
  /** The fields of the operation's root. */
  fields: readonly string[];
  codes: readonly string[];
  errorIds: readonly string[];
  searches: readonly SearchFacts[];
}

export function noFacts(): RequestFacts {
  return { fields: [], codes: [], errorIds: [], searches: [] };
}

export function noteSearch(facts: RequestFacts, operation: string, startedMs: number, receipt: NotedReceipt): void {
  const { tookMs, stages, degraded } = receipt;
  const search = { operation, startedMs, tookMs, stages, degraded: degraded.map(({ part }) => part) };
  facts.searches = [...facts.searches, search];
}

type NotedReceipt = Pick<SearchFacts, 'tookMs' | 'stages'> & {
  readonly degraded: readonly { readonly part: string }[];
};

/** A request that was answered. Times are in ms since 1970 and in ms. */
export interface AnsweredRequest {
  readonly id: string;
  readonly method: string;
  /** The matched route, or `none`. */
  readonly route: string;
  readonly status: number;
  readonly startedMs: number;
  readonly tookMs: number;
  readonly traceparent: string | undefined;
  readonly facts: RequestFacts;
}

declare module 'fastify' {
  interface FastifyRequest {
    facts: RequestFacts;
  }
}

export type OnAnswered = (request: AnsweredRequest) => void;

/** Accepted ids of a proxy; others are replaced, because the id is in every log line. */
const GIVEN_ID = /^[\w.:-]{1,64}$/;

/** The id of a request: X-Request-Id if a proxy has set it, otherwise a new one. */
export function requestId({ headers }: { readonly headers: FastifyRequest['raw']['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && GIVEN_ID.test(given) ? given : randomUUID();
}

/**
 * Logs one line for each request, returns its id to the client, and calls `onAnswered`. Requests of `quiet` routes are
 * not logged.
 */
export function logRequests(
  app: FastifyInstance,
  {
    log,
    onAnswered,
    quiet,
  }: { readonly log: Pick<Log, 'info'>; readonly onAnswered: OnAnswered; readonly quiet: ReadonlySet<string> },
): void {
  app.decorateRequest('facts');
  app.addHook('onRequest', async (request, reply) => {
    request.facts = noFacts();
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const answered = answeredRequest(request, reply);
    onAnswered(answered);
    if (!quiet.has(answered.route)) log.info(lineOf(answered), 'request completed');
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

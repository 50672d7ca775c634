import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What is known of a request without any of its contents: nothing that a student wrote is among it. */
export interface RequestFacts {
  /** The fields of the operation's root. */
  fields: readonly string[];
  /** The codes of its errors. */
  codes: readonly string[];
  /** The ids under which causes were logged that the client may not see. */
  errorIds: readonly string[];
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

/** Counts an answered request. */
export type CountRequest = (route: string, status: number, seconds: number) => void;

/** An id that a proxy gave; any other is replaced, because it goes into every log line. */
const GIVEN_ID = /^[\w.:-]{1,64}$/;

/** The id of a request: the one that a proxy has given it as X-Request-Id, else a new one. */
export function requestId({ headers }: { readonly headers: FastifyRequest['raw']['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && GIVEN_ID.test(given) ? given : randomUUID();
}

/** Writes one line a request, and sends its id with the answer. Requests of `quiet` routes are counted alone. */
export function logRequests(
  app: FastifyInstance,
  {
    log,
    count,
    quiet,
  }: { readonly log: RequestLog; readonly count: CountRequest; readonly quiet: ReadonlySet<string> },
): void {
  app.decorateRequest('facts');
  app.addHook('onRequest', async (request, reply) => {
    request.facts = { fields: [], codes: [], errorIds: [] };
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    count(route, reply.statusCode, reply.elapsedTime / 1_000);
    if (!quiet.has(route)) log.info(factsOf(request, reply, route), 'a request was answered');
  });
}

function factsOf(request: FastifyRequest, reply: FastifyReply, route: string): object {
  const { fields, codes, errorIds } = request.facts;
  return {
    requestId: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    tookMs: Math.round(reply.elapsedTime * 10) / 10,
    ...(fields.length > 0 && { fields }),
    ...(codes.length > 0 && { codes }),
    ...(errorIds.length > 0 && { errorIds }),
  };
}

import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { parseRequestKey } from '../src/domain/parse/scalars.js';
import { deadlinesOf } from '../src/http/deadlines.js';
import { RefusedRequest } from '../src/http/errors.js';
import { callerOf } from '../src/http/guard.js';
import { wantsPage } from '../src/http/studio.js';
import { type Context, type ContextParts, createContext } from './context.js';
import { refuseLargeDocument } from './requests/limits.js';
import { refuseUnknownOnError } from './requests/on-error.js';
import { type OperationList, onlyListed } from './requests/persisted-operations.js';

const PATH = '/graphql';

/** Apollo Sandbox sends operations to the address of its page. */
const SANDBOX = `${PATH}?sandbox`;

/** With any other query, Apollo Server would run the operation that the address carries. */
const PAGES: ReadonlySet<string> = new Set([PATH, SANDBOX]);

export interface RouteParts extends Pick<ContextParts, 'store' | 'ledger' | 'resolvers'> {
  readonly apollo: ApolloServer<Context>;
  readonly production: boolean;
  /** Persisted operations; null: any operation is accepted. */
  readonly operations: OperationList | null;
}

/**
 * `/graphql`: operations by POST alone. Outside production a browser is sent to the studio, which links to GraphiQL and
 * to Apollo Sandbox. That loads its script and fonts from the internet: where these do not answer, its page stays blank
 * for minutes.
 */
export function graphqlRoute(parts: RouteParts): FastifyPluginAsync {
  const { apollo, store, ledger, resolvers, production, operations } = parts;
  const handle = fastifyApolloHandler(apollo, {
    context: async (request: FastifyRequest, reply: FastifyReply) =>
      createContext({
        viewer: callerOf(request),
        facts: request.facts,
        requestKey: parseRequestKey(request.headers['idempotency-key']),
        store,
        ledger,
        resolvers,
        ...deadlinesOf(reply),
      }),
  });
  return async (http) => {
    const limits = { introspection: !production };
    const refuse = async (request: FastifyRequest): Promise<void> => {
      parseRequestKey(request.headers['idempotency-key']);
      if (operations !== null) request.body = onlyListed(request.body, operations);
      refuseUnknownOnError(request.body);
      refuseLargeDocument(request.body, { ...limits, streams: false });
    };
    http.post(PATH, { config: { searches: true }, preHandler: refuse }, handle);
    // Pages without data; their requests use POST.
    http.route({
      method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: PATH,
      config: { open: true },
      onRequest: async (request) => {
        if (production || request.method !== 'GET' || !wantsPage(request) || !PAGES.has(request.url)) {
          throw new RefusedRequest(405, 'BAD_REQUEST', 'GraphQL operations are sent by POST', { allow: 'POST' });
        }
      },
      handler: async (request, reply) => {
        if (request.url !== SANDBOX) return reply.redirect('./', 303);
        // Apollo Server negotiates the header too, and would treat the request as an operation if JSON is preferred.
        request.headers.accept = 'text/html';
        return handle.call(http, request, reply);
      },
    });
  };
}

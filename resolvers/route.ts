import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { RefusedRequest } from '../src/http-errors.js';
import { viewerOf } from '../src/http-viewer.js';
import type { CardStore, IndexLedger } from '../src/ports.js';
import { type Context, createContext } from './context.js';
import { startDeadlines } from './deadline.js';

const PATH = '/graphql';

/** What the route stands on. */
export interface RouteParts {
  readonly apollo: ApolloServer<Context>;
  readonly store: Pick<CardStore, 'byIds'>;
  readonly ledger: Pick<IndexLedger, 'states'>;
  readonly production: boolean;
}

/** `/graphql`: operations by POST alone, and outside production Apollo Sandbox for a browser that opens the address. */
export function graphqlRoute({ apollo, store, ledger, production }: RouteParts): FastifyPluginAsync {
  const handle = fastifyApolloHandler(apollo, {
    context: async (request: FastifyRequest, reply: FastifyReply) =>
      createContext({ viewer: viewerOf(request), store, ledger, ...deadlinesOf(reply) }),
  });
  return async (http) => {
    http.post(PATH, { onRequest: async (request) => refuseBadHost(request) }, handle);
    http.route({
      method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: PATH,
      onRequest: async (request) => {
        refuseBadHost(request);
        if (production || !opensSandbox(request)) {
          throw new RefusedRequest(405, 'BAD_REQUEST', 'GraphQL operations are sent by POST', { allow: 'POST' });
        }
      },
      handler: handle,
    });
  };
}

/** The request's deadlines; both are over when the reply is, or when its client has gone. */
function deadlinesOf(reply: FastifyReply): Pick<Context, 'signal' | 'searchSignal'> {
  const deadlines = startDeadlines();
  reply.raw.once('close', () => {
    deadlines.end(reply.raw.writableFinished ? undefined : new Error('the client closed the connection'));
  });
  return deadlines;
}

/** A browser that opens the address; Apollo Server would also run a query that the address carries. */
function opensSandbox(request: FastifyRequest): boolean {
  const wantsPage = request.headers.accept?.includes('text/html') ?? false;
  return request.method === 'GET' && wantsPage && !request.url.includes('?');
}

/** The integration builds a URL of the Host header, and fails on one that makes none. */
function refuseBadHost(request: FastifyRequest): void {
  if (!URL.canParse(`${request.protocol}://${request.hostname}/`)) {
    throw new RefusedRequest(400, 'BAD_REQUEST', 'the Host header is not the name of a host');
  }
}

import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { parseRequestKey } from '../src/domain/parse/request-key.js';
import type { CardStore } from '../src/domain/ports/cards.js';
import type { IndexLedger } from '../src/domain/ports/ledger.js';
import { RefusedRequest } from '../src/http/errors.js';
import { callerOf } from '../src/http/guard.js';
import { type Context, createContext } from './context.js';
import { startDeadlines } from './deadline.js';
import { refuseLargeDocument } from './document-guard.js';
import { type OperationList, onlyListed } from './persisted-operations.js';

const PATH = '/graphql';

/** What the route stands on. */
export interface RouteParts {
  readonly apollo: ApolloServer<Context>;
  readonly store: Pick<CardStore, 'byIds'>;
  readonly ledger: Pick<IndexLedger, 'states'>;
  readonly production: boolean;
  /** The operations that are answered, and no others; null: any. */
  readonly operations: OperationList | null;
}

/** `/graphql`: operations by POST alone, and outside production Apollo Sandbox for a browser that opens the address. */
export function graphqlRoute({ apollo, store, ledger, production, operations }: RouteParts): FastifyPluginAsync {
  const handle = fastifyApolloHandler(apollo, {
    context: async (request: FastifyRequest, reply: FastifyReply) =>
      createContext({
        viewer: callerOf(request),
        facts: request.facts,
        requestKey: parseRequestKey(request.headers['idempotency-key']),
        store,
        ledger,
        ...deadlinesOf(reply),
      }),
  });
  return async (http) => {
    const limits = { introspection: !production };
    const refuse = async (request: FastifyRequest): Promise<void> => {
      parseRequestKey(request.headers['idempotency-key']);
      if (operations !== null) request.body = onlyListed(request.body, operations);
      refuseLargeDocument(request.body, limits);
    };
    http.post(PATH, { preHandler: refuse }, handle);
    // The sandbox is a page without anything in it; what it then sends comes by POST.
    http.route({
      method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: PATH,
      config: { open: true },
      onRequest: async (request) => {
        if (production || !opensSandbox(request)) {
          throw new RefusedRequest(405, 'BAD_REQUEST', 'GraphQL operations are sent by POST', { allow: 'POST' });
        }
        // Apollo Server weighs the header itself, and would take the request for an operation where JSON weighs more.
        request.headers.accept = 'text/html';
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

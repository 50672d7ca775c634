import fastify, { type FastifyPluginAsync } from 'fastify';
import { delay, once } from '../domain/async.js';
import type { Viewer } from '../domain/viewer.js';
import { type Address, listenProblem } from './address.js';
import { refuseClientError } from './client-errors.js';
import { refuseEncodedBodies } from './encodings.js';
import { errorReply, type HttpLog, RefusedRequest } from './errors.js';
import { callerOf, type GuardParts, guard, requireScope, seesFigures } from './guard.js';
import { secure } from './headers.js';
import { acceptJson } from './json.js';
import { logRequests, type OnAnswered, type RequestLog, requestId } from './log.js';
import { endUnreadRequest, watchSockets } from './sockets.js';

export type { HttpLog } from './errors.js';

/** A body's limit: a card of four full texts has 64 kB, and twice that where its client escapes Chinese as \u9898. */
const MAX_BODY_BYTES = 256 * 1024;

/** A request must have arrived whole within this: a client that stalls must not keep a socket. */
const REQUEST_TIMEOUT_MS = 10_000;

/** A file may take longer: 128 MB at 4 Mbit/s. */
const UPLOAD_TIMEOUT_MS = 300_000;

/** A socket on which nothing moves is closed after this; over the 10 s in which a request is answered, so that the answer still gets out. */
const CONNECTION_TIMEOUT_MS = 12_000;

/** A kept connection may rest this long between two requests: longer than the 60 s for which proxies commonly keep theirs, or they would send into a closed one. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

/** How often sockets are looked at for the limits above; Node's own 30 s would let each of them last that much longer. */
const CHECK_SOCKETS_MS = 1_000;

/** Sockets open at once, used or not; more are dropped, so that they cannot take the process's memory and files. */
const MAX_SOCKETS = 5_000;

/**
 * However soon the server is to close, it answers for this long: what clients have just sent over kept connections is read, not
 * cut off, and busy connections end with an answer that says so.
 */
const LEAST_DRAIN_MS = 50;

/** The limits on what clients may hold open. */
export interface SocketLimits {
  readonly requestTimeoutMs: number;
  readonly connectionTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly checkMs: number;
  readonly maxSockets: number;
}

const SOCKET_LIMITS: SocketLimits = {
  requestTimeoutMs: REQUEST_TIMEOUT_MS,
  connectionTimeoutMs: CONNECTION_TIMEOUT_MS,
  keepAliveTimeoutMs: KEEP_ALIVE_TIMEOUT_MS,
  checkMs: CHECK_SOCKETS_MS,
  maxSockets: MAX_SOCKETS,
};

/** What answers still need when the server closes: a request's deadline. After this, their sockets are cut. */
const CLOSE_TIMEOUT_MS = 10_000;

/** Whether requests can be answered now, and what each part says of itself. */
export interface Readiness {
  readonly ready: boolean;
  readonly detail: Readonly<Record<string, string>>;
}

/** What `/metrics` shows, in the form that Prometheus reads. */
export interface MetricsPage {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** Counts what callers ask by the route. RateLimitedError where that is too often. */
export interface RouteRates {
  count(caller: Viewer, asked: ReadonlyMap<string, number>): void;
}

/** What the HTTP server stands on. */
export interface HttpParts {
  /** Registers `/graphql`. */
  readonly graphql: FastifyPluginAsync;
  /** Registers `/`. */
  readonly startPage: FastifyPluginAsync;
  /** Registers the routes of files, such as `/import`. */
  readonly files: readonly FastifyPluginAsync[];
  /** How often a caller may ask those; null: as often as it likes. */
  readonly rates: RouteRates | null;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: MetricsPage;
  readonly onAnswered: OnAnswered;
  readonly guard: GuardParts;
  readonly log: HttpLog & RequestLog;
  /** How long requests are still answered once `/readyz` says that it is closing: until no proxy sends any more. 0 unless given. */
  readonly drainMs?: number;
  /** Those of a server that faces clients, unless given. */
  readonly limits?: SocketLimits;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route takes files, which may take long to come in. */
    readonly isUpload?: boolean;
  }
}

/** The HTTP server as the composition root handles it. */
export interface Http {
  /** Begins to listen; answers the address, `http://127.0.0.1:4000`. StartupError where the port or host cannot be had. */
  listen(address: Address): Promise<string>;
  /** From now on new requests are refused with 503 and `/readyz` says so; those under way go on. */
  drain(): void;
  /**
   * Says at `/readyz` that it is closing, answers for `drainMs` longer, drains, lets what is under way finish, and ends; a kept
   * connection does not hold it up. May be called twice.
   */
  close(): Promise<void>;
}

/** What Node would say of a request that takes too long to come in. */
function tooSlow(): Error & { readonly code: string } {
  return Object.assign(new Error('the request did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}

/** The HTTP server: `/`, `/graphql`, the routes of files, `/livez` (and `/healthz`, the same), `/readyz`, `/metrics`. */
export async function createHttp(parts: HttpParts): Promise<Http> {
  const { graphql, startPage, files, readiness, metrics, log, drainMs = 0, limits = SOCKET_LIMITS } = parts;
  let leaving = false;
  let draining = false;
  const replyWithError = errorReply(log);
  const app = fastify({
    genReqId: requestId,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: UPLOAD_TIMEOUT_MS,
    connectionTimeout: limits.connectionTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    http: {
      connectionsCheckingInterval: limits.checkMs,
      // Node takes the shorter of the two times for the headers, and would give a body its own 60 s.
      headersTimeout: limits.requestTimeoutMs,
      requestTimeout: UPLOAD_TIMEOUT_MS,
      // Without a Host header Node would answer by itself, with no body.
      requireHostHeader: false,
    },
    clientErrorHandler: refuseClientError,
    // Fastify's own 503 is not shaped as GraphQL clients read errors; the hook below answers instead.
    return503OnClosing: false,
    frameworkErrors: replyWithError,
  });
  app.server.maxConnections = limits.maxSockets;
  const endIdleSockets = watchSockets(app.server);
  acceptJson(app);
  logRequests(app, { log, onAnswered: parts.onAnswered, quiet: STATE_PATHS });
  app.setErrorHandler(replyWithError);
  app.setNotFoundHandler(() => {
    throw new RefusedRequest(404, 'NOT_FOUND', 'there is nothing at this address');
  });

  app.addHook('onRequest', async (request) => {
    if (draining && !STATE_PATHS.has(request.url)) {
      throw new RefusedRequest(503, 'UNAVAILABLE', 'the gateway is shutting down', {}, { part: 'gateway' });
    }
  });
  // Node has one limit for all requests; those that are no upload have this one.
  app.addHook('onRequest', async ({ raw, routeOptions }) => {
    if (routeOptions.config.isUpload === true) return;
    const cut = setTimeout(() => {
      if (!raw.complete) refuseClientError(tooSlow(), raw.socket);
    }, limits.requestTimeoutMs);
    raw.once('close', () => clearTimeout(cut));
  });
  app.addHook('onResponse', async ({ raw }) => endUnreadRequest(raw));
  guard(app, parts.guard);
  refuseEncodedBodies(app);
  app.addHook('onSend', async (request, reply) => {
    secure(request, reply);
    // A kept connection would hold close() until its client lets go of it: 74 s with one such client.
    if (leaving) reply.header('connection', 'close');
  });

  const open = { config: { open: true } } as const;
  for (const path of ['/livez', '/healthz']) app.get(path, open, async () => ({ status: 'alive' }));
  app.get('/readyz', open, async (request, reply) => {
    const { ready, detail } = leaving ? { ready: false, detail: { gateway: 'shutting down' } } : await readiness();
    const shown = (await seesFigures(parts.guard, request)) ? { ready, detail } : { ready };
    return reply.code(ready ? 200 : 503).send(shown);
  });
  app.get('/metrics', async (request, reply) => {
    requireScope(callerOf(request), 'metrics');
    return reply.type(metrics.contentType).send(await metrics.metrics());
  });
  await app.register(graphql);
  await app.register(startPage);
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      const { url } = request.routeOptions;
      if (url !== undefined) parts.rates?.count(callerOf(request), new Map([[url, 1]]));
    });
    for (const route of files) await scope.register(route);
  });
  await app.ready();

  const drain = (): void => {
    leaving = true;
    draining = true;
  };

  return {
    listen: ({ port, host }) =>
      app.listen({ port, host }).catch((thrown: unknown) => Promise.reject(listenProblem(thrown, { port, host }))),
    drain,
    close: once(async () => {
      leaving = true;
      if (app.server.listening) await delay(Math.max(drainMs, LEAST_DRAIN_MS));
      drain();
      const cut = setTimeout(() => {
        log.warn({ afterMs: CLOSE_TIMEOUT_MS }, 'cutting connections that did not end by themselves');
        app.server.closeAllConnections();
      }, CLOSE_TIMEOUT_MS);
      const closed = app.close();
      endIdleSockets();
      await closed.finally(() => clearTimeout(cut));
    }),
  };
}

/** What a supervisor asks; answered until the end. */
const STATE_PATHS: ReadonlySet<string> = new Set(['/livez', '/healthz', '/readyz', '/metrics']);

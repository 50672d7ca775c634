import { Socket } from 'node:net';
import fastify, { type FastifyPluginAsync } from 'fastify';
import { delay, once } from '../domain/async.js';
import type { Foreground } from '../domain/background.js';
import type { Log } from '../domain/ports/log.js';
import { nextTurn } from '../domain/steps.js';
import type { Viewer } from '../domain/viewer.js';
import { type Address, listenProblem } from './address.js';
import { encoded } from './encode.js';
import { errorReply, MAX_BODY_BYTES, nothingHere, RefusedRequest, refuseClientError } from './errors.js';
import { callerOf, type GuardParts, guard, requireScope, seesFigures } from './guard.js';
import { logRequests, type OnAnswered, requestId } from './log.js';
import { acceptJson, endUnreadRequests, refuseEncodedBodies, secure, watchSockets } from './server-setup.js';
import { limitUnread } from './unread-responses.js';

/**
 * Limit of a request's address and headers: `POST /import` has its mapping in the address, where a Chinese letter takes
 * nine bytes. Node's default of 16 kB would allow a mapping of 5 kB.
 */
const MAX_HEADER_BYTES = 48 * 1024;

/** A file may take longer: 128 MB at 4 Mbit/s. */
const UPLOAD_TIMEOUT_MS = 300_000;

/**
 * Minimum drain time: requests that clients have just sent over kept-alive connections are read, and busy connections
 * end with a response that says so.
 */
const MIN_DRAIN_MS = 50;

const SOCKET_LIMITS = {
  /** Deadline for receiving a request: a stalled client must not keep a socket. */
  requestTimeoutMs: 10_000,
  /** Idle timeout; longer than the 10 s in which a request is answered, so that the response is still sent. */
  connectionTimeoutMs: 12_000,
  /** Longer than the usual 60 s of proxies, which would otherwise send into a closed connection. */
  keepAliveTimeoutMs: 72_000,
  /** Check interval of these timeouts; Node's default of 30 s would extend each of them by that. */
  checkMs: 1_000,
  /**
   * How long a client that was answered before it had sent all of its request may go on sending. Without this it might
   * not read the response: a connection that is closed with unread bytes is reset.
   */
  lingerMs: 1_000,
  /** Open sockets, idle ones included; more are dropped, to protect memory and file descriptors. */
  maxSockets: 5_000,
  /** Responses in memory, of all clients: a page of cards or a file has some 12 MB at most. */
  maxUnreadBytes: 256 * 2 ** 20,
  /** How long a response may take to be sent even if they are more. */
  unreadMs: 2_000,
};
export type SocketLimits = Readonly<typeof SOCKET_LIMITS>;

/** Grace period for responses when the server closes: a request's deadline. After it, their sockets are destroyed. */
const CLOSE_TIMEOUT_MS = 10_000;

/** Whether requests can be answered now, and the state of each part. */
export interface Readiness {
  readonly ready: boolean;
  readonly detail: Readonly<Record<string, string>>;
}

/** `/metrics` in Prometheus's text format. */
export interface MetricsPage {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** Rate limit by route. RateLimitedError. */
export interface RouteRates {
  count(caller: Viewer, asked: ReadonlyMap<string, number>): void;
}

export interface HttpParts {
  readonly graphql: FastifyPluginAsync;
  readonly pages: readonly FastifyPluginAsync[];
  readonly files: readonly FastifyPluginAsync[];
  /** Rate limit of the file routes; null: none. */
  readonly rates: RouteRates | null;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: MetricsPage;
  readonly onAnswered: OnAnswered;
  readonly foreground: Pick<Foreground, 'received'>;
  readonly guard: GuardParts;
  readonly log: Pick<Log, 'error' | 'warn' | 'info'>;
  /** How long requests are still answered after `/readyz` reports closing: until no proxy sends any more. Default 0. */
  readonly drainMs?: number;
  /** Overridden by tests. */
  readonly limits?: Partial<SocketLimits>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route that receives files, which may take long. */
    readonly isUpload?: boolean;
    /** True for a route whose requests may be searches. */
    readonly searches?: boolean;
  }
}

export interface Http {
  /**
   * Starts listening; returns the address, `http://127.0.0.1:4000`. StartupError if the port or host is unavailable.
   */
  listen(address: Address): Promise<string>;
  /** Refuses new requests with 503, also at `/readyz`; running ones continue. */
  drain(): void;
  /**
   * Reports closing at `/readyz`, answers for `drainMs` longer, drains, waits for running requests, and closes;
   * kept-alive connections do not delay it. May be called twice.
   */
  close(): Promise<void>;
}

/** No route has a schema. Fastify's own compilers are 107 modules, Ajv among them, that each start would load. */
function noCompiler(): never {
  throw new Error('a route has a schema, and nothing compiles it');
}

/**
 * The HTTP server: `/`, `/graphql`, the routes of files, `/livez` (and `/healthz`, the same), `/readyz`, `/metrics`.
 */
export async function createHttp(parts: HttpParts): Promise<Http> {
  const { graphql, pages, files, readiness, metrics, log, drainMs = 0 } = parts;
  const limits = { ...SOCKET_LIMITS, ...parts.limits };
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
      // Node uses the shorter of the two timeouts for the headers; its default for a body is 60 s.
      headersTimeout: limits.requestTimeoutMs,
      requestTimeout: UPLOAD_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Without a Host header Node would answer itself, without a body.
      requireHostHeader: false,
    },
    clientErrorHandler: refuseClientError,
    // Fastify's own 503 is not in GraphQL's format; the hook below answers instead.
    return503OnClosing: false,
    frameworkErrors: replyWithError,
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  });
  app.server.maxConnections = limits.maxSockets;
  const endIdleSockets = watchSockets(app.server);
  acceptJson(app);
  app.addHook('onRequest', async ({ routeOptions }, { raw }) => {
    if (routeOptions.config.searches === true) raw.once('close', parts.foreground.received());
  });
  logRequests(app, { log, onAnswered: parts.onAnswered, quiet: STATE_PATHS });
  app.setErrorHandler(replyWithError);
  app.setNotFoundHandler(() => {
    throw nothingHere();
  });

  app.addHook('onRequest', async (request) => {
    if (draining && !STATE_PATHS.has(request.url)) {
      throw new RefusedRequest(503, 'UNAVAILABLE', 'the gateway is shutting down', {}, { part: 'gateway' });
    }
  });
  // Node has one timeout for all requests; those without an upload have this one.
  app.addHook('onRequest', async ({ raw, routeOptions }) => {
    // What /mcp asks the gateway itself has no socket, and is never seen as complete.
    if (routeOptions.config.isUpload === true || !(raw.socket instanceof Socket)) return;
    const cut = setTimeout(() => {
      // As Node does at the end of its own limit.
      if (!raw.complete) refuseClientError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, raw.socket);
    }, limits.requestTimeoutMs);
    raw.once('close', () => clearTimeout(cut));
  });
  endUnreadRequests(app, limits.lingerMs);
  guard(app, parts.guard);
  refuseEncodedBodies(app);
  limitUnread(app, limits, log);
  app.addHook('onSend', async (request, reply, payload) => {
    secure(request, reply);
    // A kept-alive connection would delay close() until its client closes it: 74 s with one such client.
    if (leaving) reply.header('connection', 'close');
    return encoded(payload);
  });

  const open = { config: { open: true } } as const;
  for (const path of ['/livez', '/healthz']) app.get(path, open, async () => ({ status: 'alive' }));
  app.get('/readyz', open, async (request, reply) => {
    const [{ ready, detail }, isDetailed] = await Promise.all([
      leaving ? { ready: false, detail: { gateway: 'shutting down' } } : readiness(),
      seesFigures(parts.guard, request),
    ]);
    return reply.code(ready ? 200 : 503).send(isDetailed ? { ready, detail } : { ready });
  });
  app.get('/metrics', async (request, reply) => {
    requireScope(callerOf(request), 'metrics');
    return reply.type(metrics.contentType).send(await metrics.metrics());
  });
  await app.register(graphql);
  for (const page of pages) await app.register(page);
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
      if (app.server.listening) await delay(Math.max(drainMs, MIN_DRAIN_MS));
      // A process that was stalled reads what has arrived meanwhile: its timers run before it receives anything.
      await nextTurn();
      drain();
      const cut = setTimeout(() => {
        log.warn({ afterMs: CLOSE_TIMEOUT_MS }, 'closing the connections that are still open');
        app.server.closeAllConnections();
      }, CLOSE_TIMEOUT_MS);
      const closed = app.close();
      endIdleSockets();
      await closed.finally(() => clearTimeout(cut));
    }),
  };
}

/** Probed by supervisors; answered until the process ends. */
const STATE_PATHS: ReadonlySet<string> = new Set(['/livez', '/healthz', '/readyz', '/metrics']);

import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RefusedRequest } from './errors.js';

/**
 * Responses are data for programs: browsers must not render, sniff, cache or embed them; a file may set how long it is
 * cached.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Default content security policy: nothing may be loaded; a route that needs more sets its own. */
const DEFAULT_CSP = "default-src 'none'; frame-ancestors 'none'";

export function secure(request: FastifyRequest, reply: FastifyReply): void {
  const kept = reply.getHeader('cache-control');
  reply.headers(HEADERS);
  if (kept !== undefined) reply.header('cache-control', kept);
  if (reply.hasHeader('content-security-policy') || isSandbox(request, reply)) return;
  reply.header('content-security-policy', DEFAULT_CSP);
}

/** True for Apollo Sandbox, which loads from another site; not in production. */
function isSandbox({ method, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
  return method === 'GET' && routeOptions.url === '/graphql' && isPage;
}

/**
 * Accepts only JSON bodies in UTF-8. Invalid UTF-8 is refused: Node would replace it, and a card would be stored
 * differently than it was sent.
 */
export function acceptJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
    if (!/^utf-?8$/i.test(charset)) {
      return done(new RefusedRequest(415, 'BAD_REQUEST', 'the body must be in UTF-8'), undefined);
    }
    const text = decode(body);
    if (text === undefined)
      return done(new RefusedRequest(400, 'BAD_REQUEST', 'the body is not valid UTF-8'), undefined);
    return parseJson(request, text, done);
  });
}

function decode(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** Refuses compressed bodies: their size is only known after unpacking, and few clients send any. */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding'];
    if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
    const message = `a body with the content encoding ${encoding.slice(0, 100)} is not accepted: send it as it is`;
    throw new RefusedRequest(415, 'BAD_REQUEST', message, { 'accept-encoding': 'identity' });
  });
}

/**
 * Watches a server's sockets. The returned function closes those without a request: kept-alive ones, and those opened
 * in advance, which Node's closeIdleConnections leaves open (4 s with Node's own fetch as the client, indefinitely with
 * others).
 */
export function watchSockets(server: Server): () => void {
  const requests = new Map<Socket, number>();
  server.on('connection', (socket) => {
    requests.set(socket, 0);
    socket.once('close', () => requests.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const count = requests.get(socket);
      if (count !== undefined) requests.set(socket, count - 1);
    });
  });
  return () => {
    for (const [socket, count] of requests) if (count === 0) socket.destroy();
  };
}

/**
 * Closes the connection of a request that was answered before it was received, `lingerMs` after the response; otherwise
 * it would stay open for the upload timeout.
 */
export function endUnreadRequests(app: FastifyInstance, lingerMs: number): void {
  app.addHook('onSend', async ({ raw }) => keepUnread(raw));
  app.addHook('onResponse', async ({ raw }) => endUnread(raw, lingerMs));
}

/**
 * If the client or the response asks to close the connection, Node does so right after the response: a client that
 * sends its whole request before it reads, such as Python's urllib, got a broken pipe instead of the response.
 */
function keepUnread(request: IncomingMessage): void {
  const { socket } = request;
  if (!(socket instanceof Socket) || request.complete) return;
  const close = (): void => Socket.prototype.destroySoon.call(socket);
  socket.destroySoon = () => {
    if (request.complete) return close();
    socket.end();
    request.once('end', close);
  };
}

function endUnread(request: IncomingMessage, lingerMs: number): void {
  const { socket } = request;
  // A request that the gateway sends itself, for a tool of /mcp, has no connection.
  if (!(socket instanceof Socket) || request.complete || socket.destroyed) return;
  request.resume();
  const cut = setTimeout(() => {
    if (!request.complete) socket.destroy();
  }, lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

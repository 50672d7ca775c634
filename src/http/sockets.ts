import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';

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
 * How long a client that was answered before it had sent all of its request may go on sending. Without this it might
 * not read the response: a connection that is closed with unread bytes is reset.
 */
const LINGER_MS = 1_000;

/**
 * Closes the connection of a request that was answered before it was received; otherwise it would stay open for the
 * upload timeout.
 */
export function endUnreadRequest(request: IncomingMessage): void {
  const { socket } = request;
  // A request that the gateway sends itself, for a tool of /mcp, has no connection.
  if (!(socket instanceof Socket) || request.complete || socket.destroyed) return;
  request.resume();
  const cut = setTimeout(() => {
    if (!request.complete) socket.destroy();
  }, LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}

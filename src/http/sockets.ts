import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Watches a server's sockets from now on. The returned function ends those that carry no request: kept ones between two
 * requests, and those opened ahead of need, which Node's closeIdleConnections leaves open (4 s with Node's own fetch as
 * the client, as long as they like with others).
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
 * How long a client that was answered before it had sent all of its request may go on sending. Cut off at once it might not get to
 * read the answer: a connection with unread bytes is reset.
 */
const LINGER_MS = 1_000;

/** Ends the connection of a request that was answered before it had come in; without this it would stay for the time of an upload. */
export function endUnreadRequest(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete || socket.destroyed) return;
  request.resume();
  const cut = setTimeout(() => {
    if (!request.complete) socket.destroy();
  }, LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}

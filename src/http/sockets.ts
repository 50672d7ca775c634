import type { Server } from 'node:http';
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

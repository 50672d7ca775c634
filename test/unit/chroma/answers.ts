import type { RequestListener } from 'node:http';
import { afterEach } from 'vitest';
import { ChromaConnection } from '../../../chroma/client.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

/** Servers with given answers and connections to them, closed after each test. */
export function answeringServers() {
  const servers: HttpServer[] = [];
  const connections: ChromaConnection[] = [];
  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
    for (const server of servers.splice(0)) await server.close();
  });

  /** A server that answers every request in this way. */
  async function answering(listener: RequestListener): Promise<string> {
    const server = await startHttpServer(listener);
    servers.push(server);
    return server.url;
  }

  function connectionTo(url: string | (() => string), deadlineMs = 200): ChromaConnection {
    const connection = new ChromaConnection(typeof url === 'string' ? () => url : url, undefined, {
      read: deadlineMs,
      write: deadlineMs,
      load: deadlineMs,
    });
    connections.push(connection);
    return connection;
  }

  return { servers, connections, answering, connectionTo };
}

export const status =
  (code: number, body: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(code, { 'content-type': 'application/json' }).end(body);

export const HEARTBEAT = status(200, '{"nanosecond heartbeat": 1}');

/** A server error, as Chroma reports it. */
export const failing = (message: string): RequestListener =>
  status(500, JSON.stringify({ error: 'InternalError', message }));

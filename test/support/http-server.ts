import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer {
  /** Ends with its port. */
  readonly url: string;
  readonly port: number;
  /** To wait for its events. */
  readonly server: Server;
  /** Breaks open connections. May be called twice. */
  close(): Promise<void>;
}

/** A server on a free port, for this machine only, that answers every request in this way. */
export async function startHttpServer(answer: RequestListener): Promise<HttpServer> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

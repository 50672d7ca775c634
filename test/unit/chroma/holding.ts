import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server in front of another one. */
export interface HoldingServer {
  readonly url: string;
  /** Of every request so far, in order. */
  readonly paths: readonly string[];
  /** Lets the answers through that were held, and all that follow. */
  release(): void;
  close(): Promise<void>;
}

/** Passes every request on to the server at `target`, and holds the answers of those whose path matches. */
export async function holding(target: string, path: RegExp): Promise<HoldingServer> {
  const held: (() => void)[] = [];
  const paths: string[] = [];
  let open = false;
  const server = createServer((incoming, outgoing: ServerResponse) => {
    const url = new URL(incoming.url ?? '/', target);
    paths.push(url.pathname);
    const passed = request(url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      const send = (): void => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      };
      if (open || !path.test(url.pathname)) send();
      else held.push(send);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    release() {
      open = true;
      for (const send of held.splice(0)) send();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

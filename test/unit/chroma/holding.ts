import { request } from 'node:http';
import { startHttpServer } from '../../support/http-server.js';

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
  const server = await startHttpServer((incoming, outgoing) => {
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
  return {
    url: server.url,
    paths,
    release() {
      open = true;
      for (const send of held.splice(0)) send();
    },
    close: () => server.close(),
  };
}

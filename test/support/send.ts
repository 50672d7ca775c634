import { type Agent, request } from 'node:http';

/** What was answered; the body as JSON. */
export interface Reply<Body> {
  readonly status: number;
  readonly body: Body;
}

/**
 * Sends a request on a connection of the agent, JSON with a body and a GET without. Rejects where the connection
 * breaks.
 */
export function send<Body>(
  url: URL | string,
  {
    agent,
    body,
    headers,
  }: { readonly agent: Agent; readonly body: object | null; readonly headers?: Readonly<Record<string, string>> },
): Promise<Reply<Body>> {
  return new Promise((resolve, reject) => {
    const method = body === null ? 'GET' : 'POST';
    const all = { 'content-type': 'application/json', ...headers };
    const sent = request(url, { method, agent, headers: all }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Body }));
    });
    sent.on('error', reject);
    sent.end(body === null ? undefined : JSON.stringify(body));
  });
}

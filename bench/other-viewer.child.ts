/**
 * Another viewer during long work: requests `/livez` and searches at fixed rates, in its own process, with times from
 * when each request was due. Controlled by {@link startOtherViewer}; ends with its parent.
 */
import { Agent, request } from 'node:http';

export interface OtherViewerSettings {
  readonly url: string;
  readonly bearer: string;
  /** Texts of the searches, in turn. */
  readonly texts: readonly string[];
}

/** Times since the last message, in ms. */
export interface OtherViewerTimes {
  readonly livez: readonly number[];
  readonly search: readonly number[];
  /** Numbers of errors by kind. */
  readonly errors: Readonly<Record<string, number>>;
}

const LIVEZ_EVERY_MS = 20;
const SEARCH_EVERY_MS = 100;
const SEARCH =
  'query ($text: String!) { hybridSearch(text: $text, topK: 10) { hits { score card { id questionText } } } }';

const { url, bearer, texts } = JSON.parse(process.argv[2] ?? '{}') as OtherViewerSettings;
const agent = new Agent({ keepAlive: true });
let livez: number[] = [];
let search: number[] = [];
let errors: Record<string, number> = {};

function send(path: string, body: object | null): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` };
    const sent = request(new URL(path, url), { agent, method: body === null ? 'GET' : 'POST', headers }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        answer += piece;
      });
      response.on('error', reject);
      response.on('end', () => {
        const { errors: refused } = JSON.parse(answer) as { errors?: readonly { extensions: { code: string } }[] };
        if (response.statusCode === 200 && refused === undefined) resolve(answer);
        else reject(new Error(refused?.[0]?.extensions.code ?? String(response.statusCode)));
      });
    });
    sent.on('error', reject);
    sent.end(body === null ? undefined : JSON.stringify(body));
  });
}

/** Sends at a fixed rate, without waiting for responses. */
function every(ms: number, send: (turn: number) => Promise<unknown>, times: () => number[]): void {
  let turn = 0;
  const began = performance.now();
  const next = (): void => {
    const dueAt = began + turn * ms;
    // Delays of this process are not the gateway's.
    const sentAt = performance.now();
    send(turn).then(
      () => void times().push(performance.now() - sentAt),
      (thrown: Error) => {
        errors[thrown.message] = (errors[thrown.message] ?? 0) + 1;
      },
    );
    turn += 1;
    setTimeout(next, Math.max(0, dueAt + ms - performance.now()));
  };
  next();
}

every(
  LIVEZ_EVERY_MS,
  () => send('/livez', null),
  () => livez,
);
every(
  SEARCH_EVERY_MS,
  (turn) => send('/graphql', { query: SEARCH, variables: { text: texts[turn % texts.length] } }),
  () => search,
);
process.on('message', () => {
  process.send?.({ livez, search, errors } satisfies OtherViewerTimes);
  livez = [];
  search = [];
  errors = {};
});
process.once('disconnect', () => process.exit());

/**
 * What another viewer gets while a gateway is at work: asks `/livez` and searches at fixed rates, in a process of its own, and
 * counts each from when it was due. Its orders come from {@link startOtherViewer}; it ends with whoever started it.
 */
import { Agent, request } from 'node:http';

/** What the process is started with. */
export interface OtherViewerSettings {
  readonly url: string;
  readonly bearer: string;
  /** What is searched for, in turn. */
  readonly texts: readonly string[];
}

/** What was answered, in ms each, since the last order. */
export interface OtherViewerTimes {
  readonly livez: readonly number[];
  readonly search: readonly number[];
  /** What did not come as it should, by what it was. */
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

/** Sends at a fixed rate, whether those before were answered or not. */
function every(ms: number, send: (turn: number) => Promise<unknown>, times: () => number[]): void {
  let turn = 0;
  const began = performance.now();
  const next = (): void => {
    const dueAt = began + turn * ms;
    // What this process was late by itself is not the gateway's.
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

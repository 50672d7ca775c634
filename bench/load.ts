/**
 * Which latencies do clients see at a fixed request rate?
 *
 *     npm run bench -- load [--cards 20000] [--seconds 60] [--rate 20,50] [--learning]
 *
 * Open loop: requests are sent at their due times, whether or not earlier ones were answered, and latency is counted
 * from the due time, so a stalled gateway is charged for every waiting client. Of 20 requests 14 are searches (the five
 * kinds in turn, every second one with a filter), 3 read a card, 2 change one and 1 creates one. Every 50 ms one
 * request on top of the rate asks whether the five oldest changes are searchable (cards are indexed in the order of
 * their changes); a change counts as late after 30 s. Weights are learned only with `--learning`: that begins two
 * minutes after the start, once for a new notebook, and takes minutes of processor time.
 */
import { AnsweredError } from '../src/cli/gateway-client.js';
import { delay } from '../src/domain/async.js';
import { SEARCH_OPERATIONS } from '../src/domain/search.js';
import { seededRandom } from '../src/evaluation/random.js';
import { cpuBetween, cpuSoFar } from './cpu.js';
import { type BenchGateway, loadCards, startBenchGateway } from './gateway.js';
import { percentile } from './measure.js';
import { notebook } from './notebook.js';
import { memoryOf } from './resources.js';
import { benchmark, type Row, type Run, range, readOptions } from './run.js';

const options = readOptions({ cards: 20_000, seconds: 60, rate: [20, 50], learning: false });
const { cards: CARDS, seconds: SECONDS, rate: RATES } = options;

/** Searches before the measured time: compiled code, open connections, filled caches. */
const WARM_UP = 50;
const LOOK_MS = 50;
/** The limit of aliases of one field in an operation. */
const LOOKED_AT = 5;
/** Deadline of a change to be searchable. */
const SEARCHABLE_DEADLINE_MS = 30_000;

const searchOf = (operation: string): string =>
  `query ($text: String!, $filter: CardFilter) {
    ${operation}(text: $text, topK: 10, filter: $filter) { hits { score card { id questionText } } }
  }`;
const READ = 'query ($id: ID!) { card(id: $id) { id questionText topicTags errorTypes } }';
const UPDATE = 'mutation ($id: ID!, $input: UpdateCardInput!) { updateCard(id: $id, input: $input) { id revision } }';
const CREATE = 'mutation ($input: CreateCardInput!) { createCard(input: $input) { id revision } }';
const INDEXED = `query (${places((at) => `$id${at}: ID!`)}) {
  ${places((at) => `card${at}: card(id: $id${at}) { index { indexedRevision } }`)}
}`;

interface Changed {
  readonly id: string;
  readonly revision: number;
}

/** Outcomes of the requests at one rate. */
class Outcomes {
  readonly times = {
    search: [] as number[],
    read: [] as number[],
    mutation: [] as number[],
    searchable: [] as number[],
  };
  readonly errors = new Map<string, number>();

  failed(thrown: unknown): void {
    const code = thrown instanceof AnsweredError ? thrown.code : String((thrown as Error).message);
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
  }
}

function places(of: (at: number) => string): string {
  return range(LOOKED_AT).map(of).join(' ');
}

/** The changes that are not searchable yet. */
class Unindexed {
  readonly #ask: BenchGateway['ask'];
  readonly #outcomes: Outcomes;
  /** The oldest is the first. */
  readonly #waiting = new Set<Changed & { readonly sinceMs: number }>();
  /** How many were not searchable after {@link SEARCHABLE_DEADLINE_MS}. */
  late = 0;

  constructor({ ask }: BenchGateway, outcomes: Outcomes) {
    this.#ask = ask;
    this.#outcomes = outcomes;
  }

  add(changed: Changed): void {
    this.#waiting.add({ ...changed, sinceMs: performance.now() });
  }

  /** Watches them until all requests are sent and none is left, or the run is stopped. */
  async watch(run: Run, allSent: AbortSignal): Promise<void> {
    while (!run.signal.aborted && (this.#waiting.size > 0 || !allSent.aborted)) {
      await delay(LOOK_MS, run.signal);
      await this.#look().catch((thrown: unknown) => this.#outcomes.failed(thrown));
    }
  }

  async #look(): Promise<void> {
    const oldest = [...this.#waiting].slice(0, LOOKED_AT);
    const [first] = oldest;
    if (first === undefined) return;
    const ids = range(LOOKED_AT).map((at) => [`id${at}`, (oldest[at] ?? first).id] as const);
    type Found = { readonly index: { readonly indexedRevision: number | null } };
    const found = await this.#ask<Record<string, Found>>(INDEXED, Object.fromEntries(ids));
    for (const [at, change] of oldest.entries()) {
      const isSearchable = (found[`card${at}`]?.index.indexedRevision ?? 0) >= change.revision;
      const tookMs = performance.now() - change.sinceMs;
      if (isSearchable) this.#outcomes.times.searchable.push(tookMs);
      else if (tookMs > SEARCHABLE_DEADLINE_MS) this.late += 1;
      else continue;
      this.#waiting.delete(change);
    }
  }
}

const random = seededRandom(3);
const fresh = notebook(CARDS + SECONDS * RATES.reduce((sum, rate) => sum + rate), 2).slice(CARDS);
const cards = notebook(CARDS);

/** The request with this number in the mix: its kind, and how it is sent. */
function requestOf(
  gateway: BenchGateway,
  number: number,
): { readonly kind: 'search' | 'read' | 'mutation'; readonly send: () => Promise<Changed | null> } {
  const place = number % 20;
  const card = cards[Math.floor(random() * CARDS)] as (typeof cards)[number];
  const other = fresh[number] as (typeof cards)[number];
  if (place === 19) {
    const input = { ...other, id: `load-${number}` };
    const send = async (): Promise<Changed> =>
      (await gateway.ask<{ createCard: Changed }>(CREATE, { input })).createCard;
    return { kind: 'mutation', send };
  }
  if (place === 6 || place === 13) {
    const variables = { id: card.id, input: { questionText: other.questionText } };
    const send = async (): Promise<Changed> =>
      (await gateway.ask<{ updateCard: Changed }>(UPDATE, variables)).updateCard;
    return { kind: 'mutation', send };
  }
  if (place % 7 === 2) {
    const send = async (): Promise<null> => {
      await gateway.ask(READ, { id: card.id });
      return null;
    };
    return { kind: 'read', send };
  }
  const filter = number % 2 === 0 ? null : { difficultyMax: 3 };
  const query = searchOf(SEARCH_OPERATIONS[number % SEARCH_OPERATIONS.length] as string);
  const send = async (): Promise<null> => {
    await gateway.ask(query, { text: other.questionText, filter });
    return null;
  };
  return { kind: 'search', send };
}

async function arrive(
  gateway: BenchGateway,
  number: number,
  dueAt: number,
  { outcomes, unindexed }: { readonly outcomes: Outcomes; readonly unindexed: Unindexed },
): Promise<void> {
  const { kind, send } = requestOf(gateway, number);
  try {
    const changed = await send();
    outcomes.times[kind].push(performance.now() - dueAt);
    if (changed !== null) unindexed.add(changed);
  } catch (thrown) {
    outcomes.failed(thrown);
  }
}

const megabytes = async ({ pid }: BenchGateway): Promise<number> => (await memoryOf(pid))?.anonymous ?? Number.NaN;
const ms = (values: readonly number[], share: number): number => Math.round(percentile(values, share));
const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

/** Sends requests at a rate for the given time. */
async function runAt(run: Run, gateway: BenchGateway, rate: number, first: number): Promise<Row> {
  const before = {
    memory: await megabytes(gateway),
    cpu: await cpuSoFar(),
    own: process.cpuUsage(),
  };
  const outcomes = new Outcomes();
  const unindexed = new Unindexed(gateway, outcomes);
  const sent = new AbortController();
  const watching = unindexed.watch(run, sent.signal);
  const total = SECONDS * rate;
  const arrivals: Promise<void>[] = [];
  const started = performance.now();
  for await (const number of run.each(`${rate} requests a second`, 'requests', range(total))) {
    const dueAt = started + (1000 * number) / rate;
    const earlyMs = dueAt - performance.now();
    if (earlyMs > 0) await delay(earlyMs, run.signal);
    arrivals.push(arrive(gateway, first + number, dueAt, { outcomes, unindexed }));
  }
  await Promise.all(arrivals);
  const tookMs = performance.now() - started;
  const cpu = cpuBetween(before.cpu, await cpuSoFar());
  const own = process.cpuUsage(before.own);
  sent.abort();
  await watching;
  const { times, errors } = outcomes;
  const refused = errors.get('RATE_LIMITED') ?? 0;
  const others = [...errors].filter(([code]) => code !== 'RATE_LIMITED');
  const clients = ['clients', (own.user + own.system) / 1_000] as const;
  return {
    'requests/s': rate,
    'search p50, ms': ms(times.search, 0.5),
    'search p95, ms': ms(times.search, 0.95),
    'read p95, ms': ms(times.read, 0.95),
    'mutation p95, ms': ms(times.mutation, 0.95),
    'searchable p50, ms': ms(times.searchable, 0.5),
    'searchable p95, ms': ms(times.searchable, 0.95),
    'later than 30 s': unindexed.late,
    errors: others.map(([code, count]) => `${code} ${count}`).join(', ') || 0,
    'refused (RATE_LIMITED)': percent(refused / total),
    'answered after, s': tookMs / 1_000,
    'of one core': [...cpu, clients].map(([name, used]) => `${name} ${percent(used / tookMs)}`).join(', '),
    'memory before, MB': before.memory,
    'memory after, MB': await megabytes(gateway),
  };
}

await benchmark(async (run) => {
  const gateway = await startBenchGateway(run, null, { LEARN_WEIGHTS: String(options.learning) });
  await loadCards(run, gateway, cards);
  for (let number = 0; number < WARM_UP; number += 1) {
    const text = (fresh[number % fresh.length] as (typeof cards)[number]).questionText;
    await gateway.ask(searchOf(SEARCH_OPERATIONS[number % SEARCH_OPERATIONS.length] as string), { text, filter: null });
  }
  const rows: Row[] = [];
  let first = 0;
  for (const rate of RATES) {
    rows.push(await runAt(run, gateway, rate, first));
    first += rate * SECONDS;
  }
  run.report('load', rows);
});

/**
 * Which latencies do clients see at a fixed request rate?
 *
 *     npm run bench -- load [--cards 20000] [--seconds 60] [--rate 20,50]
 *
 * Open loop: requests are sent at their due times, whether or not earlier ones were answered, and latency is counted
 * from the due time, so a stalled gateway is charged for every waiting client. Of 20 requests 14 are searches (the five
 * kinds in turn, every second one with a filter), 3 read a card, 2 change one and 1 creates one. The time until a
 * change is searchable is polled in PostgreSQL every 50 ms from the answer of the change; these polls come on top of
 * the rate.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { delay } from '../src/domain/async.js';
import { SEARCH_OPERATIONS } from '../src/domain/search.js';
import { seededRandom } from '../src/evaluation/random.js';
import { cpuOfChildren } from './cpu.js';
import { AnsweredError, type BenchGateway, loadCards, startBenchGateway } from './gateway.js';
import { percentile } from './measure.js';
import { memoryOf } from './memory.js';
import { notebook } from './notebook.js';
import { benchmark, type Run, range } from './run.js';

const { values: options } = parseArgs({
  options: {
    cards: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '20,50' },
  },
});
const CARDS = Number(options.cards);
const SECONDS = Number(options.seconds);
const RATES = options.rate.split(',').map(Number);

/** Searches before the measured time: compiled code, open connections, filled caches. */
const WARM_UP = 50;
const LOOK_MS = 50;
/** Deadline of a change to be searchable; later is an error. */
const SEARCHABLE_DEADLINE_MS = 30_000;

const searchOf = (operation: string): string =>
  `query ($text: String!, $filter: CardFilter) {
    ${operation}(text: $text, topK: 10, filter: $filter) { hits { score card { id questionText } } }
  }`;
const READ = 'query ($id: ID!) { card(id: $id) { id questionText topicTags errorTypes } }';
const UPDATE = 'mutation ($id: ID!, $input: UpdateCardInput!) { updateCard(id: $id, input: $input) { id revision } }';
const CREATE = 'mutation ($input: CreateCardInput!) { createCard(input: $input) { id revision } }';
const INDEXED = 'query ($id: ID!) { card(id: $id) { index { indexedRevision } } }';

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

/** Waits until the change is indexed, and records the time. */
async function searchable(gateway: BenchGateway, { id, revision }: Changed, { times }: Outcomes): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < SEARCHABLE_DEADLINE_MS) {
    const { card } = await gateway.ask<{ card: { index: { indexedRevision: number | null } } }>(INDEXED, { id });
    if ((card.index.indexedRevision ?? 0) >= revision) {
      times.searchable.push(performance.now() - started);
      return;
    }
    await delay(LOOK_MS);
  }
  throw new Error(`not searchable after ${SEARCHABLE_DEADLINE_MS} ms`);
}

async function arrive(gateway: BenchGateway, number: number, dueAt: number, outcomes: Outcomes): Promise<void> {
  const { kind, send } = requestOf(gateway, number);
  try {
    const changed = await send();
    outcomes.times[kind].push(performance.now() - dueAt);
    if (changed !== null) await searchable(gateway, changed, outcomes);
  } catch (thrown) {
    outcomes.failed(thrown);
  }
}

const megabytes = async ({ pid }: BenchGateway): Promise<string> =>
  `${((await memoryOf(pid))?.anonymous ?? Number.NaN).toFixed(0)} MB`;
const line = (name: string, values: readonly number[]): string =>
  `${name.padEnd(16)} ${String(values.length).padStart(6)}  p50 ${percentile(values, 0.5).toFixed(0)} ms  p95 ${percentile(values, 0.95).toFixed(0)} ms`;

/** Sends requests at a rate for the given time, and prints the outcomes. */
async function runAt(run: Run, gateway: BenchGateway, rate: number, first: number): Promise<void> {
  const before = {
    memory: await megabytes(gateway),
    load: loadavg()[0] ?? Number.NaN,
    cpu: await cpuOfChildren(),
    own: process.cpuUsage(),
  };
  const outcomes = new Outcomes();
  const total = SECONDS * rate;
  const arrivals: Promise<void>[] = [];
  const started = performance.now();
  for await (const number of run.each(`${rate} requests a second`, 'requests', range(total))) {
    const dueAt = started + (1000 * number) / rate;
    const earlyMs = dueAt - performance.now();
    if (earlyMs > 0) await delay(earlyMs, run.signal);
    arrivals.push(arrive(gateway, first + number, dueAt, outcomes));
  }
  await Promise.all(arrivals);
  const tookMs = performance.now() - started;
  const cpu = await cpuOfChildren();
  const own = process.cpuUsage(before.own);
  const { times, errors } = outcomes;
  const limited = errors.get('RATE_LIMITED') ?? 0;
  const others = [...errors].filter(([code]) => code !== 'RATE_LIMITED');
  const wrong = others.reduce((sum, [, count]) => sum + count, 0);
  console.log(`\n${total} requests at ${rate}/s against ${CARDS} cards, answered after ${Math.round(tookMs)} ms`);
  console.log(line('search', times.search));
  console.log(line('read', times.read));
  console.log(line('mutation', times.mutation));
  console.log(line('until searchable', times.searchable));
  console.log(
    `errors: ${wrong} (${((100 * wrong) / total).toFixed(2)} %)${others.map(([code, count]) => `, ${code} ${count}`).join('')}`,
  );
  console.log(`RATE_LIMITED: ${limited} (${((100 * limited) / total).toFixed(1)} %)`);
  console.log(`memory of its own: ${before.memory} before, ${await megabytes(gateway)} after`);
  const share = (ms: number): string => `${Math.round((100 * ms) / tookMs)} %`;
  const parts = [...(cpu ?? [])].map(([name, ms]) => `${name} ${share(ms - (before.cpu?.get(name) ?? 0))}`);
  console.log(`of one core: ${[...parts, `the clients ${share((own.user + own.system) / 1_000)}`].join(', ')}`);
  console.log(`load average: ${before.load.toFixed(1)} before, ${(loadavg()[0] ?? Number.NaN).toFixed(1)} after`);
}

await benchmark(async (run) => {
  const gateway = await startBenchGateway(run);
  await loadCards(run, gateway, cards);
  for (let number = 0; number < WARM_UP; number += 1) {
    const text = (fresh[number % fresh.length] as (typeof cards)[number]).questionText;
    await gateway.ask(searchOf(SEARCH_OPERATIONS[number % SEARCH_OPERATIONS.length] as string), { text, filter: null });
  }
  let first = 0;
  for (const rate of RATES) {
    await runAt(run, gateway, rate, first);
    first += rate * SECONDS;
  }
});

/**
 * How long does a search over four perspectives take, relative to raw Chroma queries?
 *
 *     npm run bench -- search [--cards 20000] [--rounds 200] [--recall 20] [--data DIR] [--threads N]
 *
 * One run, one notebook, one Chroma: `hybridSearch` through GraphQL with all lanes, k 10, unfiltered and with filters
 * that match 30 %, 3 %, 0.3 % and one of the cards; one raw Chroma query for 100 neighbours in one collection, as many
 * as each lane asks for; and the search without a planner: the four lanes at once with the filter as Chroma's `where`,
 * fused by weight from the distances, without reading cards. Then 16 concurrent clients, the latency of `/livez`
 * meanwhile, the gateway's memory, and recall@10 against scoring all cards for the first `--recall` texts.
 *
 * Processor times are of all processes involved; on a busy machine they are more meaningful than elapsed times.
 * `--data` keeps the notebook in DIR, so that the next run with as many cards need not load it. `--threads` sets
 * SEARCH_THREADS. No weights are learned meanwhile.
 */
import { AnsweredError } from '../src/cli/gateway-client.js';
import { BuiltinEmbedder } from '../src/models/builtin.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { WordWeights } from '../src/text/word-weights.js';
import { chromaOf, collectionsOf } from './collections.js';
import { cpuBetween, cpuSoFar, sumOf } from './cpu.js';
import { ExhaustiveSearch, recallOf } from './exhaustive.js';
import { type BenchGateway, loadCards, startBenchGateway } from './gateway.js';
import { type Contestants, compare, latencies, load, percentile, probing } from './measure.js';
import { notebook } from './notebook.js';
import { memoryOf } from './resources.js';
import { benchmark, type Row, type Run, range, readOptions } from './run.js';
import { NEIGHBOURS, searchByWhere, selectionsOf } from './search-by-where.js';

const options = readOptions({ cards: 20_000, rounds: 200, recall: 20, data: null, threads: null });
const { cards: CARDS, rounds: ROUNDS, recall: RECALL } = options;
const TOP_K = 10;
const CLIENTS = 16;
const CPU_ROUNDS = 50;
/**
 * Codes of searches that were not run in time: under overload admission control refuses those that would wait too long.
 */
const REFUSALS = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RATE_LIMITED'];
/** A search with `where` takes up to half a second: run in a tenth of the rounds. */
const WHERE_EVERY = 10;
const LEXICAL_SHARE = 0.5;
const WEIGHTS = { question: 0.5, solution: 0.2, concept: 0.2, error: 0.1 };

const SEARCH = `query (
  $text: String!, $weights: PerspectiveWeights, $topK: Int, $filter: CardFilter, $options: SearchOptions
) {
  hybridSearch(text: $text, weights: $weights, topK: $topK, filter: $filter, options: $options) {
    hits { rank score card { id questionText } lanes { perspective kind score contribution } }
    receipt { filterPlan matchedByFilter candidates tookMs stages { stage tookMs } }
  }
}`;

const cards = notebook(CARDS);
const one = cards[Math.floor(CARDS / 2)];
if (one === undefined) throw new Error('no cards');
const SELECTIONS = selectionsOf(one);

interface Answer {
  readonly hits: readonly { readonly card: { readonly id: string } }[];
  readonly receipt: Receipt;
}

interface Receipt {
  readonly filterPlan: string;
  readonly matchedByFilter: number | null;
  readonly candidates: number;
  readonly tookMs: number;
  readonly stages: readonly { readonly stage: string; readonly tookMs: number }[];
}

async function search(
  { ask }: BenchGateway,
  text: string,
  filter: object | null,
  options: object | null = null,
): Promise<Answer> {
  const variables = { text, weights: WEIGHTS, topK: TOP_K, filter, options };
  return (await ask<{ hybridSearch: Answer }>(SEARCH, variables)).hybridSearch;
}

/**
 * By share, how many of the ten best cards the searches found. A search without bounds: what is compared is the order.
 */
async function printRecall(
  run: Run,
  gateway: BenchGateway,
  all: ExhaustiveSearch,
  texts: readonly string[],
): Promise<void> {
  const selections = { unfiltered: { filter: null, passes: () => true }, ...SELECTIONS };
  for (const [name, { filter, passes }] of Object.entries(selections)) {
    const ids = cards.filter(passes).map(({ id }) => String(id));
    let sum = 0;
    for await (const text of run.each(`recall, ${name}`, 'searches', texts)) {
      const { hits } = await search(gateway, text, filter, { lexicalShare: LEXICAL_SHARE, thresholdSteps: [0] });
      const scores = await all.scores(ids, { text, weights: WEIGHTS, lexicalShare: LEXICAL_SHARE });
      sum += recallOf(
        hits.map(({ card }) => card.id),
        scores,
        TOP_K,
      );
    }
    console.log(`${name}: recall@${TOP_K} ${(sum / texts.length).toFixed(3)} of ${ids.length} cards`);
  }
}

/** Processor time of each part and of all parts for one run, in ms. */
async function cpuOf(run: Run, name: string, ask: (round: number) => Promise<unknown>): Promise<string> {
  const before = await cpuSoFar();
  for await (const round of run.each(`processor time, ${name}`, 'rounds', range(CPU_ROUNDS))) await ask(round);
  const cpu = cpuBetween(before, await cpuSoFar());
  if (cpu.size === 0) return 'unknown';
  const ofOne = (ms: number): string => (ms / CPU_ROUNDS).toFixed(1);
  return `${ofOne(sumOf(cpu))} ms (${[...cpu].map(([name, ms]) => `${name} ${ofOne(ms)}`).join(', ')})`;
}

/** The median of each stage in ms, and of the rest: HTTP, GraphQL and the client. */
function stagesOf(receipts: readonly Receipt[], totalMs: number): string {
  const median = (of: (receipt: Receipt) => number): number => percentile(receipts.map(of), 0.5);
  const names = receipts[0]?.stages.map(({ stage }) => stage) ?? [];
  const parts = names.map((name) => {
    const ms = median(({ stages }) => stages.find(({ stage }) => stage === name)?.tookMs ?? 0);
    return `${name} ${ms.toFixed(1)}`;
  });
  const around = totalMs - median(({ tookMs }) => tookMs);
  return [...parts, `around ${around.toFixed(1)}`].join(', ');
}

async function printTimes(run: Run, gateway: BenchGateway, texts: readonly string[]): Promise<void> {
  const embedder = new BuiltinEmbedder(new Tokenizer(), new WordWeights());
  const vectors = (await embedder.embed(texts, 'query', 'question', run.signal)).map((vector) => [...vector]);
  const collections = await collectionsOf(chromaOf(gateway));
  const [question] = collections;
  if (question === undefined) throw new Error('no question collection');
  const text = (round: number): string => texts[round % texts.length] ?? '';
  const vector = (round: number): number[] => vectors[round % vectors.length] ?? [];

  const RAW = 'one raw Chroma query';
  const receipts = new Map<string, Receipt[]>();
  const searching = (name: string, filter: object | null) => async (round: number) => {
    const { receipt } = await search(gateway, text(round), filter);
    receipts.set(name, [...(receipts.get(name) ?? []), receipt]);
  };
  const selections = Object.entries(SELECTIONS);
  const contestants: Contestants = {
    [RAW]: (round) =>
      question.query({ queryEmbeddings: [vector(round)], nResults: NEIGHBOURS, include: ['distances'] }),
    unfiltered: searching('unfiltered', null),
    ...Object.fromEntries(selections.map(([share, { filter }]) => [share, searching(share, filter)])),
  };
  const byWhere: Contestants = Object.fromEntries(
    selections.map(([share, { where }]) => [
      `${share}, where`,
      (round) => searchByWhere(collections, { vector: vector(round), where, weights: WEIGHTS, topK: TOP_K }),
    ]),
  );
  const everyOf = (name: string): number => (name in byWhere ? WHERE_EVERY : 1);
  const times = await compare(run, ROUNDS, { ...contestants, ...byWhere }, everyOf);
  const p50 = (name: string): number => percentile(times[name] ?? [], 0.5);
  run.report(
    'searches',
    Object.entries(times).map(([name, all]) => ({
      search: name,
      ...latencies(all),
      'x raw': p50(name) / p50(RAW),
      'x unfiltered': p50(name) / p50('unfiltered'),
      'faster than where': name in SELECTIONS ? p50(`${name}, where`) / p50(name) : '',
    })),
  );
  for (const [name, all] of receipts) {
    const { filterPlan, matchedByFilter } = all[0] ?? {};
    const candidates = percentile(
      all.map((receipt) => receipt.candidates),
      0.5,
    );
    console.log(
      `${name}: ${filterPlan}, ${matchedByFilter ?? 'all'} match, ${candidates} scored; ${stagesOf(all, p50(name))} ms`,
    );
  }
  for (const [name, ask] of Object.entries(contestants)) {
    console.log(`${name}: processor time ${await cpuOf(run, name, ask)}`);
  }
  const live = new URL('/livez', gateway.url);
  const rows: Row[] = [];
  for (const [name, filter] of [
    ['unfiltered', null],
    ['3 %', SELECTIONS['3 %']?.filter ?? {}],
  ] as const) {
    const requests = { clients: CLIENTS, requests: 4 * ROUNDS };
    const searchAll = () =>
      load(run, requests, (request) =>
        search(gateway, text(request), filter).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof AnsweredError && REFUSALS.includes(error.code))) throw error;
            return false;
          },
        ),
      );
    const { answer, times: lives } = await probing(async () => (await fetch(live)).text(), searchAll);
    rows.push({
      search: name,
      clients: CLIENTS,
      'searches/s': answer.perSecond,
      'p50, ms': percentile(answer.times, 0.5),
      'p99, ms': percentile(answer.times, 0.99),
      'refused or out of time': answer.refused,
      '/livez p50, ms': percentile(lives, 0.5),
      '/livez p99, ms': percentile(lives, 0.99),
    });
  }
  run.report('clients', rows);
  const memory = await memoryOf(gateway.pid);
  if (memory !== null) {
    const { resident, anonymous, file } = memory;
    run.report('memory', [{ 'resident, MB': resident, 'its own, MB': anonymous, 'mapped files, MB': file }]);
  }
}

const texts = notebook(Math.max(ROUNDS, RECALL), 2).map(({ questionText }) => questionText);

await benchmark(async (run) => {
  const all = new ExhaustiveSearch();
  // Before the gateway starts: reading tens of thousands of cards takes longer than the idle timeout of a connection.
  if (RECALL > 0) for await (const card of run.each('reading for recall', 'cards', cards)) await all.add([card]);
  const settings: Record<string, string> = { LEARN_WEIGHTS: 'false' };
  if (options.threads !== null) settings.SEARCH_THREADS = options.threads;
  const gateway = await startBenchGateway(run, options.data, settings);
  await loadCards(run, gateway, cards);
  if (RECALL > 0) await printRecall(run, gateway, all, texts.slice(0, RECALL));
  if (ROUNDS > 0) await printTimes(run, gateway, texts);
});

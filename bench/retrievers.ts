/**
 * Does exact retrieval or Chroma find more, and which is faster?
 *
 *     npm run bench -- retrievers [--cards 1000,10000,50000] [--queries 100] [--dims 384] [--embedders builtin,dense]
 *
 * One collection for each size and embedder, on a PostgreSQL and a Chroma of its own: unfiltered hybrid searches by
 * text, all lanes, k 10, with both retrievers in turn. `exact` scores every card: from vector columns with the sparse
 * vectors of the built-in embedder, from the stored vectors with a dense one. `chroma` asks Chroma, BM25 and the likely
 * labels. In one process, without HTTP and GraphQL, and without threshold steps, so that every list is full.
 *
 * recall@10: the share of the 10 best cards of scoring every card. nDCG@10: the grade of a card is the number of topics
 * that its question shares with the text. Dense vectors come from a model made by code, so compare their nDCG only with
 * each other. Storing and indexing 50,000 cards takes some ten minutes per embedder.
 */
import { join } from 'node:path';
import { ChromaConnection } from '../chroma/client.js';
import { createChromaVectors } from '../chroma/create-chroma.js';
import { PostgresCardStore } from '../prisma/cards/cards.js';
import { PostgresCardFilterStore } from '../prisma/cards/filters.js';
import { openDatabase } from '../prisma/client.js';
import { DirtySignal } from '../prisma/indexing/dirty.js';
import { PostgresIndexLedger } from '../prisma/indexing/ledger.js';
import { PostgresOutbox } from '../prisma/indexing/outbox.js';
import { TableStatistics } from '../prisma/indexing/statistics.js';
import { installationId } from '../prisma/installation.js';
import { Closers, delay } from '../src/domain/async.js';
import { NO_FOREGROUND } from '../src/domain/background.js';
import type { SearchEngine } from '../src/domain/ports/gateway.js';
import type { LexicalWriter } from '../src/domain/ports/lexical.js';
import type { SearchRequest } from '../src/domain/search.js';
import { DEFAULT_VIEWER, type Viewer } from '../src/domain/viewer.js';
import { measure } from '../src/evaluation/metrics.js';
import { Generations } from '../src/indexing/generations.js';
import { Indexer } from '../src/indexing/indexer.js';
import { LexicalIndex } from '../src/lexical/lexical-index.js';
import { analyserOf } from '../src/lexical/terms.js';
import { BuiltinEmbedder } from '../src/models/builtin.js';
import { Embedders } from '../src/models/embedders.js';
import { Inference } from '../src/models/inference/inference.js';
import { createLog } from '../src/observability/log.js';
import { startChroma } from '../src/runtime/embedded/chroma.js';
import { ThisThread } from '../src/scoring/this-thread.js';
import { createSearch } from '../src/search/create-search.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { WordWeights } from '../src/text/word-weights.js';
import { LmdbVectorCache } from '../src/vectors/cache.js';
import { StoredVectors } from '../src/vectors/stored.js';
import { startDatabase } from './database.js';
import { recallOf } from './exhaustive.js';
import { temporaryFolder } from './gateway.js';
import { compare, percentile } from './measure.js';
import { searchFor } from './memory-engine.js';
import { notebook } from './notebook.js';
import { benchmark, type Run, readOptions } from './run.js';
import { writeEmbedder } from './tiny-models.js';

const options = readOptions({ cards: [1_000, 10_000, 50_000], queries: 100, dims: 384, embedders: 'builtin,dense' });
const { queries: QUERIES, dims: DIMS } = options;
const TOP_K = 10;
/** Hits of the exhaustive ranking, of which the 10 best and equally good ones count. */
const COMPLETE = 50;
const AT_A_TIME = 8;
/** The default of VECTOR_CACHE_MB. */
const CACHE_BYTES = 128 * 2 ** 20;
const POLL_MS = 200;
const MODEL = 'tiny/dense';
const MAX_TOKENS = 512;

const log = createLog('error');
const { signal: never } = new AbortController();
const queries = notebook(QUERIES, 2).map(({ questionText }) => questionText);

function topicsOf(questionText: string): readonly string[] {
  return [...questionText.matchAll(/，([^，$]+)，\$/g)].map(([, topic]) => topic ?? '');
}

/** The engine with either choice, over one collection of `size` cards. */
interface Choices {
  readonly exact: SearchEngine;
  readonly chroma: SearchEngine;
}

/** The owner of all cards; a student's search scores every own card. */
const STUDENT: Viewer = { ...DEFAULT_VIEWER, role: 'student' };

async function openChoices(run: Run, closers: Closers, name: string, size: number): Promise<Choices> {
  const { signal } = run;
  const folder = await temporaryFolder(closers);
  const server = await startChroma({ dataDir: join(folder, 'chroma'), log, signal });
  closers.add('Chroma', () => server.close());
  const database = await openDatabase(await startDatabase({ closers, signal }, folder));
  closers.add('database', () => database.close());
  const chroma = new ChromaConnection(() => server.url());
  closers.add('Chroma client', () => chroma.close());

  const tokenizer = new Tokenizer();
  await writeEmbedder(join(folder, 'models'), MODEL, { dims: DIMS });
  const inference = new Inference(log);
  closers.add('inference', () => inference.close());
  const embedders = new Embedders({
    choice: {
      model: name === 'builtin' ? 'builtin' : MODEL,
      dims: name === 'builtin' ? null : DIMS,
      pooling: name === 'builtin' ? null : 'mean',
      maxTokens: name === 'builtin' ? null : MAX_TOKENS,
      dtype: null,
      queryPrefix: null,
      passagePrefix: null,
      perspectivePrefixes: false,
      baseUrl: null,
      apiKey: null,
    },
    files: { folder: join(folder, 'models'), offline: true, hub: 'https://huggingface.co' },
    folder: join(folder, 'embeddings'),
    builtin: new BuiltinEmbedder(tokenizer, new WordWeights()),
    inference,
    announce: () => undefined,
    log,
  });
  closers.add('embedding models', () => embedders.close());
  await embedders.open(signal);

  const dirty = new DirtySignal();
  const cards = new PostgresCardStore(database, dirty);
  const filters = new PostgresCardFilterStore(database);
  const ledger = new PostgresIndexLedger(database, dirty);
  const statistics = new TableStatistics(database, log);
  closers.add('statistics of tables', () => statistics.close());
  const outbox = new PostgresOutbox(database, dirty, 'bench', statistics);
  const vectorStore = createChromaVectors(chroma, await installationId(database));
  const cache = new LmdbVectorCache(join(folder, 'vectors'), CACHE_BYTES);
  cache.open();
  await cache.load(DEFAULT_VIEWER.tenantId);
  closers.add('vector cache', () => cache.close());
  const analyse = analyserOf(tokenizer);
  const index = new LexicalIndex(analyse);
  const lexical: LexicalWriter = {
    set: (_tenantId, cards) => {
      for (const card of cards) index.set(card);
    },
    remove: (_tenantId, cardIds) => {
      for (const cardId of cardIds) index.delete(cardId);
    },
  };
  const generations = new Generations({ ledger, vectorStore, cache, embedders, chromaAboveCards: 0, log });

  await run.together(`storing (${name})`, 'cards', notebook(size), AT_A_TIME, (card) =>
    cards.create(DEFAULT_VIEWER, card),
  );
  const indexer = new Indexer({
    ...{
      ledger,
      outbox,
      vectorStore,
      cache,
      lexical,
      generations,
      log,
    },
    events: { pollMs: POLL_MS, onChange: () => () => undefined },
    onEmbedded: () => undefined,
    background: NO_FOREGROUND,
  });
  indexer.start();
  closers.add('indexer', () => indexer.close());
  const step = run.step(`indexing (${name})`, 'cards', size);
  for (let pending = size; pending > 0; ) {
    await delay(POLL_MS, signal);
    signal.throwIfAborted();
    pending = (await ledger.counts(DEFAULT_VIEWER)).pending;
    step.tell(size - pending);
  }
  step.end();

  const stored = new StoredVectors(cache, vectorStore, ledger);
  const engineOf = (exactLimit: number): SearchEngine =>
    createSearch({
      ...{ cards, filters, ledger, embedders, vectorStore, stored, analyse, log },
      labels: { changes: 0, described: async () => [] },
      tenants: { load: async () => index },
      reranker: null,
      chat: null,
      vectors: cache,
      scorer: new ThisThread(),
      alone: true,
      exactLimit,
      tokenizer,
      onLane: () => undefined,
      onOwnerIndex: () => undefined,
      background: NO_FOREGROUND,
    }).engine;
  const exact = engineOf(Number.POSITIVE_INFINITY);
  return { exact, chroma: engineOf(0) };
}

async function idsOf(engine: SearchEngine, viewer: Viewer, request: SearchRequest): Promise<readonly string[]> {
  return (await engine.search(viewer, request, never)).hits.map(({ card }) => card.id);
}

async function printChoices(run: Run, closers: Closers, name: string, size: number): Promise<void> {
  const choices = await openChoices(run, closers, name, size);
  const topics = new Map(notebook(size).map(({ id, questionText }) => [String(id), topicsOf(questionText)]));
  // Vectors of a model are in no columns: to compare them all is to score every card.
  const viewerOf = (choice: string): Viewer => (choice === 'exact' && name !== 'builtin' ? STUDENT : DEFAULT_VIEWER);
  const sums = { exact: { recall: 0, ndcg: 0 }, chroma: { recall: 0, ndcg: 0 } };
  const retrievers = { exact: new Set<string>(), chroma: new Set<string>() };
  let judged = 0;
  for await (const text of run.each(`finding (${name})`, 'queries', queries)) {
    const { hits } = await choices.exact.search(STUDENT, searchFor(text, COMPLETE), never);
    const scores = new Map(hits.map(({ card, score }) => [card.id, score]));
    const asked = topicsOf(text);
    const grades = new Map(
      [...topics].map(([id, own]): [string, number] => [id, own.filter((topic) => asked.includes(topic)).length]),
    );
    const isJudged = [...grades.values()].some((grade) => grade > 0);
    if (isJudged) judged += 1;
    for (const choice of ['exact', 'chroma'] as const) {
      const result = await choices[choice].search(viewerOf(choice), searchFor(text, TOP_K), never);
      const found = result.hits.map(({ card }) => card.id);
      for (const retriever of result.receipt.retrievers) retrievers[choice].add(retriever);
      sums[choice].recall += recallOf(found, scores, TOP_K);
      if (!isJudged) continue;
      const factsOf = (id: string) => ({ questionKey: id, topics: topics.get(id) ?? [] });
      sums[choice].ndcg += measure({ hits: found, grades, factsOf, k: TOP_K }).ndcgAt10;
    }
  }
  const contestant = (choice: 'exact' | 'chroma') => ({
    run: (round: number) =>
      idsOf(choices[choice], viewerOf(choice), searchFor(queries[round % queries.length] ?? '', TOP_K)),
  });
  const times = await compare(run, QUERIES, { exact: contestant('exact'), chroma: contestant('chroma') });
  const p50 = (choice: 'exact' | 'chroma'): number => percentile(times[choice] ?? [], 0.5);
  for (const choice of ['exact', 'chroma'] as const) {
    const { recall, ndcg } = sums[choice];
    const asked = [...retrievers[choice]].join(' + ');
    console.log(
      `${String(size).padStart(6)} cards, ${name.padEnd(8)} ${choice.padEnd(7)} recall@10 ${(recall / QUERIES).toFixed(3)}   ` +
        `nDCG@10 ${(ndcg / judged).toFixed(3)}   p50 ${p50(choice).toFixed(1).padStart(6)} ms   ` +
        `p95 ${percentile(times[choice] ?? [], 0.95)
          .toFixed(1)
          .padStart(6)} ms   ${asked}`,
    );
  }
  console.log(
    `${' '.repeat(13)} ${name.padEnd(8)} chroma takes ${(p50('chroma') / p50('exact')).toFixed(2)} x the time of exact`,
  );
}

await benchmark(async (run) => {
  for (const size of options.cards) {
    for (const name of options.embedders.split(',')) {
      const closers = new Closers();
      run.closers.add(`${size} cards, ${name}`, closers.close);
      await printChoices(run, closers, name, size);
      await closers.close();
    }
  }
});

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
import { UNSHARED } from '../chroma/claim.js';
import { connectChroma, createChromaVectors } from '../chroma/create-chroma.js';
import { createStores } from '../prisma/create-stores.js';
import { dataFolders, parseConfig } from '../src/config/settings.js';
import { Closers } from '../src/domain/async.js';
import { Background, Foreground } from '../src/domain/background.js';
import type { SearchEngine } from '../src/domain/ports/gateway.js';
import { DEFAULT_VIEWER, type Viewer } from '../src/domain/viewer.js';
import { measure } from '../src/evaluation/metrics.js';
import { createIndexing } from '../src/indexing/create-indexing.js';
import { createLexical } from '../src/lexical/create-lexical.js';
import { createModels } from '../src/models/create-models.js';
import { createObservability } from '../src/observability/create-observability.js';
import { createLog } from '../src/observability/log.js';
import { startServers } from '../src/runtime/servers.js';
import { startIndexing } from '../src/runtime/start-indexing.js';
import { ThisThread } from '../src/scoring/score-pass.js';
import { createSearch } from '../src/search/create-search.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { createVectors } from '../src/vectors/create-vectors.js';
import { recallOf } from './exhaustive.js';
import { indexedAll, temporaryFolder } from './gateway.js';
import { compare, latencies, percentile } from './measure.js';
import { searchFor } from './memory-engine.js';
import { notebook } from './notebook.js';
import { benchmark, type Row, type Run, readOptions } from './run.js';
import { writeEmbedder } from './tiny-models.js';

const options = readOptions({ cards: [1_000, 10_000, 50_000], queries: 100, dims: 384, embedders: 'builtin,dense' });
const { queries: QUERIES, dims: DIMS } = options;
const TOP_K = 10;
/** Hits of the exhaustive ranking, of which the 10 best and equally good ones count. */
const COMPLETE = 50;
const AT_A_TIME = 8;
const MODEL = 'tiny/dense';

const log = createLog('error');
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

/** The parts of a gateway, put together as `src/app.ts` does, up to its search. */
async function openChoices(run: Run, closers: Closers, name: string, size: number): Promise<Choices> {
  const { signal } = run;
  const folder = await temporaryFolder(closers);
  await writeEmbedder(join(folder, 'models'), MODEL, { dims: DIMS });
  const model = {
    EMBEDDING_MODEL: MODEL,
    EMBEDDING_DIMS: String(DIMS),
    EMBEDDING_POOLING: 'mean',
    EMBEDDING_MAX_TOKENS: '512',
    MODELS_OFFLINE: 'true',
  };
  const config = parseConfig({ DATA_DIR: folder, SEED_SAMPLE: 'false', ...(name === 'builtin' ? {} : model) });
  const quiet = { announce: () => undefined, onLane: () => undefined, onOwnerIndex: () => undefined };
  const base = {
    ...{ ...quiet, config, log, signal, closers, folders: dataFolders(folder), tokenizer: new Tokenizer() },
    ...{ holder: 'bench', killed: [], background: new Background(new Foreground()), alone: true },
  };
  const models = await createModels(base);
  const { metrics } = createObservability(models);
  const servers = await startServers(config, base);
  const chroma = await connectChroma(servers, config.chromaAccess, closers);
  const stores = await createStores({ ...base, ...servers, metrics });
  const { cards: store, ledger, installation } = stores;
  const storage = { ...base, ...models, ...stores, inChroma: createChromaVectors(chroma, installation), metrics };
  const vectors = await createVectors(storage);
  const indexes = { ...storage, ...vectors, ...createLexical(storage), scorer: new ThisThread() };
  const indexing = createIndexing(indexes);
  const createAll = async () => 0;
  await startIndexing({ ...base, servers, chroma, claim: UNSHARED, createAll, ledger, indexing, abandoned: false });

  await run.together(`storing (${name})`, 'cards', notebook(size), AT_A_TIME, (card) =>
    store.create(DEFAULT_VIEWER, card),
  );
  await indexedAll(run, async () => (await ledger.counts(DEFAULT_VIEWER)).pending);
  const { tenants } = indexing;
  const engineOf = (exactLimit: number): SearchEngine =>
    createSearch({ ...indexes, tenants, stored: vectors.searched, vectors: vectors.cache, exactLimit }).engine;
  return { exact: engineOf(Number.POSITIVE_INFINITY), chroma: engineOf(0) };
}

async function measureChoices(run: Run, closers: Closers, name: string, size: number): Promise<readonly Row[]> {
  const choices = await openChoices(run, closers, name, size);
  const topics = new Map(notebook(size).map(({ id, questionText }) => [String(id), topicsOf(questionText)]));
  // Vectors of a model are in no columns: to compare them all is to score every card.
  const viewerOf = (choice: string): Viewer => (choice === 'exact' && name !== 'builtin' ? STUDENT : DEFAULT_VIEWER);
  const sums = { exact: { recall: 0, ndcg: 0 }, chroma: { recall: 0, ndcg: 0 } };
  const retrievers = { exact: new Set<string>(), chroma: new Set<string>() };
  let judged = 0;
  for await (const text of run.each(`finding (${name})`, 'queries', queries)) {
    const { hits } = await choices.exact.search(STUDENT, searchFor(text, COMPLETE), run.signal);
    const scores = new Map(hits.map(({ card, score }) => [card.id, score]));
    const asked = topicsOf(text);
    const grades = new Map(
      [...topics].map(([id, own]): [string, number] => [id, own.filter((topic) => asked.includes(topic)).length]),
    );
    const isJudged = [...grades.values()].some((grade) => grade > 0);
    if (isJudged) judged += 1;
    for (const choice of ['exact', 'chroma'] as const) {
      const result = await choices[choice].search(viewerOf(choice), searchFor(text, TOP_K), run.signal);
      const found = result.hits.map(({ card }) => card.id);
      for (const retriever of result.receipt.retrievers) retrievers[choice].add(retriever);
      sums[choice].recall += recallOf(found, scores, TOP_K);
      if (!isJudged) continue;
      const factsOf = (id: string) => ({ questionKey: id, topics: topics.get(id) ?? [] });
      sums[choice].ndcg += measure({ hits: found, grades, factsOf, k: TOP_K }).ndcgAt10;
    }
  }
  const contestant = (choice: 'exact' | 'chroma') => (round: number) =>
    choices[choice].search(viewerOf(choice), searchFor(queries[round % queries.length] ?? '', TOP_K), run.signal);
  const times = await compare(run, QUERIES, { exact: contestant('exact'), chroma: contestant('chroma') });
  const p50 = (choice: 'exact' | 'chroma'): number => percentile(times[choice] ?? [], 0.5);
  return (['exact', 'chroma'] as const).map((choice) => ({
    cards: size,
    embedder: name,
    choice,
    'recall@10': sums[choice].recall / QUERIES,
    'nDCG@10': sums[choice].ndcg / judged,
    ...latencies(times[choice] ?? []),
    'x exact': p50(choice) / p50('exact'),
    retrievers: [...retrievers[choice]].join(' + '),
  }));
}

await benchmark(async (run) => {
  const rows: Row[] = [];
  for (const size of options.cards) {
    for (const name of options.embedders.split(',')) {
      const closers = new Closers();
      run.closers.add(`${size} cards, ${name}`, closers.close);
      rows.push(...(await measureChoices(run, closers, name, size)));
      await closers.close();
    }
  }
  run.report('retrievers', rows);
});

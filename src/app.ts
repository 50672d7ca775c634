import type { Logger } from 'pino';
import { ChromaConnection } from '../chroma/client.js';
import { ChromaCollections } from '../chroma/collections.js';
import { ChromaInspector } from '../chroma/inspector.js';
import { ChromaReader } from '../chroma/recall.js';
import { ChromaWriter } from '../chroma/writer.js';
import { PostgresApiKeys } from '../prisma/api-keys.js';
import { PostgresIndexAudit } from '../prisma/audit.js';
import { PostgresCardStore } from '../prisma/cards.js';
import { openDatabase } from '../prisma/client.js';
import { DirtySignal } from '../prisma/dirty.js';
import { PostgresCardFilterStore } from '../prisma/filters.js';
import { PostgresImportJobStore } from '../prisma/import-jobs.js';
import { PostgresIndexChanges } from '../prisma/index-changes.js';
import { installationId } from '../prisma/installation.js';
import { PostgresIndexLedger } from '../prisma/ledger.js';
import { migrate } from '../prisma/migrate.js';
import { PostgresImportStore } from '../prisma/notebook.js';
import { PostgresOutbox } from '../prisma/outbox.js';
import { checkRowLevelSecurity } from '../prisma/row-level-security.js';
import { createGraphql } from '../resolvers/apollo.js';
import { RateLimits } from '../resolvers/rate-limits.js';
import { authenticatorOf, EVERYONE } from './access/authenticator.js';
import { hostNames } from './access/hosts.js';
import { KeyChecker, type KeyCheckerParts } from './access/key-checker.js';
import type { PersistedOperations } from './access/persisted-operations.js';
import { TokenChecker } from './access/token-checker.js';
import { packageRoot } from './config/package-root.js';
import { type Config, DATA_DIR_NAMES, dataFolders } from './config/settings.js';
import { Closers } from './domain/async.js';
import { BackgroundTurns } from './domain/background.js';
import { asError } from './domain/errors.js';
import type { Authenticator } from './domain/ports/callers.js';
import { DEFAULT_VIEWER } from './domain/viewer.js';
import { createMeasuring } from './evaluation/create-evaluation.js';
import { ClusterFinder } from './exchange/duplicates/cluster-finder.js';
import { DuplicateService } from './exchange/duplicates/duplicate-service.js';
import { questionJudge } from './exchange/duplicates/judge.js';
import { Exporter } from './exchange/export/exporter.js';
import { Papers } from './exchange/export/papers.js';
import { Importer } from './exchange/import/importer.js';
import { fingerprintQuestions } from './exchange/import/print-questions.js';
import { RequestImporter } from './exchange/import/request-importer.js';
import { exportRoute } from './http/export.js';
import { importRoute } from './http/import.js';
import type { OnAnswered } from './http/log.js';
import { createHttp, refuseTakenPort } from './http/server.js';
import { startPage } from './http/start-page.js';
import { ChangeConsumer } from './indexing/change-consumer.js';
import { ChangeSignal } from './indexing/change-signal.js';
import { Generations } from './indexing/generations.js';
import { IndexService } from './indexing/index-service.js';
import { Indexer } from './indexing/indexer.js';
import { loadSnapshots } from './indexing/load-snapshots.js';
import { ReconciliationLoop } from './indexing/reconciliation-loop.js';
import { SnapshotSaver } from './indexing/save-snapshots.js';
import { LexicalIndexes } from './lexical/indexes.js';
import { madeBy } from './lexical/snapshots/made-by.js';
import { SnapshotFiles } from './lexical/snapshots/snapshot-files.js';
import { analyserOf } from './lexical/terms.js';
import { BuiltinEmbedder } from './models/builtin.js';
import { Embedders } from './models/embedders.js';
import { Inference } from './models/inference/inference.js';
import { openReranker } from './models/reranker.js';
import { createMetrics } from './observability/metrics.js';
import { SearchLog } from './observability/search-metrics.js';
import { showState } from './observability/state-metrics.js';
import type { Traces } from './observability/traces.js';
import { lockDataDir } from './runtime/embedded/data-lock.js';
import { usingFolder } from './runtime/embedded/folder.js';
import { closeToOthers } from './runtime/embedded/private-folder.js';
import { prepareIndex } from './runtime/first-start.js';
import { readinessOf } from './runtime/readiness.js';
import { startServers } from './runtime/servers.js';
import { startedText } from './runtime/started-text.js';
import { Workers } from './runtime/workers/workers.js';
import { AdmissionControl } from './search/admission.js';
import { createSearch } from './search/create-search.js';
import { defaultSettings } from './search/profile.js';
import { Synonyms } from './text/synonyms.js';
import { Tokenizer } from './text/tokenizer.js';
import { WordWeights } from './text/word-weights.js';
import { LmdbVectorCache } from './vectors/cache.js';
import { StoredVectors } from './vectors/stored.js';

/** A running gateway. */
export interface App {
  /** Where GraphQL listens: `http://127.0.0.1:4000/graphql`. */
  readonly url: string;
  /** Drains requests, finishes or gives back the batch in hand, then ends what was started, in reverse order. */
  close(): Promise<void>;
}

/** What the composition root is given; everything else it builds. */
export interface AppParts {
  readonly config: Config;
  /** The operations that are answered, and no others; null: any. */
  readonly operations: PersistedOperations | null;
  readonly log: Logger;
  /** Says to whoever started the gateway how far it is. */
  readonly announce: (line: string) => void;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
}

/** Builds every part, wires them by plain constructor arguments, and starts them. What was started is closed if one fails. */
export async function startApp(parts: AppParts): Promise<App> {
  const closers = new Closers();
  try {
    const url = await start(parts, closers);
    parts.signal.throwIfAborted();
    return { url, close: closers.close };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function start({ config, operations, log, announce, signal }: AppParts, closers: Closers): Promise<string> {
  const lock = await lockDataDir(config.dataDir);
  closers.add('data directory', () => lock.release());
  await usingFolder(config.dataDir, () => closeToOthers(config.dataDir, DATA_DIR_NAMES));
  // Known before anything is started; the port itself is taken when there is something to answer with.
  await refuseTakenPort(config);

  const folders = dataFolders(config.dataDir);
  const tokenizer = new Tokenizer();
  const inference = new Inference(log);
  closers.add('inference', () => inference.close());
  const embedders = new Embedders({
    choice: config.embedding,
    files: config.models,
    folder: folders.embeddings,
    builtin: new BuiltinEmbedder(tokenizer, new WordWeights()),
    inference,
    announce,
    log,
  });
  closers.add('embedding models', () => embedders.close());
  // Before the servers: a model that is not there is said at once.
  await embedders.open(signal);
  const reranker = await openReranker(
    { name: config.rerankerModel, files: config.models, inference, announce },
    signal,
  );

  const servers = await startServers(config, { log, announce, closers, signal });
  // Before the database is touched: a server that is not there is said at once.
  const chroma = new ChromaConnection(servers.chromaUrl, config.chromaAccess);
  closers.add('Chroma client', () => chroma.close());
  await servers.expectChroma(() => chroma.ping());
  await migrate(servers.databaseUrl, signal);
  const metrics = createMetrics();
  metrics.caches.watchEmbeddings(() => embedders.cacheHits);
  const database = await openDatabase(servers.databaseUrl, {
    onQuery: () => metrics.countSqlStatement(),
    onConnectionLost: ({ message }) => log.warn({ reason: message }, 'a connection to PostgreSQL was lost'),
  });
  closers.add('database', () => database.close());
  await checkRowLevelSecurity(database);
  const dirty = new DirtySignal();
  const store = new PostgresCardStore(database, dirty, questionJudge);
  const filters = new PostgresCardFilterStore(database);
  const outbox = new PostgresOutbox(database, dirty);
  const ledger = new PostgresIndexLedger(database, dirty);

  const installation = await installationId(database);
  const collections = new ChromaCollections(chroma, installation);
  const reader = new ChromaReader(collections);
  const writer = new ChromaWriter(collections);

  const cache = new LmdbVectorCache(folders.vectors, config.vectorCacheMb * 2 ** 20);
  await usingFolder(folders.vectors, async () => cache.open());
  closers.add('vector cache', () => cache.close());
  const stored = new StoredVectors(cache, reader, ledger, metrics.caches.vectors);

  const analyse = analyserOf(tokenizer);
  const lexical = new LexicalIndexes(analyse);
  const words = new SnapshotFiles({
    folder: folders.words,
    madeBy: `${madeBy()} ${installation}`,
    log,
  });
  const keeper = new SnapshotSaver({ lexical, store: words, log });

  const changes = new PostgresIndexChanges(database, servers.databaseUrl);
  const events = new ChangeSignal({ changes, outbox, log });
  const generations = new Generations({ ledger, collections, cache, embedders, log });
  const onEmbedded = (texts: number): void => metrics.countEmbedded(texts);
  const indexer = new Indexer({
    ledger,
    outbox,
    events,
    reader,
    writer,
    cache,
    lexical,
    generations,
    log,
    onEmbedded,
  });
  const healer = new ReconciliationLoop({
    audit: new PostgresIndexAudit(database, dirty),
    inspector: new ChromaInspector(collections),
    reader,
    writer,
    cache,
    random: Math.random,
    ledger,
    generations,
    log,
  });
  const follower = new ChangeConsumer({
    changes,
    events,
    ledger,
    lexical,
    stored: new StoredVectors(cache, reader, ledger),
    cache,
    log,
  });
  const control = new IndexService({ ledger, collections, generations, indexer, healer });
  const { engine, suggester } = createSearch({
    cards: store,
    filters,
    ledger,
    embedders,
    reranker,
    reader,
    stored,
    lexical,
    vectors: cache,
    // Nobody else can reach the embedded database.
    alone: config.database.kind === 'embedded',
    exactLimit: config.searchExactLimit,
    analyse,
    synonyms: new Synonyms(tokenizer),
    onLane: metrics.searches.lane,
    onOwnerIndex: metrics.caches.ownNotebook,
    log,
  });

  const notebook = new PostgresImportStore(database, dirty, questionJudge);
  const importParts = { jobs: new PostgresImportJobStore(database), notebook, judge: questionJudge, log };
  const importer = new Importer({
    ...importParts,
    folder: folders.imports,
    // Nobody else can reach the embedded database.
    alone: config.database.kind === 'embedded',
  });
  const background = new BackgroundTurns((maxMs) => admission.whenIdle(maxMs));
  const workers = new Workers();
  const measuring = createMeasuring({
    database,
    engine,
    searches: engine,
    ledger,
    cards: store,
    words: (text) => tokenizer.tokens(text),
    model: config.embedding.model,
    searchProfile: config.searchProfile,
    takeTurn: background.take,
    searchLog: { keep: config.searchLog, days: config.searchLogDays, key: installation },
    log,
  });
  closers.add('measuring', measuring.close);
  await measuring.start();

  const clusters = new ClusterFinder({ cards: store, notebook, workers, takeTurn: background.take });
  const searchLog = new SearchLog({ embeddingCacheHitRate: () => embedders.cacheHitRate });
  const admission = new AdmissionControl(measuring.logged);
  const rates = ratesOf(config);
  const graphql = await createGraphql({
    store,
    ledger,
    engine: admission,
    refuseOverload: () => admission.refuseOverload(),
    loggedSearches: measuring.logged,
    suggester,
    control,
    imports: new RequestImporter({ ...importParts, files: importer }),
    doubles: new DuplicateService({ cards: store, notebook, judge: questionJudge, clusters }),
    golden: measuring.golden,
    profiles: measuring.profiles,
    defaults: defaultSettings(config.embedding.model),
    evaluations: measuring.evaluations,
    searches: {
      measure: (operation, viewer, search) =>
        metrics.searches.measure(operation, () => searchLog.measure(operation, viewer, search)),
    },
    searchMetrics: searchLog,
    countOperation: metrics.requests.operation,
    log,
    production: config.production,
    rates,
    operations,
  });
  closers.add('GraphQL', graphql.stop);
  const readiness = readinessOf({ viewer: DEFAULT_VIEWER, ledger, chroma, servers });
  const authenticator = authenticatorFor(config.auth, {
    keys: new PostgresApiKeys(database),
    onLookUp: metrics.caches.key,
    log,
  });
  const guard = { authenticator, hosts: hostNames(config) };
  const look = showState(metrics.registry, {
    backlog: () => outbox.backlog(),
    generations: () => ledger.generations(),
    indexerPaused: () => indexer.paused,
    children: servers.states,
  });
  const page = {
    contentType: metrics.registry.contentType,
    metrics: async () => {
      await look();
      return metrics.registry.metrics();
    },
  };
  const papers = new Papers({ workers, folder: folders.exports });
  await usingFolder(folders.exports, () => papers.start());
  const exporter = new Exporter({ cards: store, notebook, papers, takeTurn: background.take });
  const traces = await tracesFor(config, log);
  if (traces !== null) closers.add('traces', traces.close);
  const onAnswered: OnAnswered = (request) => {
    metrics.requests.answered(request.route, request.status, request.tookMs / 1_000);
    traces?.answered(request);
  };
  const http = await createHttp({
    graphql: graphql.route,
    startPage: startPage({ production: config.production, folder: packageRoot() }),
    files: [importRoute(importer), exportRoute(exporter)],
    rates,
    readiness,
    metrics: page,
    onAnswered,
    guard,
    drainMs: config.drainMs,
    log,
  });

  servers.onChromaRestart(() => {
    chroma.cameBack();
    indexer.resume();
    healer.look();
  });
  chroma.onRecovery(() => {
    indexer.resume();
    healer.look();
  });
  chroma.onLoss(() => healer.look());
  chroma.onStuck(() => {
    servers
      .restartChroma()
      .catch((thrown: unknown) => log.error({ err: asError(thrown) }, 'Chroma could not be ended'));
  });
  // The embedded database has no other gateway: whatever is claimed there was claimed by one that was killed.
  if (config.database.kind === 'embedded') await outbox.releaseAll();
  await generations.verify();
  await generations.adopt();
  await follower.begin();
  await loadSnapshots({ ledger, lexical, store: words, log, signal });
  closers.add('copies of the words', () => keeper.close());
  keeper.start();
  closers.add('change signal', () => events.close());
  events.start();
  closers.add('follower', () => follower.close());
  follower.start();
  closers.add('indexer', () => indexer.close());
  closers.add('healer', () => healer.close());
  await prepareIndex({ config, store, ledger, generations, indexer, announce, signal });
  await fingerprintQuestions(notebook, signal);
  closers.add('importer of a failed start', () => importer.close());
  await usingFolder(folders.imports, () => importer.start());
  // Whoever was killed may have left the index in any state.
  healer.start(lock.abandoned ? 0 : undefined);
  closers.add('calls to Chroma', async () => void setTimeout(() => void chroma.close(), HANGING_CALL_MS).unref());
  closers.add('HTTP server', () => http.close());
  // First of all: uploads wait for their reader, and what it has not read is read after the next start.
  closers.add('importer', () => importer.close());
  const url = `${await http.listen(config)}/graphql`;
  announce(
    startedText({ config, url, databaseUrl: servers.databaseUrl, chromaUrl: servers.chromaUrl(), pid: process.pid }),
  );
  return url;
}

/**
 * How long the last calls to Chroma may take when the gateway stops. Where it hangs they would go on for minutes, longer than the
 * whole stop may take; cut off, the cards of a batch are given back.
 */
const HANGING_CALL_MS = 5_000;

/** Loaded where traces are wanted, and nowhere else. */
async function tracesFor({ tracesEndpoint: endpoint }: Config, log: Logger): Promise<Traces | null> {
  if (endpoint === null) return null;
  const { startTraces } = await import('./observability/traces.js');
  return startTraces({ endpoint, log });
}

/** At once, two seconds' worth: what a page asks for when it opens. */
function ratesOf({ rateLimit }: Config): RateLimits | null {
  return rateLimit === null ? null : new RateLimits({ perSecond: rateLimit, atOnce: Math.max(10, 2 * rateLimit) });
}

function authenticatorFor(auth: Config['auth'], parts: KeyCheckerParts & { readonly log: Logger }): Authenticator {
  if (auth === null) return EVERYONE;
  return authenticatorOf({
    keys: auth.apiKeys ? new KeyChecker(parts) : null,
    tokens: auth.tokens === null ? null : new TokenChecker({ settings: auth.tokens, log: parts.log }),
  });
}

import type { Logger } from 'pino';
import { claimCollections, UNSHARED } from '../chroma/claim.js';
import { connectChroma, createChromaVectors, limitLastCalls } from '../chroma/create-chroma.js';
import { createStores } from '../prisma/create-stores.js';
import { createGraphql } from '../resolvers/apollo.js';
import { RateLimits } from '../resolvers/requests/rate-limits.js';
import { createAccess } from './access/create-access.js';
import { packageRoot, studioFolder } from './config/package-root.js';
import { dataFolders } from './config/settings.js';
import { Closers } from './domain/async.js';
import { Background, Foreground } from './domain/background.js';
import { createEvaluation } from './evaluation/create-evaluation.js';
import { createExchange } from './exchange/create-exchange.js';
import { refuseTakenPort } from './http/address.js';
import { createRoutes } from './http/create-routes.js';
import { createHttp } from './http/server.js';
import { createIndexing } from './indexing/create-indexing.js';
import { createLexical } from './lexical/create-lexical.js';
import { mcpRoute } from './mcp/route.js';
import { createModels } from './models/create-models.js';
import { createMetricsPage, createObservability, observeRequests } from './observability/create-observability.js';
import { createPractice } from './practice/create-practice.js';
import { openDataDir } from './runtime/embedded/data-lock.js';
import { usingFolder } from './runtime/embedded/folder.js';
import type { Settings } from './runtime/load-settings.js';
import { readinessOf } from './runtime/readiness.js';
import { startServers } from './runtime/servers.js';
import { startIndexing } from './runtime/start-indexing.js';
import { startedText } from './runtime/started-text.js';
import { createScoring } from './scoring/create-scoring.js';
import { AdmissionControl } from './search/admission.js';
import { createSearch } from './search/create-search.js';
import { Tokenizer } from './text/tokenizer.js';
import { createTutoring } from './tutoring/create-tutoring.js';
import { createVectors } from './vectors/create-vectors.js';
import { removeDamagedFiles } from './vectors/damaged-files.js';

export interface App {
  /** Where GraphQL listens: `http://127.0.0.1:4000/graphql`. */
  readonly url: string;
  /** Drains requests, finishes or gives back the batch in hand, then ends what was started, in reverse order. */
  close(): Promise<void>;
}

export interface AppParts extends Settings {
  readonly log: Logger;
  /** Says to whoever started the gateway how far it is. */
  readonly announce: (line: string) => void;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
}

/**
 * Builds and starts every part: each folder's create function takes what it names of the parts before it. Closes what
 * was started if one fails.
 */
export async function startApp(parts: AppParts): Promise<App> {
  const closers = new Closers();
  const work = async (): Promise<App> => {
    const url = await start(parts, closers);
    parts.signal.throwIfAborted();
    return { url, close: closers.close };
  };
  return closers.closingIfFailed(work, (err) => parts.log.error({ err }, 'the failed start was not closed cleanly'));
}

async function start(given: AppParts, closers: Closers): Promise<string> {
  const { config, announce, log, signal } = given;
  const { holder, abandoned, killed } = await openDataDir(config.dataDir, closers, log);
  // Known before anything is started; the port itself is taken when there is something to answer with.
  await refuseTakenPort(config);
  const folders = dataFolders(config.dataDir);
  for (const folder of [folders.embeddings, folders.vectors]) {
    await usingFolder(folder, () => removeDamagedFiles(folder, log));
  }
  const tokenizer = new Tokenizer();
  const foreground = new Foreground();
  const background = new Background(foreground);
  const base = { ...given, holder, killed, closers, folders, tokenizer, background, takeTurn: background.take };
  // Missing models and servers are reported before the database is touched.
  const models = await createModels(base);
  const { metrics, observe, searchMetrics } = createObservability(models);
  const servers = await startServers(config, base);
  const chroma = await connectChroma(servers, config.chromaAccess, closers);
  const stores = await createStores({ ...base, ...servers, metrics });
  const { cards: store, ledger, labels, installation, identity } = stores;
  const claiming = { ...base, chroma, installation, database: identity };
  const claim = config.chroma.kind === 'external' ? await claimCollections(claiming) : UNSHARED;
  const inChroma = createChromaVectors(chroma, installation, claim);
  const alone = config.database.kind === 'embedded'; // Nobody else can reach that database.
  const storage = { ...base, ...models, ...stores, inChroma, metrics, alone };
  const vectors = await usingFolder(folders.vectors, () => createVectors(storage));
  const indexes = { ...storage, ...vectors, ...createLexical(storage), ...createScoring(base) };
  const indexing = createIndexing(indexes);
  const { indexer, tenants } = indexing;
  const { engine, backgroundEngine, suggester } = createSearch({
    ...indexes,
    ...{ tenants, stored: vectors.searched, vectors: vectors.cache },
    exactLimit: config.searchExactLimit,
    onLane: metrics.searches.lane,
    onOwnerIndex: metrics.caches.ownerIndex,
  });
  const evaluation = await createEvaluation({ ...storage, tenants, backgroundEngine });
  const admission = new AdmissionControl(engine, foreground);
  const observed = observe(admission, evaluation.loggedSearches.record);
  const exchange = await createExchange(storage);
  const tutoring = createTutoring({ ...storage, ...evaluation, engine: observed });
  const practice = createPractice({ ...storage, ...evaluation, suggester, engine: observed });
  const access = createAccess({ config, keys: stores.keys, onLookUp: metrics.caches.key, log });
  const api = { ...exchange, ...evaluation, ...tutoring, ...practice, ...access, labels, searchMetrics };
  const rates = RateLimits.of(config.rateLimit);
  const graphql = await createGraphql({
    ...given,
    ...stores,
    ...indexing,
    ...api,
    store,
    engine: observed,
    refuseOverload: (viewer) => admission.refuseOverload(viewer),
    suggester,
    countOperation: metrics.requests.operation,
    rates,
  });
  closers.add('GraphQL', graphql.stop);
  const routes = createRoutes({ ...access, ...exchange, ...config, documents: packageRoot(), studio: studioFolder() });
  const http = await createHttp({
    graphql: graphql.route,
    pages: routes.pages,
    files: [...routes.files, tutoring.contextRoute, mcpRoute(config)],
    rates,
    readiness: readinessOf({ ...stores, chroma, claim, servers }),
    metrics: createMetricsPage(metrics, { ...stores, indexer, servers, claim }),
    onAnswered: await observeRequests({ config, metrics, log, closers }),
    guard: access,
    foreground,
    drainMs: config.drainMs,
    log,
  });
  await claim.confirm();
  await startIndexing({ ...base, ...exchange, servers, chroma, claim, ledger, indexing, abandoned });
  await exchange.start(closers, signal);
  limitLastCalls(chroma, closers);
  closers.add('HTTP server', () => http.close());
  // Closed first: uploads wait for their reader, and what it has not read is read after the next start.
  closers.add('importer', () => exchange.importer.close());
  const url = `${await http.listen(config)}/graphql`;
  announce(startedText({ ...servers, config, url, chromaUrl: servers.chromaUrl(), pid: process.pid }));
  return url;
}

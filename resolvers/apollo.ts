// type-graphql's decorators run while the modules below are read, and need this by then.
import 'reflect-metadata';
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import type { FastifyPluginAsync } from 'fastify';
import { once } from '../src/domain/async.js';
import type { CardStore } from '../src/domain/ports/cards.js';
import type { Evaluations, GoldenSets, LoggedSearches, SearchProfiles } from '../src/domain/ports/evaluation.js';
import type { IndexControl, SearchEngine, TagSuggester } from '../src/domain/ports/gateway.js';
import type { IndexLedger } from '../src/domain/ports/ledger.js';
import type { ProfileSettings } from '../src/domain/profile.js';
import { CardResolver } from './card.resolver.js';
import type { Context } from './context.js';
import { PARSE_OPTIONS } from './document-guard.js';
import { type Duplicates, DuplicatesResolver } from './duplicates.resolver.js';
import { type ErrorLog, errorFormatter } from './errors.js';
import { EvaluationResolver } from './evaluation.resolver.js';
import { GoldenResolver } from './golden.resolver.js';
import { operationGuard } from './guard.js';
import { ImportResolver, type Imports } from './import.resolver.js';
import { IndexResolver } from './index.resolver.js';
import { MetricsResolver, type SearchMetricsReader } from './metrics.resolver.js';
import type { OperationList } from './persisted-operations.js';
import { ProfileResolver } from './profile.resolver.js';
import type { RateLimits } from './rate-limits.js';
import { type CountOperation, requestMeter } from './request-meter.js';
import { graphqlRoute } from './route.js';
import { createSchema } from './schema.js';
import { type SearchMeter, SearchResolver } from './search.resolver.js';
import { SuggestResolver } from './suggest.resolver.js';

/** Errors that validation, or the coercion of variables, reports before it gives up. */
const MAX_REQUEST_ERRORS = 5;

/** Where the API writes what clients may not see, and what Apollo Server has to say. */
export interface GraphqlLog extends ErrorLog {
  warn(facts: object, message: string): void;
}

/** What the API stands on. */
export interface GraphqlParts {
  readonly store: CardStore;
  readonly ledger: Pick<IndexLedger, 'states'>;
  readonly engine: SearchEngine;
  /** RateLimitedError where a search that came now would wait too long. */
  readonly refuseOverload: () => void;
  readonly suggester: TagSuggester;
  readonly control: IndexControl;
  readonly imports: Imports;
  readonly duplicates: Duplicates;
  readonly golden: GoldenSets;
  readonly profiles: SearchProfiles;
  /** The settings of searches that name no profile. */
  readonly defaults: ProfileSettings;
  readonly evaluations: Evaluations;
  readonly searches: SearchMeter;
  readonly countOperation: CountOperation;
  readonly searchMetrics: SearchMetricsReader;
  readonly loggedSearches: LoggedSearches;
  readonly log: GraphqlLog;
  /** Turns off introspection and the sandbox. */
  readonly production: boolean;
  /** How often a caller may ask; null: as often as it likes. */
  readonly rates: RateLimits | null;
  /** The operations that are answered, and no others; null: any. */
  readonly operations: OperationList | null;
}

/** The API as the composition root handles it. */
export interface Graphql {
  /** The `/graphql` route, for an HTTP server to register. */
  readonly route: FastifyPluginAsync;
  /** Ends Apollo Server, after the HTTP server has ended. May be called twice. */
  readonly stop: () => Promise<void>;
}

/** The API, started and ready to be served. */
export async function createGraphql(parts: GraphqlParts): Promise<Graphql> {
  const { store, ledger, engine, suggester, control, imports, duplicates, searches, searchMetrics, log, production } =
    parts;
  const { countOperation, operations } = parts;
  const apollo = new ApolloServer<Context>({
    schema: createSchema([
      new CardResolver(store, control, duplicates),
      new SearchResolver(engine, searches, parts.profiles),
      new SuggestResolver(suggester),
      new IndexResolver(control),
      new ImportResolver(imports),
      new DuplicatesResolver(duplicates),
      new GoldenResolver(parts.golden),
      new EvaluationResolver(parts.evaluations),
      new ProfileResolver(parts.profiles, parts.defaults),
      new MetricsResolver(searchMetrics, parts.loggedSearches),
    ]),
    introspection: !production,
    hideSchemaDetailsFromClientErrors: true,
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    parseOptions: PARSE_OPTIONS,
    validationOptions: { maxErrors: MAX_REQUEST_ERRORS },
    executionOptions: { maxCoercionErrors: MAX_REQUEST_ERRORS },
    formatError: errorFormatter(log),
    stopOnTerminationSignals: false,
    logger: apolloLog(log),
    plugins: [...NOTHING_IS_REPORTED, landingPage(production), requestMeter(countOperation), operationGuard(parts)],
  });
  await apollo.start();
  return {
    route: graphqlRoute({ apollo, store, ledger, production, operations }),
    // A second stop() of Apollo Server 5.5 never settles while the first one runs.
    stop: once(() => apollo.stop()),
  };
}

/** Apollo Server reads APOLLO_KEY and others from the environment by itself; a notebook's queries are nobody else's business. */
const NOTHING_IS_REPORTED: readonly ApolloServerPlugin[] = [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

/** Apollo Server's own lines. Below a warning it only tells that it started and stopped. */
function apolloLog(log: GraphqlLog) {
  const facts = { part: 'apollo' };
  return {
    debug: () => {},
    info: () => {},
    warn: (message: unknown) => log.warn(facts, String(message)),
    error: (message: unknown) => log.error(facts, String(message)),
  };
}

function landingPage(production: boolean): ApolloServerPlugin {
  if (production) return ApolloServerPluginLandingPageDisabled();
  return ApolloServerPluginLandingPageLocalDefault({ footer: false, embed: { runTelemetry: false } });
}

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
import type { Authenticator } from '../src/domain/ports/callers.js';
import type { CardStore } from '../src/domain/ports/cards.js';
import type { ChangeEvents } from '../src/domain/ports/changes.js';
import type { SearchProfiles } from '../src/domain/ports/evaluation.js';
import type { IndexControl, SearchEngine, TagSuggester } from '../src/domain/ports/gateway.js';
import type { LabelStore } from '../src/domain/ports/labels.js';
import type { IndexLedger } from '../src/domain/ports/ledger.js';
import type { LoggedSearches } from '../src/domain/ports/search-log.js';
import type { SyncFeed } from '../src/domain/ports/sync.js';
import type { ContextBuilder, Tutor } from '../src/domain/ports/tutoring.js';
import type { ProfileSettings } from '../src/domain/profile.js';
import type { DuplicateService } from '../src/exchange/duplicates/duplicate-service.js';
import { ApiKeyResolver, type ApiKeys } from './access/api-key.resolver.js';
import { ViewerResolver } from './access/viewer.resolver.js';
import { BulkResolver } from './cards/bulk.resolver.js';
import { CardResolver } from './cards/card.resolver.js';
import { type DuplicatesParts, DuplicatesResolver } from './cards/duplicates.resolver.js';
import { LabelResolver } from './cards/label.resolver.js';
import { SyncResolver } from './cards/sync.resolver.js';
import type { Context } from './context.js';
import { type ErrorLog, errorFormatter } from './errors.js';
import { EvaluationResolver, type Evaluations } from './evaluation/evaluation.resolver.js';
import { GoldenResolver, type GoldenSets } from './evaluation/golden.resolver.js';
import { EventResolver } from './events/event.resolver.js';
import type { StreamLimits } from './events/open-streams.js';
import { streamRoute } from './events/stream-route.js';
import { type ImportParts, ImportResolver } from './import/import.resolver.js';
import { type Practice, PracticeResolver } from './practice/practice.resolver.js';
import {
  type Difficulties,
  type Ladders,
  type Masteries,
  MasteryResolver,
} from './practice/practice-mastery.resolver.js';
import { OverviewResolver, type Overviews } from './practice/practice-overview.resolver.js';
import { PARSE_OPTIONS } from './requests/document-guard.js';
import { asSubgraph } from './requests/federation.js';
import { operationGuard } from './requests/guard.js';
import { nullableCopy } from './requests/nullable-schema.js';
import { onErrorNull } from './requests/on-error.js';
import type { OperationList } from './requests/persisted-operations.js';
import type { RateLimits } from './requests/rate-limits.js';
import { type CountOperation, requestMeter } from './requests/request-meter.js';
import { graphqlRoute } from './route.js';
import { createSchema } from './schema.js';
import { IndexResolver } from './search/index.resolver.js';
import { MetricsResolver, type SearchMetricsReader } from './search/metrics.resolver.js';
import { ProfileResolver } from './search/profile.resolver.js';
import { SearchResolver } from './search/search.resolver.js';
import { SuggestResolver } from './search/suggest.resolver.js';
import { TutorResolver } from './tutoring/tutor.resolver.js';
import { TutoringResolver } from './tutoring/tutoring.resolver.js';

/** Errors that validation, or the coercion of variables, reports before it gives up. */
const MAX_REQUEST_ERRORS = 5;

/** Log of internal errors and of Apollo Server. */
export interface GraphqlLog extends ErrorLog {
  warn(facts: object, message: string): void;
}

export interface GraphqlParts extends ImportParts, DuplicatesParts {
  readonly store: CardStore;
  readonly feed: SyncFeed;
  readonly ledger: Pick<IndexLedger, 'states'>;
  readonly engine: SearchEngine;
  /** RateLimitedError if a new search would wait too long. */
  readonly refuseOverload: () => void;
  readonly labels: LabelStore;
  readonly suggester: TagSuggester;
  readonly control: IndexControl;
  readonly duplicates: DuplicatesParts['duplicates'] & Pick<DuplicateService, 'create'>;
  readonly golden: GoldenSets;
  readonly profiles: SearchProfiles;
  /** Settings of searches without a profile. */
  readonly defaults: ProfileSettings;
  readonly evaluations: Evaluations;
  readonly practice: Practice;
  readonly masteries: Masteries;
  readonly ladders: Ladders;
  readonly difficulties: Difficulties;
  readonly overviews: Overviews;
  readonly countOperation: CountOperation;
  readonly searchMetrics: SearchMetricsReader;
  readonly loggedSearches: LoggedSearches;
  readonly tutoring: ContextBuilder;
  readonly apiKeys: ApiKeys;
  readonly tutor: Tutor;
  readonly events: ChangeEvents;
  readonly authenticator: Authenticator;
  /** Overridden by tests. */
  readonly streamLimits?: StreamLimits;
  readonly log: GraphqlLog;
  /** Turns off introspection and the sandbox. */
  readonly production: boolean;
  /** Makes the API a subgraph of Apollo Federation 2. */
  readonly federation: boolean;
  /** Rate limits of callers; null: none. */
  readonly rates: RateLimits | null;
  /** Persisted operations; null: any operation is accepted. */
  readonly operations: OperationList | null;
}

export interface Graphql {
  /** The routes `/graphql` and `/graphql/stream`, for an HTTP server to register. */
  readonly route: FastifyPluginAsync;
  /** Stops Apollo Server, after the HTTP server. May be called twice. */
  readonly stop: () => Promise<void>;
}

/** The API, started and ready to be served. */
export async function createGraphql(parts: GraphqlParts): Promise<Graphql> {
  const { store, engine, suggester, control, duplicates, searchMetrics, log, production } = parts;
  const { countOperation } = parts;
  const formatError = errorFormatter(log);
  const api = createSchema([
    new CardResolver(store, control, duplicates),
    new SyncResolver(parts.feed),
    new BulkResolver(store, duplicates, formatError),
    new SearchResolver(engine, parts.profiles),
    new SuggestResolver(suggester),
    new LabelResolver(parts.labels),
    new IndexResolver(control),
    new ImportResolver(parts),
    new DuplicatesResolver(parts),
    new GoldenResolver(parts.golden),
    new EvaluationResolver(parts.evaluations),
    new ProfileResolver(parts.profiles, parts.defaults),
    new PracticeResolver(parts.practice, parts.ladders),
    new MasteryResolver(parts.masteries, parts.ladders, parts.difficulties),
    new OverviewResolver(parts.overviews),
    new MetricsResolver(searchMetrics, parts.loggedSearches),
    new TutoringResolver(parts.tutoring),
    new TutorResolver(),
    new EventResolver(),
    new ViewerResolver(),
    new ApiKeyResolver(parts.apiKeys),
  ]);
  const schema = parts.federation ? asSubgraph(api, parts.labels) : api;
  const nullable = nullableCopy(schema);
  const apollo = new ApolloServer<Context>({
    schema,
    introspection: !production,
    hideSchemaDetailsFromClientErrors: true,
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    parseOptions: PARSE_OPTIONS,
    validationOptions: { maxErrors: MAX_REQUEST_ERRORS },
    executionOptions: { maxCoercionErrors: MAX_REQUEST_ERRORS },
    formatError,
    stopOnTerminationSignals: false,
    logger: apolloLog(log),
    plugins: [
      ...NOTHING_IS_REPORTED,
      landingPage(production),
      requestMeter(countOperation),
      operationGuard(parts),
      onErrorNull(schema, nullable, formatError),
    ],
  });
  await apollo.start();
  const route = graphqlRoute({ ...parts, apollo });
  const stream = streamRoute({
    ...parts,
    sources: parts,
    schema,
    nullable,
    formatError,
    maxErrors: MAX_REQUEST_ERRORS,
  });
  return {
    route: async (http) => {
      await http.register(route);
      await http.register(stream);
    },
    // A second stop() of Apollo Server 5.5 never settles while the first one runs.
    stop: once(() => apollo.stop()),
  };
}

/** Disables reporting: Apollo Server would read APOLLO_KEY and others from the environment and report queries. */
const NOTHING_IS_REPORTED: readonly ApolloServerPlugin[] = [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

/** Apollo Server's log, from warnings on: below, it only reports start and stop. */
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

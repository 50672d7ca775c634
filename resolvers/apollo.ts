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
import type { GraphQLSchema } from 'graphql';
import { once } from '../src/domain/async.js';
import type { Log } from '../src/domain/ports/log.js';
import type { Context, EventSources } from './context.js';
import { errorFormatter } from './errors.js';
import { type StreamRouteParts, streamRoute } from './events/stream-route.js';
import { asSubgraph } from './requests/federation.js';
import { type GuardParts, operationGuard } from './requests/guard.js';
import { PARSE_OPTIONS } from './requests/limits.js';
import { nullableCopy, onErrorNull } from './requests/on-error.js';
import { requestMeter } from './requests/request-meter.js';
import { type ResolverParts, resolversOf } from './resolvers.js';
import { graphqlRoute } from './route.js';
import { apiSchema } from './schema.js';

/** Errors that validation, or the coercion of variables, reports before it gives up. */
const MAX_REQUEST_ERRORS = 5;

export interface GraphqlParts
  extends Omit<ResolverParts, 'formatError'>,
    GuardParts,
    Pick<EventSources, 'tutor' | 'events'>,
    Pick<StreamRouteParts, 'authenticator' | 'countOperation' | 'ledger' | 'operations' | 'streamLimits'> {
  /** Of internal errors and of Apollo Server. */
  readonly log: Pick<Log, 'error' | 'warn'>;
  readonly config: {
    /** Turns off introspection and the sandbox. */
    readonly production: boolean;
    /** Makes the API a subgraph of Apollo Federation 2. */
    readonly federation: boolean;
  };
}

export interface Graphql {
  /** The routes `/graphql` and `/graphql/stream`, for an HTTP server to register. */
  readonly route: FastifyPluginAsync;
  /** Stops Apollo Server, after the HTTP server. May be called twice. */
  readonly stop: () => Promise<void>;
}

export async function createGraphql(parts: GraphqlParts): Promise<Graphql> {
  const { config, countOperation, log } = parts;
  const { production, federation } = config;
  const formatError = errorFormatter(log);
  const resolvers = resolversOf({ ...parts, formatError });
  const schema = federation ? asSubgraph(apiSchema(), parts.labels) : apiSchema();
  let copy: GraphQLSchema | undefined;
  const nullable = (): GraphQLSchema => {
    copy ??= nullableCopy(schema);
    return copy;
  };
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
      ...REPORTING_DISABLED,
      landingPage(production),
      requestMeter(countOperation),
      operationGuard(parts),
      onErrorNull(schema, nullable, formatError),
    ],
  });
  await apollo.start();
  const route = graphqlRoute({ ...parts, resolvers, production, apollo });
  const stream = streamRoute({
    ...parts,
    resolvers,
    production,
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
const REPORTING_DISABLED: readonly ApolloServerPlugin[] = [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

/** Apollo Server's log, from warnings on: below, it only reports start and stop. */
function apolloLog(log: Pick<Log, 'error' | 'warn'>) {
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

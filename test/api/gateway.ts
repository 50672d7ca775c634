import type { FastifyPluginAsync } from 'fastify';
import pino from 'pino';
import { afterEach, expect } from 'vitest';
import { createGraphql } from '../../resolvers/apollo.js';
import type { StreamLimits } from '../../resolvers/events/open-streams.js';
import type { OperationList } from '../../resolvers/requests/persisted-operations.js';
import type { RateLimits } from '../../resolvers/requests/rate-limits.js';
import { EVERYONE } from '../../src/access/authenticator.js';
import { hostNames } from '../../src/access/create-access.js';
import { packageRoot, studioFolder } from '../../src/config/package-root.js';
import { Foreground } from '../../src/domain/background.js';
import type { Card } from '../../src/domain/card.js';
import { PERSPECTIVES } from '../../src/domain/perspective.js';
import type { CardIndexState } from '../../src/domain/ports/ledger.js';
import type { SearchHit, SearchReceipt } from '../../src/domain/search-result.js';
import { documentRoutes } from '../../src/http/create-routes.js';
import type { GuardParts } from '../../src/http/guard.js';
import type { OnAnswered } from '../../src/http/log.js';
import { createHttp, type Http, type Readiness, type SocketLimits } from '../../src/http/server.js';
import { studioRoutes } from '../../src/http/studio.js';
import { createMetrics, type Metrics } from '../../src/observability/metrics.js';
import { ObservedEngine } from '../../src/observability/observed-engine.js';
import { SearchStatistics } from '../../src/observability/search-statistics.js';
import { BUILTIN_SETTINGS } from '../../src/search/profile.js';
import { cardOf } from '../support/generators.js';
import { type PortMethods, portOf, portsOf } from './ports.js';

export interface TestApi {
  /** Where it listens: `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly http: Http;
  readonly metrics: Metrics;
  /** Every line that was logged. */
  readonly logged: Record<string, unknown>[];
  post(query: string, variables?: object): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer has the shape of whatever was asked.
  readonly data: any;
  readonly errors: readonly {
    readonly message: string;
    readonly extensions: {
      readonly code: string;
      readonly field?: string;
      readonly errorId?: string;
      readonly retryAfterMs?: number;
    };
  }[];
}

export interface TestOptions {
  readonly production?: boolean;
  readonly readiness?: () => Promise<Readiness>;
  readonly guard?: Partial<GuardParts>;
  readonly rates?: RateLimits;
  readonly refuseOverload?: () => void;
  readonly operations?: OperationList;
  readonly onAnswered?: OnAnswered;
  readonly foreground?: Pick<Foreground, 'received'>;
  readonly limits?: Partial<SocketLimits>;
  readonly streamLimits?: StreamLimits;
  readonly drainMs?: number;
  readonly port?: number;
  readonly host?: string;
  readonly files?: readonly FastifyPluginAsync[];
  /** With the studio and the documents, whose routes take some 40 ms of processor time to register. */
  readonly pages?: boolean;
}

/** As a gateway without any settings is guarded. */
const UNGUARDED: GuardParts = {
  authenticator: EVERYONE,
  hosts: hostNames({ host: '127.0.0.1', auth: null, allowedHosts: null }),
};

/** The API over ports that fail where the test has not given them a method: what is not expected must not be called. */
export async function startApi(methods: PortMethods, options: TestOptions = {}): Promise<TestApi> {
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const metrics = createMetrics();
  const statistics = new SearchStatistics({ embeddingCacheHitRate: () => null });
  const guard = { ...UNGUARDED, ...options.guard };
  const ports = portsOf(methods);
  const graphql = await createGraphql({
    ...ports,
    engine: new ObservedEngine(ports.engine, [metrics.searches.record, statistics.record]),
    authenticator: guard.authenticator,
    events: { pollMs: 1_000, onChange: () => () => undefined },
    ...(options.streamLimits && { streamLimits: options.streamLimits }),
    defaults: BUILTIN_SETTINGS,
    searchMetrics: statistics,
    apiKeys: portOf('apiKeys', {}),
    loggedSearches: portOf('loggedSearches', {}),
    countOperation: metrics.requests.operation,
    log,
    config: { production: options.production ?? false, federation: false },
    rates: options.rates ?? null,
    refuseOverload: options.refuseOverload ?? (() => undefined),
    operations: options.operations ?? null,
  });
  const http = await createHttp({
    graphql: graphql.route,
    pages: options.pages
      ? [
          studioRoutes({ production: options.production ?? false, folder: studioFolder() }),
          documentRoutes(packageRoot()),
        ]
      : [],
    files: options.files ?? [],
    rates: options.rates ?? null,
    readiness: options.readiness ?? (async () => ({ ready: true, detail: { postgres: 'answers' } })),
    metrics: metrics.registry,
    onAnswered: (request) => {
      metrics.requests.answered(request.route, request.status, request.tookMs / 1_000);
      options.onAnswered?.(request);
    },
    guard,
    foreground: options.foreground ?? new Foreground(),
    log,
    drainMs: options.drainMs ?? 0,
    ...(options.limits && { limits: options.limits }),
  });
  const close = async (): Promise<void> => {
    await http.close();
    await graphql.stop();
  };
  const { port = 0, host = '127.0.0.1' } = options;
  const url = await http.listen({ port, host }).catch(async (thrown: unknown) => {
    await close();
    throw thrown;
  });
  return {
    url,
    http,
    metrics,
    logged,
    async post(query, variables) {
      return answerOf(await send(url, { body: JSON.stringify({ query, variables }) }));
    },
    close,
  };
}

/** Starts APIs as {@link startApi} does, and closes each of them after its test. */
export function serving(): (methods?: PortMethods, options?: TestOptions) => Promise<TestApi> {
  const open: TestApi[] = [];
  afterEach(async () => {
    for (const api of open.splice(0)) await api.close();
  });
  return async (methods = {}, options = {}) => {
    const api = await startApi(methods, options);
    open.push(api);
    return api;
  };
}

/** The field that an answer names; fails if the answer is anything but one BAD_USER_INPUT. */
export async function refusedField(api: TestApi, query: string, variables?: object): Promise<string | undefined> {
  const { data, errors } = await api.post(query, variables);
  expect(data ?? null).toBeNull();
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
  return errors[0]?.extensions.field;
}

/** A POST of JSON to `/graphql`, unless `request` says otherwise. */
export function send(url: string, request: RequestInit): Promise<Response> {
  return fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, ...request });
}

export async function answerOf(response: Response): Promise<Answer> {
  const { data, errors = [] } = (await response.json()) as Partial<Answer>;
  return { status: response.status, data, errors };
}

export function card(changes: Partial<Card> = {}): Card {
  return cardOf({
    id: 'card-1',
    grade: 'G6',
    difficulty: 2,
    questionText: '3/4 + 1/8 = ?',
    studentSolutionText: '4/12',
    goldSolutionBrief: '7/8',
    topicTags: ['fractions'],
    errorTypes: ['adds denominators'],
    qualityGrade: 'GOOD',
    source: 'book 2, page 7',
    occurredAt: new Date('2026-03-01T08:30:00Z'),
    createdAt: new Date('2026-03-02T08:30:00Z'),
    updatedAt: new Date('2026-03-02T08:30:00Z'),
    ...changes,
  });
}

export const INDEXED: CardIndexState = {
  state: 'INDEXED',
  indexedRevision: 1,
  indexedAt: new Date('2026-03-02T08:30:01Z'),
  perspectives: PERSPECTIVES,
  lastError: null,
};

export function searchHit(changes: Partial<SearchHit> = {}): SearchHit {
  return {
    card: card(),
    rank: 1,
    score: 0.5,
    verdict: 'RELATED',
    lanes: [],
    rerankLogit: null,
    layer: null,
    threshold: null,
    ...changes,
  };
}

export const RECEIPT: SearchReceipt = {
  requestedTopK: 5,
  profile: 'default',
  strategy: 'FUSED',
  fusion: 'WEIGHTED',
  retrievers: ['chroma', 'lexical'],
  filterPlan: 'none',
  matchedByFilter: null,
  candidates: 12,
  thresholdsTried: [0.7, 0.6],
  coversLabels: false,
  nothingClose: false,
  layers: [],
  expandedQuery: null,
  inferredConcepts: ['fractions'],
  inferredLabels: [],
  rewrites: [],
  embeddingModel: 'builtin:512:f32:1',
  rerankModel: null,
  degraded: [],
  tookMs: 3.5,
  stages: [{ stage: 'embed', tookMs: 0.5 }],
};

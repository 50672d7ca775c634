import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { UnavailableError } from '../../src/domain/errors.js';
import type { Backlog } from '../../src/domain/ports/outbox.js';
import type { SearchResult } from '../../src/domain/search-result.js';
import { createMetrics } from '../../src/observability/metrics.js';
import { showState } from '../../src/observability/state-metrics.js';
import { sharedGateway } from '../support/gateway.js';
import { answerOf, card, RECEIPT, searchHit, send, serving, type TestApi } from './gateway.js';

const serve = serving();

const SECRET = 'zsecretz';

/** An API whose cards have the secret in their questions. */
async function observed(): Promise<TestApi> {
  return serve({
    store: {
      byIds: async (_viewer, ids) => new Map(ids.map((id) => [id, card({ id, questionText: SECRET })])),
      page: async () => {
        throw new Error(`the statement about ${SECRET} failed`);
      },
    },
    engine: {
      search: async (): Promise<SearchResult> => ({
        hits: [
          searchHit({
            lanes: [
              { perspective: 'question', kind: 'DENSE', score: 0.9, weight: 0.6, contribution: 0.54, rank: 1 },
              { perspective: 'solution', kind: 'DENSE', score: 0.5, weight: -0.2, contribution: -0.1, rank: 2 },
            ],
          }),
        ],
        hasMore: false,
        receipt: { ...RECEIPT, stages: [{ stage: 'retrieve', tookMs: 20 }] },
      }),
    },
  });
}

/** The log lines about requests, without the time that each took. */
function requests({ logged }: TestApi): object[] {
  return logged
    .filter(({ msg }) => msg === 'request completed')
    .map(({ level: _level, time: _time, pid: _pid, hostname: _host, msg: _msg, tookMs, ...facts }) => {
      expect(tookMs).toEqual(expect.any(Number));
      return facts;
    });
}

describe('a request', () => {
  test('is one log line with its id, fields and codes, and without contents of request or response', async () => {
    const gateway = await observed();
    const ask = (query: string, headers: Record<string, string> = {}) =>
      send(gateway.url, {
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables: { id: SECRET } }),
      });
    const named = await ask('query ($id: ID!) { mine: card(id: $id) { questionText } facets: card(id: $id) { id } }', {
      'x-request-id': 'proxy-1',
    });
    expect(named.headers.get('x-request-id')).toBe('proxy-1');
    const failed = await answerOf(await ask(`{ cards { totalCount } }`));
    await ask(`{ ${SECRET} }`);
    await ask(`{ card(id: "${SECRET}"`);
    const errorId = failed.errors[0]?.extensions.errorId;
    const line = { method: 'POST', route: '/graphql', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) };
    expect(requests(gateway)).toEqual([
      { ...line, requestId: 'proxy-1', status: 200, fields: ['card'] },
      { ...line, status: 200, fields: ['cards'], codes: ['INTERNAL'], errorIds: [errorId] },
      { ...line, status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] },
      { ...line, status: 400, codes: ['GRAPHQL_PARSE_FAILED'] },
    ]);
    expect(JSON.stringify(requests(gateway))).not.toContain(SECRET);
    expect(gateway.logged.find((entry) => entry.errorId === errorId)).toBeDefined();
  });

  test.each(['a b', 'x'.repeat(65), '{"level":60}', '\u00e9'])('does not keep the id %j', async (id) => {
    const gateway = await observed();
    const reply = await send(gateway.url, {
      headers: { 'content-type': 'application/json', 'x-request-id': id },
      body: '{"query":"{ __typename }"}',
    });
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("is logged unless it is a supervisor's, wherever it ends", async () => {
    const gateway = await observed();
    for (const path of ['/livez', '/healthz', '/readyz', '/metrics', `/${SECRET}`])
      await fetch(`${gateway.url}${path}`);
    expect(requests(gateway)).toEqual([
      { requestId: expect.any(String), method: 'GET', route: 'none', status: 404, codes: ['NOT_FOUND'] },
    ]);
  });
});

describe('/metrics', () => {
  test('counts requests, operations, stages and lanes, only by names of the schema', async () => {
    const gateway = await observed();
    await gateway.post('{ hybridSearch(text: "x") { hits { rank } } }');
    await gateway.post('{ cards { totalCount } }');
    await gateway.post(`{ ${SECRET} }`);
    await fetch(`${gateway.url}/${SECRET}`);
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    for (const line of [
      'errata_operations_total{operation="hybridSearch",outcome="OK"} 1',
      'errata_operations_total{operation="cards",outcome="INTERNAL"} 1',
      'errata_operations_total{operation="none",outcome="GRAPHQL_VALIDATION_FAILED"} 1',
      'errata_operation_seconds_count{operation="hybridSearch"} 1',
      'errata_http_request_seconds_count{route="/graphql",status="200"} 2',
      'errata_http_request_seconds_count{route="/graphql",status="400"} 1',
      'errata_http_request_seconds_count{route="none",status="404"} 1',
      'errata_search_stage_seconds_sum{operation="hybridSearch",stage="retrieve"} 0.02',
      'errata_search_hits_total{operation="hybridSearch"} 1',
      'errata_search_lane_contribution_total{perspective="question",kind="DENSE"} 0.54',
      'errata_search_lane_contribution_total{perspective="solution",kind="DENSE"} 0',
    ]) {
      expect(page.split('\n')).toContain(line);
    }
    expect(page).not.toContain(SECRET);
  });

  test('have the times of lanes and the hits of caches', async () => {
    const { registry, searches, caches } = createMetrics();
    searches.lane({ perspective: 'question', kind: 'DENSE' }, 12, true);
    searches.lane({ perspective: 'error', kind: 'LEXICAL' }, 1_000, false);
    caches.vectors(7, 2);
    for (const found of [false, true, true]) caches.key(found);
    for (const found of [false, false, true]) caches.ownerIndex(found);
    caches.watchEmbeddings(() => ({ hits: 4, misses: 5 }));
    expect((await registry.metrics()).split('\n')).toEqual(
      expect.arrayContaining([
        'errata_search_lane_seconds_sum{perspective="question",kind="DENSE",outcome="OK"} 0.012',
        'errata_search_lane_seconds_count{perspective="error",kind="LEXICAL",outcome="FAILED"} 1',
        'errata_vector_cache_reads_total{outcome="hit"} 7',
        'errata_vector_cache_reads_total{outcome="miss"} 2',
        'errata_key_cache_reads_total{outcome="hit"} 2',
        'errata_key_cache_reads_total{outcome="miss"} 1',
        'errata_own_notebook_cache_reads_total{outcome="hit"} 1',
        'errata_own_notebook_cache_reads_total{outcome="miss"} 2',
        'errata_embedding_cache_hits_total 4',
        'errata_embedding_cache_misses_total 5',
      ]),
    );
  });

  test('have the current state at each scrape, even if PostgreSQL does not answer', async () => {
    const { registry } = createMetrics();
    let backlog = async (): Promise<Backlog> => ({ waiting: 3, failed: 1, lagMs: 1_500 });
    const look = showState(registry, {
      outbox: { backlog: () => backlog() },
      ledger: { generations: async () => [{ tenantId: 't', number: 1, modelKey: 'm', state: 'live' }] },
      indexer: { paused: true },
      claim: { isHeld: false },
      servers: { states: () => ({ chroma: 'backoff', postgres: 'ready' }) },
    });
    await look();
    const lines = async (): Promise<string[]> => (await registry.metrics()).split('\n');
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'errata_database_up 1',
        'errata_outbox_waiting 3',
        'errata_outbox_failed 1',
        'errata_outbox_lag_seconds 1.5',
        'errata_index_generations{state="live"} 1',
        'errata_index_generations{state="building"} 0',
        'errata_indexer_paused 1',
        'errata_chroma_claim_held 0',
        'errata_child_up{child="chroma"} 0',
        'errata_child_up{child="postgres"} 1',
      ]),
    );
    backlog = () => Promise.reject(new UnavailableError('database', 'away'));
    await look();
    expect(await lines()).toEqual(
      expect.arrayContaining(['errata_database_up 0', 'errata_outbox_waiting Nan', 'errata_outbox_lag_seconds Nan']),
    );
    expect(await lines()).not.toContain('errata_index_generations{state="live"} 1');
  });

  test('are returned within seconds while PostgreSQL hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { registry } = createMetrics();
    const look = showState(registry, {
      outbox: { backlog: () => new Promise(() => undefined) },
      ledger: { generations: async () => [] },
      indexer: { paused: false },
      claim: { isHeld: true },
      servers: { states: () => ({}) },
    })();
    await vi.advanceTimersByTimeAsync(5_000);
    await look;
    expect(await registry.metrics()).toContain('errata_database_up 0');
  });
});

const METRICS = `{ searchMetrics {
  searches failed recent zeroResultRate degradedRate embeddingCacheHitRate
  operations { operation searches p50Ms p95Ms p99Ms } stages { stage p50Ms p95Ms } filterPlans { plan searches }
} }`;

describe('searchMetrics', () => {
  test('counts the searches of practice', async () => {
    const { gateway, tokenOf } = await sharedGateway();
    const { must } = gateway.as(await tokenOf({ sub: 'ada', role: 'admin' }));
    await must('{ practiceLadder(topicTag: "fractions") { missing } }');
    expect(await must('{ searchMetrics { searches operations { operation searches } } }')).toEqual({
      searchMetrics: { searches: 1, operations: [{ operation: 'byConcept', searches: 1 }] },
    });
  });

  test('returns statistics by kind, stage and filter plan', async () => {
    let found = 0;
    const gateway = await serve({
      engine: {
        search: async (_viewer, { subject }) => {
          if (subject.kind === 'card') throw new UnavailableError('chroma', 'no answer');
          found += 1;
          const hits = found === 1 ? [] : [searchHit()];
          return { hits, hasMore: false, receipt: RECEIPT };
        },
      },
    });
    const { post } = gateway;
    await post('{ byError(text: "x") { hits { rank } } }');
    await post('{ byError(text: "x") { hits { rank } } }');
    await post('{ byConcept(text: "x") { hits { rank } } }');
    await post('{ byConcept(cardId: "card-1") { hits { rank } } }');
    await post('{ byConcept(text: "") { hits { rank } } }');
    const { data, errors } = await post(METRICS);
    expect(errors).toEqual([]);
    const times = { p50Ms: 3.5, p95Ms: 3.5, p99Ms: 3.5 };
    expect(data.searchMetrics).toEqual({
      searches: 3,
      failed: 1,
      recent: 3,
      zeroResultRate: 1 / 3,
      degradedRate: 0,
      embeddingCacheHitRate: null,
      operations: [
        { operation: 'byConcept', searches: 1, ...times },
        { operation: 'byError', searches: 2, ...times },
      ],
      stages: [{ stage: 'embed', p50Ms: 0.5, p95Ms: 0.5 }],
      filterPlans: [{ plan: 'none', searches: 3 }],
    });
  });
});

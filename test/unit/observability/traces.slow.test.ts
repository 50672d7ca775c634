import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnsweredRequest, noFacts } from '../../../src/http/log.js';
import { startTraces } from '../../../src/observability/traces.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status: { readonly code: number };
}

/** A collector that keeps what it is sent. */
let collector: HttpServer;
const received: { readonly url: string | undefined; readonly body: string }[] = [];

const warned: string[] = [];
const log = { warn: (_facts: object, message: string) => void warned.push(message) };

beforeAll(async () => {
  collector = await startHttpServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ url: request.url, body });
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
});
afterAll(() => collector.close());

const REQUEST: AnsweredRequest = {
  id: 'request-1',
  method: 'POST',
  route: '/graphql',
  status: 200,
  startedMs: 1_800_000_000_000,
  tookMs: 40,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  facts: {
    ...noFacts(),
    fields: ['hybridSearch'],
    codes: ['INTERNAL'],
    searches: [
      {
        operation: 'hybridSearch',
        startedMs: 1_800_000_000_005,
        tookMs: 30,
        stages: [
          { stage: 'embed', tookMs: 10 },
          { stage: 'recall', tookMs: 20 },
        ],
        degraded: ['chroma'],
      },
    ],
  },
};

test("a request's trace continues its caller's, with consecutive spans of searches and stages", async () => {
  const traces = startTraces({ endpoint: `${collector.url}/`, log });
  traces.answered(REQUEST);
  traces.answered({ ...REQUEST, traceparent: undefined, status: 404, facts: noFacts() });
  traces.answered({ ...REQUEST, traceparent: 'no such thing', facts: noFacts() });
  await traces.close();
  await traces.close();
  expect(new Set(received.map(({ url }) => url))).toEqual(new Set(['/v1/traces']));
  const spans: Span[] = received.flatMap(({ body }) =>
    JSON.parse(body).resourceSpans.flatMap((resource: { scopeSpans: { spans: Span[] }[] }) =>
      resource.scopeSpans.flatMap(({ spans }) => spans),
    ),
  );
  const caller = spans.filter(({ traceId }) => traceId === '0af7651916cd43dd8448eb211c80319c');
  const named = new Map(caller.map((span) => [span.name, span]));
  const parentOf = (name: string): string | undefined => named.get(name)?.parentSpanId;
  expect(parentOf('POST hybridSearch')).toBe('b7ad6b7169203331');
  expect(parentOf('hybridSearch')).toBe(named.get('POST hybridSearch')?.spanId);
  expect(parentOf('embed')).toBe(named.get('hybridSearch')?.spanId);
  expect(parentOf('recall')).toBe(named.get('hybridSearch')?.spanId);
  const times = ['POST hybridSearch', 'hybridSearch', 'embed', 'recall'].map((name) => {
    const { startTimeUnixNano, endTimeUnixNano } = named.get(name) as Span;
    return [startTimeUnixNano, endTimeUnixNano].map((nano) => Number(BigInt(nano) / 1_000_000n) - 1_800_000_000_000);
  });
  expect(times).toEqual([
    [0, 40],
    [5, 35],
    [5, 15],
    [15, 35],
  ]);
  expect(named.get('POST hybridSearch')?.status.code).toBe(2);
  // Without a caller's trace, or with what is none, a request begins its own.
  const own = spans.filter(({ name }) => name === 'POST /graphql');
  expect(own).toHaveLength(2);
  expect(new Set([...own, ...caller].map(({ traceId }) => traceId)).size).toBe(3);
  for (const { parentSpanId } of own) expect(parentSpanId ?? '').toBe('');
});

test('an unavailable collector delays no request and no shutdown, and is logged', async () => {
  const gone = await startHttpServer(() => undefined);
  await gone.close();
  const traces = startTraces({ endpoint: gone.url, log });
  traces.answered(REQUEST);
  await traces.close();
  expect(warned).toContain('the collector refused traces; they are dropped');
});

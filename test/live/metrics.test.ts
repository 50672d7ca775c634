import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.js';
import { createCard, indexed, search } from '../support/notebook.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

interface Metrics {
  readonly searches: number;
  readonly recent: number;
  readonly operations: readonly { operation: string; searches: number; p50Ms: number; p95Ms: number; p99Ms: number }[];
  readonly stages: readonly { stage: string; p50Ms: number; p95Ms: number }[];
}

async function metrics(): Promise<Metrics> {
  const { searchMetrics } = await gateway.must<{ searchMetrics: Metrics }>(
    '{ searchMetrics { searches recent operations { operation searches p50Ms p95Ms p99Ms } stages { stage p50Ms p95Ms } } }',
  );
  return searchMetrics;
}

describe('searchMetrics of a running gateway', () => {
  test('have the latencies of searches and stages since the start', async () => {
    expect((await metrics()).searches).toBe(0);
    await createCard(gateway, { id: 'a', questionText: 'Work out 1/2 + 1/3.', topicTags: ['adding fractions'] });
    await indexed(gateway);
    const { receipt } = await search(gateway, 'hybridSearch', { text: '1/2 + 1/3' });
    await search(gateway, 'byConcept', { text: 'adding fractions' });
    const { searches, recent, operations, stages } = await metrics();
    expect({ searches, recent }).toEqual({ searches: 2, recent: 2 });
    expect(operations.map((one) => [one.operation, one.searches])).toEqual([
      ['byConcept', 1],
      ['hybridSearch', 1],
    ]);
    const hybrid = operations.find(({ operation }) => operation === 'hybridSearch');
    expect(hybrid).toMatchObject({ p50Ms: receipt.tookMs, p95Ms: receipt.tookMs, p99Ms: receipt.tookMs });
    expect(stages.map(({ stage }) => stage)).toEqual(expect.arrayContaining(['embed', 'retrieve', 'score', 'explain']));
    const page = await (await fetch(new URL('/metrics', gateway.url))).text();
    for (const [perspective, kind] of [
      ['question', 'DENSE'],
      ['question', 'LEXICAL'],
      ['concept', 'INFERRED'],
    ]) {
      expect(page).toMatch(
        `errata_search_lane_seconds_count{perspective="${perspective}",kind="${kind}",outcome="OK"} `,
      );
    }
    for (const { p50Ms, p95Ms } of stages) expect(p50Ms >= 0 && p50Ms <= p95Ms).toBe(true);
  });
});

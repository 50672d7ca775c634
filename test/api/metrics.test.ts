import { afterEach, describe, expect, test } from 'vitest';
import { UnavailableError } from '../../src/domain/errors.js';
import { RECEIPT, searchHit, startGateway, type TestGateway } from './gateway.js';

let gateway: TestGateway | undefined;
afterEach(() => gateway?.close());

const METRICS = `{ searchMetrics {
  searches failed recent zeroResultRate degradedRate embeddingCacheHitRate
  operations { operation searches p50Ms p95Ms p99Ms } stages { stage p50Ms p95Ms } filterPlans { plan searches }
} }`;

describe('searchMetrics', () => {
  test('returns statistics by kind, stage and filter plan', async () => {
    let found = 0;
    gateway = await startGateway({
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

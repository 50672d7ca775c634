import { describe, expect, test } from 'vitest';
import { BadInputError, UnavailableError } from '../../src/domain/errors.js';
import type { SearchRequest } from '../../src/domain/search.js';
import type { SearchReceipt } from '../../src/domain/search-result.js';
import { DEFAULT_SEARCH } from '../support/default-search.js';
import { card, INDEXED, RECEIPT, searchHit, serving } from './gateway.js';
import type { PortMethods } from './ports.js';

const serve = serving();

/** An engine that finds nothing and keeps what it was asked. */
function listening(): { readonly requests: SearchRequest[]; readonly ports: PortMethods } {
  const requests: SearchRequest[] = [];
  const search = async (_viewer: unknown, request: SearchRequest) => {
    requests.push(request);
    return { hits: [], hasMore: false, receipt: RECEIPT };
  };
  return { requests, ports: { engine: { search } } };
}

describe('a search', () => {
  test.each([
    ['similarQuestions', { question: 1, solution: 0, concept: 0, error: 0 }],
    ['bySolution', { question: 0, solution: 1, concept: 0, error: 0 }],
    ['byConcept', { question: 0, solution: 0, concept: 1, error: 0 }],
    ['byError', { question: 0, solution: 0, concept: 0, error: 1 }],
    ['hybridSearch', { question: 0.6, solution: 0.2, concept: 0.2, error: 0 }],
  ])('%s has its own weights, and returns 5 cards by default', async (operation, weights) => {
    const { requests, ports } = listening();
    const { post } = await serve(ports);
    const { errors } = await post(`{ ${operation}(text: "fractions") { hits { rank } } }`);
    expect(errors).toEqual([]);
    expect(requests).toEqual([
      {
        ...DEFAULT_SEARCH,
        profile: 'default',
        defaultWeights: true,
        operation,
        subject: { kind: 'text', text: 'fractions' },
        weights,
      },
    ]);
  });

  test('takes a card, weights, a number of hits and a filter', async () => {
    const { requests, ports } = listening();
    const { post } = await serve(ports);
    await post(`{ hybridSearch(cardId: "card-1", weights: {question: 3, error: 1}, topK: 50,
      filter: {subject: ["math", "math"], occurredAfter: "2026-01-01T00:00:00Z", excludeCardIds: ["b"]}
    ) { hits { rank } } }`);
    expect(requests).toMatchObject([
      {
        subject: { kind: 'card', cardId: 'card-1' },
        weights: { question: 3, solution: 0, concept: 0, error: 1 },
        defaultWeights: false,
        topK: 50,
        filter: { subject: ['math'], occurredAfter: new Date('2026-01-01T00:00:00Z'), excludeCardIds: ['b'] },
      },
    ]);
  });

  test('takes every option that the caller gives', async () => {
    const { requests, ports } = listening();
    const { post } = await serve(ports);
    const { errors } = await post(`{ byError(text: "x", options: {
      fusion: RRF, strategy: LAYERED, lexicalShare: 0, minScore: 0, thresholdSteps: [0.7, 0.6, 0.5], minResults: 3, diversity: 0.5,
      rerank: true, keywords: ["sign"], expand: false, perLane: 20, preferQuality: true, coverLabels: false,
      avoid: {question: 0.5}
    }) { hits { rank } } }`);
    expect(errors).toEqual([]);
    expect(requests).toMatchObject([
      {
        fusion: 'RRF',
        strategy: 'LAYERED',
        lexicalShare: 0,
        minScore: 0,
        thresholdSteps: [0.7, 0.6, 0.5],
        minResults: 3,
        diversity: 0.5,
        rerank: true,
        keywords: ['sign'],
        expand: false,
        perLane: 20,
        preferQuality: true,
        coverLabels: false,
        avoid: { question: 0.5, solution: 0, concept: 0, error: 0 },
      },
    ]);
  });

  test('returns hits with reasons and a receipt', async () => {
    const kinds = ['DENSE', 'LEXICAL', 'INFERRED'] as const;
    const lane = { perspective: 'error', score: 0.5, weight: 1, contribution: 0.5, rank: 1 } as const;
    const lanes = [
      ...kinds.map((kind) => ({ ...lane, kind })),
      { kind: 'DENSE', perspective: 'question', score: 0.5, weight: -0.5, contribution: -0.25, rank: null } as const,
    ];
    const receipt: SearchReceipt = {
      ...RECEIPT,
      strategy: 'LAYERED',
      fusion: 'RELATIVE',
      degraded: [{ part: 'chroma', reason: 'no answer' }],
      matchedByFilter: 4,
      layers: [
        { layer: 'SEMANTIC', admitted: 0, threshold: null, tookMs: 1 },
        { layer: 'STRUCTURE', admitted: 1, threshold: 0.5, tookMs: 0.5 },
      ],
      expandedQuery: 'x y',
      rerankModel: 'reranker',
    };
    const hit = {
      rank: 1,
      score: 0.5,
      verdict: 'SAME_TRAP',
      rerankLogit: -1.5,
      layer: 'STRUCTURE',
      threshold: 0.5,
    } as const;
    const { post } = await serve({
      engine: { search: async () => ({ hits: [searchHit({ ...hit, lanes })], hasMore: false, receipt }) },
    });
    const { data, errors } = await post(`{ byError(text: "x") {
      hits { card { id } rank score verdict rerankLogit layer threshold lanes { perspective kind score weight contribution rank } }
      receipt {
        requestedTopK strategy fusion retrievers filterPlan matchedByFilter candidates thresholdsTried coversLabels nothingClose layers { layer admitted threshold tookMs }
        expandedQuery inferredConcepts rewrites embeddingModel rerankModel degraded { part reason } tookMs stages { stage tookMs }
        profile filtering retrievedBy named: stages { name }
      }
    } }`);
    expect(errors).toEqual([]);
    const shown = lanes.map((one) => ({ ...one, perspective: one.perspective.toUpperCase() }));
    const { inferredLabels: _ofTutoring, ...rest } = receipt;
    const named = receipt.stages.map(({ stage }) => ({ name: stage.toUpperCase() }));
    const retrievedBy = receipt.retrievers.map((name) => name.toUpperCase());
    const told = { ...rest, requestedTopK: 5, filtering: receipt.filterPlan.toUpperCase(), retrievedBy, named };
    expect(data.byError).toEqual({ hits: [{ ...hit, card: { id: 'card-1' }, lanes: shown }], receipt: told });
  });

  test('of 50 hits reads all index states in one call, and no card again', async () => {
    const asked: (readonly string[])[] = [];
    const ids = Array.from({ length: 50 }, (_, n) => `card-${n}`);
    const { post } = await serve({
      engine: {
        search: async () => ({
          hits: ids.map((id, n) => searchHit({ card: card({ id }), rank: n + 1 })),
          hasMore: false,
          receipt: RECEIPT,
        }),
      },
      ledger: {
        states: async (_viewer, all) => {
          asked.push(all);
          return new Map(all.map((id) => [id, INDEXED]));
        },
      },
    });
    const { data, errors } = await post(
      '{ similarQuestions(text: "x", topK: 50) { hits { card { id index { state } } } } }',
    );
    expect(errors).toEqual([]);
    expect(data.similarQuestions.hits).toHaveLength(50);
    expect(asked).toEqual([ids]);
  });

  test('passes on errors of the engine', async () => {
    const { post } = await serve({
      engine: { search: () => Promise.reject(new BadInputError('cardId', 'has no text in these perspectives')) },
    });
    const { errors } = await post('{ byError(cardId: "card-1") { hits { rank } } }');
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: 'cardId' } }]);
  });

  test('without any working lane is UNAVAILABLE, and names the part', async () => {
    const { post } = await serve({
      engine: { search: () => Promise.reject(new UnavailableError('chroma', 'no answer')) },
    });
    const { errors } = await post('{ byError(text: "x") { hits { rank } } }');
    expect(errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE', part: 'chroma' } }]);
  });

  test('is aborted after 2 seconds', async () => {
    let waitedMs = 0;
    const { post } = await serve({
      engine: {
        search: (_viewer, _request, signal) => {
          const start = performance.now();
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              waitedMs = performance.now() - start;
              reject(signal.reason);
            });
          });
        },
      },
    });
    const { errors } = await post('{ byError(text: "x") { hits { rank } } }');
    expect(errors).toMatchObject([{ extensions: { code: 'DEADLINE_EXCEEDED', part: 'search' } }]);
    expect(waitedMs).toBeGreaterThan(1_900);
  });

  test('is counted by operation, failed or not, with its degraded parts', async () => {
    let fails = false;
    const { post, metrics } = await serve({
      engine: {
        search: async () => {
          if (fails) throw new UnavailableError('chroma', 'no answer');
          return { hits: [], hasMore: false, receipt: { ...RECEIPT, degraded: [{ part: 'chroma', reason: 'slow' }] } };
        },
      },
    });
    await post('{ byConcept(text: "x") { hits { rank } } }');
    fails = true;
    await post('{ byConcept(text: "x") { hits { rank } } }');
    const exposed = await metrics.registry.metrics();
    expect(exposed).toContain('errata_search_seconds_count{operation="byConcept"} 2');
    expect(exposed).toContain('errata_search_degraded_total{part="chroma"} 1');
  });
});

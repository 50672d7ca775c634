import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import type { Reranker } from '../../../src/domain/ports/models.js';
import { RERANK_TOP, type Rerankable, type RerankParts, rerank } from '../../../src/search/rerank.js';
import { cardOf, scoreArb } from '../../support/generators.js';

const never = new AbortController().signal;
const log = { warn: () => undefined };

/** A reranker that answers what it is given, and remembers what it was asked. */
function rerankerOf(score: Reranker['score']): Reranker & { readonly asked: string[][] } {
  const asked: string[][] = [];
  return {
    name: 'literal',
    asked,
    score: async (query, texts, signal) => {
      asked.push([query, ...texts]);
      return score(query, texts, signal);
    },
  };
}

const cards = (...scores: number[]): readonly Rerankable[] =>
  scores.map((score, place) => ({ card: cardOf({ id: `c${place}`, questionText: `text ${place}` }), score }));
const query = { text: 'query', card: null };
const weights = { question: 1, solution: 0, concept: 0, error: 0 };
const parts = (reranker: Reranker | null, given: Partial<RerankParts> = {}): RerankParts => ({
  reranker,
  log,
  ...given,
});
const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));

describe('reranking', () => {
  test('combines .7 of the fused score with .3 of the sigmoid of the logit, and returns both', async () => {
    const reranker = rerankerOf(async () => [-2, 3, 0]);
    const { ranked, degraded } = await rerank(parts(reranker), query, weights, cards(0.9, 0.8, 0.7), never);
    expect(degraded).toEqual([]);
    expect(reranker.asked).toEqual([['query', 'text 0', 'text 1', 'text 2']]);
    expect(ranked.map(({ card, rerankLogit }) => [card.id, rerankLogit])).toEqual([
      ['c1', 3],
      ['c0', -2],
      ['c2', 0],
    ]);
    expect(ranked[0]?.score).toBeCloseTo(0.7 * 0.8 + 0.3 * sigmoid(3), 12);
    expect(ranked[2]?.score).toBeCloseTo(0.7 * 0.7 + 0.15, 12);
  });

  test('reads at most the best 20', async () => {
    const reranker = rerankerOf(async (_query, texts) => texts.map(() => 0));
    await rerank(
      parts(reranker),
      query,
      weights,
      cards(...Array.from({ length: 50 }, (_, place) => 1 - place / 50)),
      never,
    );
    expect(reranker.asked[0]).toHaveLength(21);
  });

  test('the list stays sorted, keeps every card, and no unread card overtakes a read one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(scoreArb, { maxLength: 2 * RERANK_TOP }),
        fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: RERANK_TOP, maxLength: RERANK_TOP }),
        async (scores, logits) => {
          const fused = cards(...scores.sort((a, b) => b - a));
          const reranker = rerankerOf(async (_query, texts) => logits.slice(0, texts.length));
          const { ranked } = await rerank(parts(reranker), query, weights, fused, never);
          expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).sort((a, b) => b - a));
          expect(ranked.map(({ card }) => card.id).sort()).toEqual(fused.map(({ card }) => card.id).sort());
          for (const { score } of ranked) expect(score >= 0 && score <= 1).toBe(true);
          const read = fused.slice(0, RERANK_TOP).map(({ card }) => card.id);
          expect(new Set(ranked.slice(0, RERANK_TOP).map(({ card }) => card.id))).toEqual(new Set(read));
          expect(ranked.slice(RERANK_TOP).every(({ rerankLogit }) => rerankLogit === null)).toBe(true);
        },
      ),
    );
  });

  test('equal scores keep the fused order', async () => {
    const { ranked } = await rerank(
      parts(rerankerOf(async () => [1, 1, 1])),
      query,
      weights,
      cards(0.5, 0.5, 0.5),
      never,
    );
    expect(ranked.map(({ card }) => card.id)).toEqual(['c0', 'c1', 'c2']);
  });

  const expectFused = async (given: RerankParts, reason: RegExp): Promise<void> => {
    const { ranked, model, degraded } = await rerank(given, query, weights, cards(0.9, 0.8), never);
    expect(ranked.map(({ card, score, rerankLogit }) => [card.id, score, rerankLogit])).toEqual([
      ['c0', 0.9, null],
      ['c1', 0.8, null],
    ]);
    expect(model).toBeNull();
    expect(degraded).toEqual([{ part: 'reranker', reason: expect.stringMatching(reason) }]);
  };

  test('without a reranker the fused order is kept, and the receipt says so', () =>
    expectFused(parts(null), /no RERANKER_MODEL is set; the order is the fused one/));

  test('beyond its deadline the fused order is kept, and the work is aborted', async () => {
    let calledOff = false;
    const slow = rerankerOf(
      (_query, _texts, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            calledOff = true;
            reject(signal.reason);
          });
        }),
    );
    await expectFused(parts(slow, { budgetMs: 20 }), /no answer within 20 ms/);
    expect(calledOff).toBe(true);
  });

  test.each([
    ['away', () => Promise.reject(new UnavailableError('reranker', 'the process was lost')), /the process was lost/],
    ['failing', () => Promise.reject(new Error('a path of this machine')), /^the reranker failed;/],
    ['answering too few logits', async () => [1], /^the reranker failed;/],
    ['answering what is no number', async () => [1, Number.NaN], /^the reranker failed;/],
  ])('a reranker that is %s leaves the fused order, without a third party’s words', (_name, score, reason) =>
    expectFused(parts(rerankerOf(score)), reason),
  );

  test('is aborted with the search', async () => {
    const search = new AbortController();
    const reranking = rerank(
      parts(rerankerOf(() => new Promise(() => undefined))),
      query,
      weights,
      cards(1),
      search.signal,
    );
    search.abort(new Error('too late'));
    await expect(reranking).rejects.toThrow('too late');
  });
});

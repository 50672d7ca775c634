import { describe, expect, test } from 'vitest';
import { searchIn } from '../../support/engine-world.js';
import { cardOf } from '../../support/generators.js';
import { asking, five, worldOf } from './similar-questions.js';

describe('a cross-encoder', () => {
  const readers = ['e', 'd', 'c', 'b', 'a'];
  /** Prefers what fusion puts last. */
  const reranker = {
    name: 'literal',
    score: async (_query: string, texts: readonly string[]) => texts.map(preference),
  };
  const preference = (text: string): number => 8 - 4 * readers.indexOf(text);

  test('changes the order, and the hit has both parts of its score', async () => {
    const plain = await searchIn(worldOf(five), asking({ topK: 5 }));
    const { hits, receipt } = await searchIn(worldOf(five, { reranker }), asking({ topK: 5, rerank: true }));
    expect(receipt).toMatchObject({ rerankModel: 'literal', degraded: [] });
    expect(receipt.stages.map(({ stage }) => stage)).toContain('rerank');
    expect(hits.map(({ card }) => card.id)).not.toEqual(plain.hits.map(({ card }) => card.id));
    for (const { card, score, lanes, rerankLogit } of hits) {
      expect(rerankLogit).toBe(preference(card.id));
      const fused = lanes.reduce((sum, { contribution }) => sum + contribution, 0);
      expect(score).toBeCloseTo(0.7 * fused + 0.3 / (1 + Math.exp(-preference(card.id))), 12);
    }
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
  });

  test('reads the best 20, however few hits are requested', async () => {
    const thirty = Object.fromEntries(Array.from({ length: 30 }, (_, place) => [`card ${place}`, 0.9 - place / 100]));
    const read: string[] = [];
    const last = {
      name: 'literal',
      score: async (_query: string, texts: readonly string[]) => {
        read.push(...texts);
        return texts.map((text) => (text === 'card 19' ? 20 : -20));
      },
    };
    const request = asking({ topK: 1, rerank: true, lexicalShare: 0 });
    const { hits } = await searchIn(worldOf(thirty, { reranker: last }), request);
    expect(read).toHaveLength(20);
    expect(hits.map(({ card }) => card.id)).toEqual(['card 19']);
  });

  test('gets the texts of the requested perspectives, by weight, of the query card and of hits', async () => {
    const given: string[][] = [];
    const listening = {
      name: 'literal',
      score: async (query: string, texts: readonly string[]) => {
        given.push([query, ...texts]);
        return texts.map(() => 0);
      },
    };
    const cards = ['x', 'y'].map((id) =>
      cardOf({ id, questionText: `q ${id}`, topicTags: [`t ${id}`], studentSolutionText: 'never asked' }),
    );
    const weights = { question: 0.2, solution: 0, concept: 0.8, error: 0 };
    const bySubject = { kind: 'card', cardId: 'x' } as const;
    const request = asking({ subject: bySubject, weights, rerank: true, thresholdSteps: [0] });
    await searchIn({ cards, reranker: listening }, request);
    expect(given).toEqual([['t x\nq x', 't y\nq y']]);
  });

  test('keeps the fused order if it fails, and the receipt names it', async () => {
    const broken = { name: 'literal', score: () => Promise.reject(new Error('broken')) };
    const plain = await searchIn(worldOf(five), asking());
    const { hits, receipt } = await searchIn(worldOf(five, { reranker: broken }), asking({ rerank: true }));
    expect(hits).toEqual(plain.hits);
    expect(receipt).toMatchObject({ rerankModel: null, degraded: [{ part: 'reranker' }] });
  });
});

test('rerank without a reranker keeps the order, and the receipt says so', async () => {
  const plain = await searchIn(worldOf(five), asking());
  const { hits, receipt } = await searchIn(worldOf(five), asking({ rerank: true }));
  expect(hits).toEqual(plain.hits);
  expect(receipt.rerankModel).toBeNull();
  expect(receipt.degraded.map(({ part }) => part)).toEqual(['reranker']);
});

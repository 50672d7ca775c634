import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeCrossEncoder, writeEmbedder } from '../../../bench/tiny-models.js';
import { parseConfig } from '../../../src/config/settings.js';
import { StartupError } from '../../../src/domain/errors.js';
import type { Reranker } from '../../../src/domain/ports/models.js';
import { localReranker, openReranker } from '../../../src/models/reranker.js';
import { rerank } from '../../../src/search/rerank.js';
import { folderOfFile } from '../../support/folder.js';
import { cardOf } from '../../support/generators.js';
import { never, newInference } from '../../support/models.js';

const { path: folder } = await folderOfFile('models');
const files = parseConfig({ MODELS_DIR: folder, MODELS_OFFLINE: '1' }).models;
const shared = newInference();
const rerankerOf = (name: string): Reranker => localReranker({ name, files, inference: shared });

const QUERY = '求圆柱的体积';
/** From what shares nothing with the query to what says the same. */
const TEXTS = ['解不等式', '求函数', '求三角形的面积', '圆柱的体积', '求圆柱的体积'];

beforeAll(async () => {
  await writeCrossEncoder(folder, 'tiny/cross-encoder');
  await writeEmbedder(folder, 'tiny/embedder', { dims: 16 });
});
afterAll(() => shared.close());

describe('a cross-encoder', () => {
  test('returns raw logits, which order known pairs by their common tokens', async () => {
    const reranker = rerankerOf('tiny/cross-encoder');
    const logits = await reranker.score(QUERY, TEXTS, never);
    expect([...logits].sort((a, b) => a - b)).toEqual(logits);
    expect(logits[0]).toBeCloseTo(-6, 5);
    expect(logits[4]).toBeCloseTo(6, 5);
    // A softmax over one logit would be 1 for every pair.
    expect(new Set(logits).size).toBe(TEXTS.length);
  });

  test('a pair has the same logit alone, among others and in another order', async () => {
    const reranker = rerankerOf('tiny/cross-encoder');
    const together = await reranker.score(QUERY, TEXTS, never);
    expect((await reranker.score(QUERY, TEXTS.toReversed(), never)).toReversed()).toEqual(together);
    for (const [place, text] of TEXTS.entries()) {
      expect(await reranker.score(QUERY, [text], never)).toEqual([together[place]]);
    }
    expect(await reranker.score(QUERY, [], never)).toEqual([]);
  });

  test('changes the order of a search among near-equal fused scores', async () => {
    const reranker = rerankerOf('tiny/cross-encoder');
    const fused = TEXTS.map((questionText, place) => ({
      card: cardOf({ id: `c${place}`, questionText }),
      score: 0.6 - place / 100,
    }));
    const weights = { question: 1, solution: 0, concept: 0, error: 0 };
    const log = { warn: () => undefined };
    const { ranked, degraded } = await rerank(
      { reranker, log, budgetMs: 10_000 },
      { text: QUERY, card: null },
      weights,
      fused,
      never,
    );
    expect(degraded).toEqual([]);
    expect(ranked.map(({ card }) => card.id)).toEqual(['c4', 'c3', 'c2', 'c1', 'c0']);
  });

  test('truncates a text that is too long', async () => {
    const [logit] = await rerankerOf('tiny/cross-encoder').score(QUERY, [`${QUERY}。${'x = 1 '.repeat(2_000)}`], never);
    expect(logit).toBeCloseTo(6, 5);
  });

  test('a query that is too long leaves room for the text', async () => {
    const long = `${QUERY}。${'程'.repeat(2_000)}`;
    const logits = await rerankerOf('tiny/cross-encoder').score(long, ['解不等式', QUERY], never);
    expect(logits[1]).toBeGreaterThan(logits[0] as number);
  });

  test('shares the process with the embedding models', async () => {
    await rerankerOf('tiny/cross-encoder').score(QUERY, TEXTS, never);
    const { pid } = shared;
    const model = { folder, repository: 'tiny/embedder', dtype: 'fp32', maxTokens: 512, pooling: 'mean' } as const;
    expect((await shared.run({ model, query: null, texts: TEXTS }, never)).width).toBe(16);
    expect(shared.pid).toBe(pid);
  });

  test('a configured one is opened', async () => {
    const parts = { files, inference: shared, announce: () => undefined };
    expect((await openReranker({ ...parts, name: 'tiny/cross-encoder' }, never)).name).toBe('tiny/cross-encoder:fp32');
  });

  test.each([
    ['files that are missing', 'tiny/absent', 78, /models pull tiny\/absent/],
    ['known by another name', 'BAAI/bge-reranker-base', 78, /models pull BAAI\/bge-reranker-base`$/],
    ['a model that gives vectors', 'tiny/embedder', 69, /RERANKER_MODEL tiny\/embedder cannot be used: /],
  ])('%s fail the start with one line', async (_name, name, exitCode, message) => {
    const parts = { name, files, inference: shared, announce: () => undefined };
    const failure = await openReranker(parts, never).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartupError);
    expect(failure).toMatchObject({ exitCode, message: expect.stringMatching(message) });
  });
});

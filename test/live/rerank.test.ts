import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCrossEncoder } from '../../bench/tiny-models.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { createCard } from '../support/notebook.js';
import { until } from '../support/until.js';

interface Reranked {
  readonly hits: readonly {
    readonly score: number;
    readonly rerankLogit: number | null;
    readonly card: { readonly id: string };
    readonly lanes: readonly { readonly contribution: number }[];
  }[];
  readonly receipt: {
    readonly rerankModel: string | null;
    readonly degraded: readonly { readonly part: string; readonly reason: string }[];
  };
}

let folder: string;
let gateway: Gateway;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errata-rerank-'));
  await writeCrossEncoder(folder, 'tiny/cross-encoder');
  const env = { RERANKER_MODEL: 'tiny/cross-encoder', MODELS_DIR: folder, MODELS_OFFLINE: 'true' };
  gateway = await startGateway({ env });
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

/** Repeats the search until nothing is left out: a busy machine may miss the deadline of Chroma or of the reranker. */
async function search(rerank: boolean): Promise<Reranked> {
  const query = `query ($rerank: Boolean) {
    similarQuestions(text: "求圆柱的体积", topK: 3, options: { rerank: $rerank, thresholdSteps: [0] }) {
      hits { score rerankLogit card { id } lanes { contribution } }
      receipt { rerankModel degraded { part reason } }
    }
  }`;
  const whole = async () => {
    const { similarQuestions } = await gateway.must<{ similarQuestions: Reranked }>(query, { rerank });
    return similarQuestions.receipt.degraded.length === 0 && similarQuestions;
  };
  return until(whole, { deadlineMs: 60_000, what: 'an answer that is not degraded' });
}

test('a configured cross-encoder reranks searches that ask for it, and no others', async () => {
  await createCard(gateway, { id: 'same', questionText: '求圆柱的体积' }, true);
  await createCard(gateway, { id: 'half', questionText: '圆柱的体积' }, true);
  await createCard(gateway, { id: 'other', questionText: '解方程' }, true);
  const plain = await search(false);
  expect(plain.receipt).toEqual({ rerankModel: null, degraded: [] });
  expect(plain.hits.map(({ rerankLogit }) => rerankLogit)).toEqual(plain.hits.map(() => null));
  const reranked = await search(true);
  expect(reranked.receipt).toEqual({ rerankModel: 'tiny/cross-encoder:fp32', degraded: [] });
  expect(reranked.hits.map(({ card }) => card.id)).toEqual(plain.hits.map(({ card }) => card.id));
  for (const { score, rerankLogit, lanes } of reranked.hits) {
    const fused = lanes.reduce((sum, { contribution }) => sum + contribution, 0);
    expect(score).toBeCloseTo(0.7 * fused + 0.3 / (1 + Math.exp(-(rerankLogit ?? Number.NaN))), 6);
  }
  expect(reranked.hits.find(({ card }) => card.id === 'same')?.rerankLogit).toBeCloseTo(6, 4);
});

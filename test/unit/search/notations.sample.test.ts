import { beforeAll, describe, expect, test } from 'vitest';
import { searchFor } from '../../../bench/memory-engine.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import type { Engine } from '../../../src/search/engine.js';
import { sampleEngine } from '../../support/sample-engine.js';

let engine: Engine;
beforeAll(async () => {
  engine = await sampleEngine();
});

async function found(text: string, expand = true): Promise<readonly string[]> {
  const request = { ...searchFor(text, 5), expand };
  const { hits } = await engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
  return hits.map(({ card, verdict, score }) => `${card.id} ${verdict} ${score.toFixed(6)}`);
}

describe('the same question has the same hits, scores and verdicts', () => {
  test.each([
    ['with thanks behind it', '计算：13-5=（　） 求解，谢谢', '计算：13-5=（　）'],
    ['after a request', 'Can you help me with this one? Solve x² = 49.', 'Solve x² = 49.'],
    ['with its source and marks', '（2023·北京·期中）列竖式计算：52-27（5分）', '列竖式计算：52-27'],
    ['in rich text', '<p>列竖式计算：<strong>52-27</strong></p><br/>', '列竖式计算：52-27'],
    ['with an image', 'Solve x² = 49. ![](https://img.example.com/uploads/q_12.png)', 'Solve x² = 49.'],
    ['copied without its layout', '解方程：(x-1)2=16', '解方程：$(x-1)^{2}=16$'],
  ])('%s', async (_, written, plain) => {
    const hits = await found(plain);
    expect(hits[0]).toContain(' DUPLICATE ');
    expect(await found(written)).toEqual(hits);
  });

  test('but a text that is searched for as it is written has other scores with thanks behind it', async () => {
    expect(await found('计算：13-5=（　） 求解，谢谢', false)).not.toEqual(await found('计算：13-5=（　）', false));
  });
});

import { describe, expect, test } from 'vitest';
import { FUSION_NAMES } from '../../../src/domain/search.js';
import { thresholdsOf } from '../../../src/search/cut.js';
import { searchIn } from '../../support/engine-world.js';
import { literalEmbedder } from '../../support/memory-ports.js';
import { asking, five, worldOf } from './similar-questions.js';

describe('threshold steps', () => {
  const steps = [0.7, 0.6, 0.5];

  test('are lowered until there are enough hits, and each hit has the highest step that it reaches', async () => {
    const { hits, receipt } = await searchIn(worldOf(five), asking({ thresholdSteps: steps, minResults: 3 }));
    expect(hits.map(({ card, threshold }) => [card.id, threshold])).toEqual([
      ['a', 0.7],
      ['b', 0.7],
      ['c', 0.6],
    ]);
    expect(receipt.thresholdsTried).toEqual([0.7, 0.6]);
  });

  test("default to the model's, in a layered search to those of each layer", async () => {
    const { steps: ofModel, layers } = thresholdsOf(literalEmbedder.model.name);
    const atOnce = await searchIn(worldOf(five), asking({ thresholdSteps: null }));
    expect(atOnce.receipt.thresholdsTried).toEqual(ofModel);
    expect(atOnce.hits.map(({ card, threshold }) => [card.id, threshold])).toEqual([
      ['a', 0.7],
      ['b', 0.7],
      ['c', 0.55],
      ['d', 0.55],
      ['e', 0.2],
    ]);
    const request = asking({ thresholdSteps: null, strategy: 'LAYERED', topK: 50, minResults: 50 });
    const { receipt } = await searchIn(worldOf(five), request);
    const tried = new Set(receipt.layers.flatMap(({ layer }) => layers[layer]));
    expect(receipt.thresholdsTried).toEqual([...tried].sort((a, b) => b - a));
  });

  test('require no more hits than requested', async () => {
    const request = asking({ thresholdSteps: steps, minResults: 5, topK: 2 });
    const { hits, receipt } = await searchIn(worldOf(five), request);
    expect(hits.map(({ card }) => card.id)).toEqual(['a', 'b']);
    expect(receipt.thresholdsTried).toEqual([0.7]);
  });

  test('give an empty list with a receipt if nothing reaches them', async () => {
    const { hits, receipt } = await searchIn(worldOf({ d: 0.4, e: 0.3 }), asking({ thresholdSteps: steps }));
    expect(hits).toEqual([]);
    expect(receipt).toMatchObject({ thresholdsTried: steps, candidates: 2, degraded: [] });
  });

  test('apply to the weighted score with every fusion, not to ranks', async () => {
    for (const fusion of FUSION_NAMES) {
      const { hits } = await searchIn(worldOf(five), asking({ thresholdSteps: [0.6], fusion }));
      expect(hits.map(({ card }) => card.id)).toEqual(['a', 'b', 'c']);
    }
  });

  test('do not apply with minScore, which also applies to the weighted score', async () => {
    for (const fusion of FUSION_NAMES) {
      for (const strategy of ['FUSED', 'LAYERED'] as const) {
        const request = asking({ minScore: 0.6, thresholdSteps: [0.9], fusion, strategy });
        const { hits, receipt } = await searchIn(worldOf(five), request);
        expect(hits.map(({ card, threshold }) => [card.id, threshold])).toEqual([
          ['a', null],
          ['b', null],
          ['c', null],
        ]);
        expect(receipt.thresholdsTried).toEqual([]);
      }
    }
  });
});

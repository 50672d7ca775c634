import { describe, expect, test } from '@jest/globals';
import { parseSearch } from '../../src/domain/parse/search.js';
import { bandsOf } from '../../src/search/bands.js';
import { DEFAULTS } from '../../src/search/defaults.js';

describe.each(['builtin', 'BAAI/bge-m3'])('the bands of %s', (model) => {
  const { steps, layers, sureAt } = bandsOf(model);

  test('are steps that a client could ask for too', () => {
    for (const thresholdSteps of [steps, ...Object.values(layers)]) {
      const args = { text: 'x', topK: 5, options: { thresholdSteps } };
      expect(parseSearch('hybridSearch', args, DEFAULTS.hybridSearch).thresholdSteps).toEqual(thresholdSteps);
    }
  });

  test('ask something of every hit, and of the nearest card for labels to be believed fully', () => {
    for (const last of [steps, ...Object.values(layers)].map((all) => all.at(-1))) expect(last).toBeGreaterThan(0);
    expect(sureAt > 0 && sureAt <= 1).toBe(true);
  });
});

test('a semantic model has the common bands, and the built-in embedder its own', () => {
  expect(bandsOf('BAAI/bge-m3').steps).toEqual([0.7, 0.6, 0.5]);
  expect(bandsOf('builtin')).not.toEqual(bandsOf('BAAI/bge-m3'));
});

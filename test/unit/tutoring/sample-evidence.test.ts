/** How often contexts refuse: `npm run bench -- evidence` prints the same figures. */
import { expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { sampleVerdicts } from '../../../bench/evidence.js';
import { memoryEngine } from '../../../bench/memory-engine.js';

test('of the sample questions without an answer, hardly any gets sufficient evidence, and most get none', async () => {
  const verdicts = await sampleVerdicts(await memoryEngine(await sampleNotebook()));
  const count = (kind: string, verdict: string): number => verdicts[kind]?.[verdict]?.length ?? 0;
  for (const half of ['train', 'test']) {
    for (const mode of ['DIAGNOSE', 'EXPLAIN']) {
      expect(count(`${half} ${mode}, no answer`, 'ENOUGH')).toBeLessThanOrEqual(2);
      expect(count(`${half} ${mode}, no answer`, 'NONE')).toBeGreaterThanOrEqual(18);
    }
  }
  expect(count('golden EXPLAIN, with answers', 'NONE')).toBeLessThanOrEqual(6);
});

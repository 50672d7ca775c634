/** How often contexts refuse: `npm run bench -- evidence` prints the same figures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { sampleVerdicts } from '../../../bench/evidence.js';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { packageRoot } from '../../../src/config/package-root.js';

// Not while the file is loaded: that time is not in its duration, so that Vitest would run the file last.
let verdicts: Awaited<ReturnType<typeof sampleVerdicts>>;
beforeAll(async () => {
  verdicts = await sampleVerdicts(await memoryEngine(await sampleNotebook()));
});
const count = (kind: string, verdict: string): number => verdicts[kind]?.[verdict]?.length ?? 0;

test('of the sample questions without an answer, hardly any gets sufficient evidence, and most get none', () => {
  for (const half of ['train', 'test']) {
    for (const mode of ['DIAGNOSE', 'EXPLAIN']) {
      expect(count(`${half} ${mode}, no answer`, 'ENOUGH')).toBeLessThanOrEqual(2);
      expect(count(`${half} ${mode}, no answer`, 'NONE')).toBeGreaterThanOrEqual(18);
    }
  }
  expect(count('golden EXPLAIN, with answers', 'NONE')).toBeLessThanOrEqual(6);
});

test.each(['docs/tutoring.md', 'docs/zh-CN/tutoring.md'])('%s has these figures', (page) => {
  const text = readFileSync(join(packageRoot(), page), 'utf8');
  const cells = (...kinds: string[]): string =>
    ['ENOUGH', 'THIN', 'NONE'].map((verdict) => kinds.map((kind) => count(kind, verdict)).join(' / ')).join(' | ');
  for (const kind of ['DIAGNOSE, no answer', 'EXPLAIN, no answer', 'DIAGNOSE, with answers'])
    expect(text).toContain(`| ${cells(`train ${kind}`, `test ${kind}`)} |`);
  expect(text).toContain(`| ${cells('golden EXPLAIN, with answers')} |`);
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { indexed } from '../support/notebook.js';

/** A query, and the lines of its answer below it. */
const EXAMPLE = /```graphql\n(\{.*\})\n```\n\n```json\n([\s\S]*?)```/g;
const HIT = /^\{"score":([\d.]+),"card":\{"id":"([^"]+)"/gm;

interface Answer {
  readonly hits: readonly { readonly score: number; readonly card: { readonly id: string } }[];
}

let gateway: Gateway;

beforeAll(async () => {
  // Learned weights give other scores.
  gateway = await startGateway({ env: { SEED_SAMPLE: 'true', LEARN_WEIGHTS: 'false' } });
  await indexed(gateway);
});
afterAll(() => gateway?.close());

test.each([
  ['README.md', 2],
  ['README.zh-CN.md', 2],
  ['docs/search.md', 5],
  ['docs/zh-CN/search.md', 5],
])('%s has the answers of its %d queries', async (page, queries) => {
  const examples = [...(await readFile(join(packageRoot(), page), 'utf8')).matchAll(EXAMPLE)];
  expect(examples).toHaveLength(queries);
  for (const [, query = '', written = ''] of examples) {
    const [answer] = Object.values(await gateway.must<Record<string, Answer>>(query));
    const found = answer?.hits.map(({ score, card }) => [card.id, score.toFixed(3)]);
    expect(found).toEqual([...written.matchAll(HIT)].map(([, score, id]) => [id, Number(score).toFixed(3)]));
  }
});

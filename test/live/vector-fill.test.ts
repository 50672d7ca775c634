import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleNotebook } from '../../bench/card-files.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase } from '../support/gateway-database.js';
import { createAll, idsOf, indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';

let folder: string;
let database: TestDatabase;
const open: Gateway[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errata-vector-fill-'));
  database = await gatewayDatabase();
});
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<Gateway> {
  const gateway = await startGateway({ database, dataDir: folder });
  open.push(gateway);
  return gateway;
}

/** Cards whose vectors searches have read so far: from the local copy, and from Chroma. */
async function reads(gateway: Gateway): Promise<{ readonly hit: number; readonly miss: number }> {
  const page = await (await fetch(new URL('/metrics', gateway.url))).text();
  const count = (outcome: string): number =>
    Number(new RegExp(`^errata_vector_cache_reads_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(page)?.[1] ?? 0);
  return { hit: count('hit'), miss: count('miss') };
}

test('a gateway that lost its copy of the vectors fills it without any search, and searches read nothing from Chroma', async () => {
  const cards = (await sampleNotebook()).slice(0, 120);
  const first = await start();
  await createAll(first, cards);
  await indexed(first);
  const ask = (gateway: Gateway) => search(gateway, 'hybridSearch', { text: '解一元二次方程', topK: 50 });
  const found = idsOf(await ask(first));
  await first.close();
  expect(await readdir(join(folder, 'vectors'))).not.toEqual([]);
  await rm(join(folder, 'vectors'), { recursive: true });

  const again = await start();
  await until(() => again.output().includes('local copy of the vectors filled'), {
    deadlineMs: 90_000,
    what: 'the copy to be filled',
  });
  const begun = again
    .output()
    .split('\n')
    .find((line) => line.includes('filling the local copy of the vectors'));
  expect(JSON.parse(begun ?? 'null')).toMatchObject({ cards: cards.length, lacking: cards.length });
  expect(idsOf(await ask(again))).toEqual(found);
  const { hit, miss } = await reads(again);
  expect(hit).toBeGreaterThan(0);
  expect(miss).toBe(0);
  await again.close();

  // The copy is complete: the next start has nothing to read.
  const last = await start();
  expect(idsOf(await ask(last))).toEqual(found);
  expect((await reads(last)).miss).toBe(0);
  expect(last.output()).not.toContain('filling the local copy of the vectors');
});

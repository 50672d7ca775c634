import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Folder, makeFolder } from '../support/files.js';
import { startGateway } from '../support/gateway.js';
import { gatewayDatabase } from '../support/gateway-database.js';
import { countOf, imported, jobOf, line, post } from '../support/imports.js';
import { until } from '../support/until.js';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

describe('an import that is killed', () => {
  test('is resumed at the next start, and creates no card twice', async () => {
    const database = await gatewayDatabase();
    const first = await startGateway({ database, dataDir: folder.path });
    const rows = 3_000;
    const content = Array.from({ length: rows }, (_, at) =>
      line({ questionText: `第 ${at} 题：求 ${at} 与 ${at * 7} 的和`, studentSolutionText: `${at}` }),
    ).join('');
    const response = await post(first, 'long.jsonl', content);
    const { importJob } = (await response.json()) as { importJob: { id: string } };
    await until(async () => (await jobOf(first, importJob.id)).read > 0, {
      deadlineMs: 60_000,
      what: 'the first chunk',
    });
    first.kill('SIGKILL');
    await first.exited;
    const second = await startGateway({ database, dataDir: folder.path });
    try {
      await until(async () => (await jobOf(second, importJob.id)).state === 'DONE', {
        deadlineMs: 120_000,
        what: 'the import to go on',
      });
      expect(await jobOf(second, importJob.id)).toMatchObject({
        total: rows,
        read: rows,
        created: rows,
        merged: 0,
        failed: 0,
      });
      expect(await countOf(second)).toBe(rows);
      expect(await imported(second, 'long.jsonl', content)).toMatchObject({ created: 0, skipped: rows });
    } finally {
      await second.close();
      await database.drop();
    }
  });
});

test('a gateway with a busy reader ends at once when told to, and resumes the import at its next start', async () => {
  const database = await gatewayDatabase();
  const dataDir = await mkdtemp(join(folder.path, 'busy-'));
  const first = await startGateway({ database, dataDir });
  // Each question is compared with all before it, which takes minutes.
  const alike = Array.from({ length: 150 }, (_, at) => {
    const ending = String.fromCodePoint(0x4e00 + at).repeat(1_000);
    return line({ questionText: `${'某商店购进一批衬衫按标价的九折出售仍可获利'.repeat(100)}${ending}` });
  });
  const { importJob } = (await (await post(first, 'busy.jsonl', alike.join(''))).json()) as {
    importJob: { id: string };
  };
  const running = async (): Promise<boolean> => (await jobOf(first, importJob.id)).state === 'RUNNING';
  await until(running, { deadlineMs: 60_000, what: 'the rows to be folded' });
  const told = performance.now();
  first.kill('SIGTERM');
  await first.exited;
  expect(performance.now() - told).toBeLessThan(10_000);
  const second = await startGateway({ database, dataDir });
  try {
    expect(await jobOf(second, importJob.id)).toMatchObject({ state: 'RUNNING', read: 0, total: 150 });
  } finally {
    await second.close();
    await database.drop();
  }
});

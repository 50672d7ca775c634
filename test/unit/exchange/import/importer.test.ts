import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresImportJobStore } from '../../../../prisma/import-jobs.js';
import { PostgresImportStore } from '../../../../prisma/notebook.js';
import { type FileToImport, NO_COUNTS } from '../../../../src/domain/import.js';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import { questionJudge } from '../../../../src/exchange/duplicates/judge.js';
import { Importer, type ImporterParts } from '../../../../src/exchange/import/importer.js';
import { until } from '../../../support/until.js';
import { admin, type Fixture, newTenant, openFixture } from '../../prisma/fixture.js';

let fixture: Fixture;
let folder: string;
let parts: ImporterParts;
beforeAll(async () => {
  fixture = await openFixture();
  folder = await mkdtemp(join(tmpdir(), 'errata-imports-'));
  parts = {
    jobs: new PostgresImportJobStore(fixture.database),
    notebook: new PostgresImportStore(fixture.database, fixture.dirty, questionJudge),
    judge: questionJudge,
    folder,
    alone: false,
    log: { warn: () => undefined, error: () => undefined },
  };
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true });
});

const FILE: FileToImport = {
  name: 'cards.jsonl',
  format: 'jsonl',
  options: { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING },
};

/** A file of that many cards, in one piece. */
async function* fileOf(rows: number): AsyncGenerator<Buffer> {
  const line = (at: number): string =>
    `${JSON.stringify({ subject: 'math', difficulty: 1, questionText: `第 ${at} 题` })}\n`;
  yield Buffer.from(Array.from({ length: rows }, (_, at) => line(at)).join(''));
}

/** What is waited for, and what ends the waiting. */
function gate(): readonly [Promise<void>, () => void] {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, () => open()];
}

describe('a file that another gateway goes on with', () => {
  test('is left to that one, with the rows that are still to be stored', async () => {
    const viewer = admin(newTenant());
    let chunks = 0;
    // At its second chunk this gateway is late: the other one has just stored the same rows.
    const fold: ImporterParts['notebook']['fold'] = async (...args) => {
      chunks += 1;
      if (chunks === 2) await parts.notebook.fold(...args);
      return parts.notebook.fold(...args);
    };
    const importer = new Importer({ ...parts, notebook: { fold } });
    await importer.start();
    const { id } = await importer.importFile(viewer, FILE, fileOf(1_200));
    await until(async () => (await readdir(folder)).length === 0, { deadlineMs: 30_000, what: 'the copy to go' });
    await importer.close();
    expect(await parts.jobs.job(viewer, id)).toMatchObject({ state: 'RUNNING', read: 1_000, total: 1_200 });
    expect(chunks).toBe(2);
  });
});

describe('a sixth file of one owner', () => {
  test('is refused before any of it is read, and taken when one of the others has come to its end', async () => {
    const importer = new Importer(parts);
    await importer.start();
    const viewer = admin(newTenant());
    const [arrival, arrive] = gate();
    async function* slow(): AsyncGenerator<Buffer> {
      await arrival;
      yield* fileOf(1);
    }
    const five = Array.from({ length: 5 }, () => importer.importFile(viewer, FILE, slow()));
    let reads = 0;
    async function* counted(): AsyncGenerator<Buffer> {
      reads += 1;
      yield* fileOf(1);
    }
    await expect(importer.importFile(viewer, FILE, counted())).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      extensions: { retryAfterMs: expect.any(Number) },
    });
    expect(reads).toBe(0);
    // Whoever else it is, with the same name or in the same school, is not in the way.
    for (const other of [admin(newTenant()), { ...viewer, ownerId: 'li' }])
      await importer.importFile(other, FILE, fileOf(1));
    arrive();
    await Promise.all(five);
    await until(async () => (await readdir(folder)).length === 0, { deadlineMs: 30_000, what: 'the files to go' });
    await importer.importFile(viewer, FILE, counted());
    expect(reads).toBe(1);
    await importer.close();
  });

  test('is refused while the others wait to be stored', async () => {
    const [turn, begin] = gate();
    const fold: ImporterParts['notebook']['fold'] = async (...args) => {
      await turn;
      return parts.notebook.fold(...args);
    };
    const importer = new Importer({ ...parts, notebook: { fold } });
    await importer.start();
    const viewer = admin(newTenant());
    const five = [1, 2, 3, 4, 5].map((rows) => importer.importFile(viewer, FILE, fileOf(rows)));
    await until(async () => (await readdir(folder)).length === 5, { deadlineMs: 30_000, what: 'the files to come' });
    await expect(importer.importFile(viewer, FILE, fileOf(6))).rejects.toThrow(/5 files of yours/);
    begin();
    await Promise.all(five);
    await until(async () => (await readdir(folder)).length === 0, { deadlineMs: 30_000, what: 'the files to go' });
    await importer.close();
  });
});

test('a gateway that starts ends a job of which every row is stored, whoever was killed before it said so', async () => {
  const viewer = admin(newTenant());
  const id = randomUUID();
  const { options } = FILE;
  await parts.jobs.begin(viewer, { id, key: 'rows:k', body: null, name: 'rows', format: 'rows', options });
  await parts.jobs.checked(viewer, id, 1, []);
  const bad = { failed: true, sheet: null, row: 1, column: null, reason: 'bad' };
  const folded = { drafts: [], counts: { ...NO_COUNTS, read: 1, failed: 1 }, problems: [bad] };
  const wanted = { ids: [], keys: [], bands: [], origins: [] };
  await parts.notebook.fold(viewer, wanted, () => folded, { step: { jobId: id, read: 0 }, dryRun: false });
  await new Importer(parts).start();
  expect(await parts.jobs.job(viewer, id)).toMatchObject({ state: 'DONE', failed: 1 });
});
